// Specialisation: functions staged for the types of their arguments, each once.
#include "compiler/stage/specialise.hpp"

#include "compiler/base/check.hpp"
#include "compiler/ir/places.hpp"
#include "compiler/stage/restore.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace pm::stage {

// ---- contexts

Context& Stager::here() {
    PM_CHECK(context_ != nullptr);
    context_->build().set_span(work_span_ ? place(work_span_) : context_->build().span());
    return *context_;
}

Value Stager::array_work(Span span, const std::function<Value()>& work) {
    const Restore span_scope(work_span_, span ? span : work_span_);
    if (context_) return work();
    poll();
    const Restore context_scope(context_, std::make_shared<Context>(Context::Kind::eager, nullptr, "eager"));
    const std::shared_ptr<Context> context = context_;
    const Value result = work();
    return finish_at_top(context, result, span);
}

namespace {

/// A known bool is a switch, not data; an integer that i32 cannot hold has no parameter to go into.
bool stays_known(const Number& n) {
    if (n.kind == Number::Kind::boolean) return true;
    return n.kind == Number::Kind::integer && n.weak() && n.i != static_cast<std::int32_t>(n.i);
}

/// Collects the staged leaves of a result as outputs of a context's block.
struct Outputs {
    ir::Values values;
    std::vector<NumericType> types;
    std::vector<std::int64_t> places; ///< per leaf

    void add(Context& context, const Value& tree) {
        for_each_leaf(tree, [&](const Value& leaf) {
            if (leaf.number()) {
                places.push_back(-1);
                return;
            }
            const ir::Value v = context.use(leaf);
            for (std::size_t i = 0; i < values.size(); ++i)
                if (values[i] == v) {
                    places.push_back(static_cast<std::int64_t>(i));
                    return;
                }
            places.push_back(static_cast<std::int64_t>(values.size()));
            values.push_back(v);
            types.push_back(numeric_type(leaf));
        });
    }
};

Value place_results(const Value& tree, const std::vector<std::int64_t>& places, const std::vector<Value>& results) {
    std::size_t next = 0;
    return map_leaves(tree, [&](const Value& leaf) {
        const std::int64_t place = places.at(next++);
        return place < 0 ? leaf : results.at(static_cast<std::size_t>(place));
    });
}

/// A weak scalar that has been computed is a number again: `let n = f(3); zeros(n)`.
Value at_top(Array a, bool weak) {
    if (!weak || a.rank() != 0) return Value(std::move(a));
    Number n;
    if (runtime::is_integer(a.dtype())) {
        n = Number::of(a.as_i64());
    } else if (runtime::is_float(a.dtype())) {
        // As an f32 is written: it reads back the same and computes on like the number a user sees.
        n = Number::of(a.dtype() == DType::f32
                           ? std::strtod(fmt::format("{}", static_cast<float>(a.as_f64())).c_str(), nullptr)
                           : a.as_f64());
    } else {
        return Value(std::move(a));
    }
    return n;
}

bool holds_function(const Value& v) {
    if (v.function() || v.module() || v.text_template()) return true;
    if (const Range* r = v.range()) // its parts are no leaves: computed ones could not leave the block
        return std::any_of(r->parts.begin(), r->parts.end(), [](const Value& part) {
            return part.array() || part.staged() || part.tuple() || part.record() || holds_function(part);
        });
    if (const Tuple* t = v.tuple())
        for (const Value& item : t->items)
            if (holds_function(item)) return true;
    if (const Record* r = v.record())
        for (const auto& [name, value] : r->fields)
            if (holds_function(value)) return true;
    return false;
}

/// A weak number among data of 64 bits goes in as one of 64 bits: it keeps what is written until it meets them.
class LeafTypes {
  public:
    explicit LeafTypes(const std::vector<Value>& leaves) {
        for (const Value& v : leaves) {
            const DType d = numeric_type(v).type.dtype;
            floats_ = floats_ || d == DType::f64 || d == DType::c128;
            integers_ = integers_ || d == DType::i64 || d == DType::u64;
        }
    }
    NumericType of(const Value& v) const {
        NumericType t = numeric_type(v);
        if (!v.number() || !t.weak) return t;
        if (floats_ && t.type.dtype == DType::f32) t.type.dtype = DType::f64;
        if (integers_ && t.type.dtype == DType::i32) t.type.dtype = DType::i64;
        return t;
    }

  private:
    bool floats_ = false;
    bool integers_ = false;
};

/// For a parameter of this dtype.
Array argument_array(const Value& v, DType dtype) {
    if (const Array* a = v.array()) return *a;
    const Number* n = v.number();
    PM_CHECK(n != nullptr);
    if (n->kind == Number::Kind::floating) return Array::scalar(dtype, n->f);
    if (dtype == DType::i32 && n->i != static_cast<std::int32_t>(n->i))
        raise(diagnose(Diag::number_too_large, {}, n->i, "i32")
                  .fix(fmt::format("write it as a 64-bit number: {}i64", n->i)));
    return Array::scalar(dtype, n->i);
}

} // namespace

Value Stager::finish_at_top(const std::shared_ptr<Context>& context, const Value& result, Span span) {
    Outputs outputs;
    outputs.add(*context, result);
    const ir::BlockPtr fresh = context->build().finish(outputs.values);
    const ir::BlockPtr block = cache_->eager_block(fresh);
    std::vector<Array> arguments;
    for (const Context::Capture& c : context->captures())
        arguments.push_back(argument_array(c.outer, numeric_type(c.outer).type.dtype));
    std::vector<Value> results;
    std::vector<Array> arrays;
    try {
        arrays = execute(block, std::move(arguments), span);
    } catch (Error& e) { // the block may come from another line that does the same
        if (const Span at = ir::place_in(*fresh, *block, e.diagnostic().span)) e.diagnostic().span = at;
        throw;
    }
    for (std::size_t i = 0; i < arrays.size(); ++i)
        results.push_back(at_top(std::move(arrays[i]), outputs.types[i].weak));
    return place_results(result, outputs.places, results);
}

std::vector<Array> Stager::execute(const ir::BlockPtr& block, std::vector<Array> arguments, Span span) {
    try {
        return in_stage("run", [&] { return host_.executor->run(block, std::move(arguments)); });
    } catch (Error& e) {
        if (!e.diagnostic().span) e.diagnostic().span = span;
        throw;
    } catch (const runtime::Failure& f) {
        raise(failure_diagnostic(f, span));
    }
}

// ---- staging a function

Stager::StagedFunction Stager::stage_function(const std::string& name, const std::vector<Value>& leaves,
                                              const std::set<std::size_t>& fixed,
                                              const std::function<Value(const std::vector<Value>&)>& body, Span span) {
    std::vector<Value> given = leaves;
    const LeafTypes types(leaves);
    std::vector<bool> known(leaves.size(), false);
    for (int round = 0;; ++round) {
        PM_CHECK(round <= static_cast<int>(leaves.size()) + 1);
        const auto context = std::make_shared<Context>(Context::Kind::function, context_, name);
        if (round == 0)
            for (std::size_t i = 0; i < given.size(); ++i) // a known bool is a switch, not data
                known[i] = fixed.count(i) != 0 || (given[i].number() && stays_known(*given[i].number()));
        std::vector<Value> inner;
        for (std::size_t i = 0; i < given.size(); ++i) {
            if (known[i]) {
                inner.push_back(given[i]);
                continue;
            }
            const NumericType t = types.of(given[i]);
            inner.push_back(context->parameter(t.type, t.weak, static_cast<std::int64_t>(i)));
        }
        try {
            StagedFunction made;
            Outputs outputs;
            {
                const Restore context_scope(context_, context);
                const Restore dirty_scope(dirty_, {});
                made.result = body(inner);
                if (holds_function(made.result)) throw HostWork{"its result holds a function", span, true};
                outputs.add(*context, made.result);
            }
            made.places = std::move(outputs.places);
            made.results = std::move(outputs.types);
            for (const Context::Capture& c : context->captures()) made.captures.push_back(c.outer);
            made.block = context->build().finish(outputs.values);
            made.known_leaves = known;
            return made;
        } catch (const NeedKnown& need) {
            if (need.owner != context.get()) throw;
            for (const std::int64_t leaf : need.leaves) {
                const auto i = static_cast<std::size_t>(leaf);
                Number n = need_number(leaves[i], span, "a number that decides how a function is compiled");
                if (numeric_type(leaves[i]).weak) n.dtype.reset();
                given[i] = n;
                known[i] = true;
            }
        }
    }
}

Value Stager::rebuild(const StagedFunction& f, const std::vector<Value>& results) {
    return place_results(f.result, f.places, results);
}

std::vector<Value> Stager::apply_block(const ir::BlockPtr& block, const std::vector<Value>& operands,
                                       const std::vector<NumericType>& results, bool as_call, Span span) {
    std::vector<Value> out;
    if (interpreting()) {
        if (block->results.empty() && !ir::has_effect(*block)) return out;
        std::vector<Array> arguments;
        for (std::size_t i = 0; i < operands.size(); ++i)
            arguments.push_back(argument_array(operands[i], block->type(block->params[i]).dtype));
        std::vector<Array> arrays = execute(block, std::move(arguments), span);
        for (std::size_t i = 0; i < arrays.size(); ++i) out.push_back(at_top(std::move(arrays[i]), results[i].weak));
        return out;
    }
    const Restore span_scope(work_span_, span);
    Context& context = here();
    ir::Values in;
    for (std::size_t i = 0; i < operands.size(); ++i)
        in.push_back(context.use(operands[i], block->type(block->params[i]).dtype));
    ir::Values made;
    if (as_call)
        made = context.build().emit(ir::Op::call, in, {{ir::Attr::text, block->name}}, {block});
    else
        made = context.build().inline_block(*block, in);
    for (std::size_t i = 0; i < made.size(); ++i) out.push_back(wrap(made[i], results[i].weak));
    return out;
}

// ---- the cache

namespace {

void append_number(std::string& key, std::size_t leaf, const Number& n) {
    key += n.kind == Number::Kind::floating ? fmt::format("#{}={:a}", leaf, n.f) : fmt::format("#{}={}", leaf, n.i);
}

/// Everything that decides what a call stages, and its leaves.
struct CallKey {
    std::string key;
    std::vector<Value> leaves;
};

CallKey key_of(const Value& function, const std::vector<Value>& arguments,
               const std::vector<std::pair<std::string, Value>>& named, const std::vector<Stager::Axis>& axes,
               int devices) {
    CallKey k;
    append_key(k.key, function, k.leaves);
    k.key += "|";
    for (const Value& a : arguments) append_key(k.key, a, k.leaves);
    for (const auto& [name, a] : named) {
        k.key += "|" + name + "=";
        append_key(k.key, a, k.leaves);
    }
    // Collectives inside refer to the axes in scope by id.
    for (const Stager::Axis& axis : axes) k.key += fmt::format("|@{}:{}:{}", axis.id, axis.name, axis.size);
    k.key += fmt::format("|{}", devices);
    for (std::size_t i = 0; i < k.leaves.size(); ++i)
        if (const Number* n = k.leaves[i].number(); n && stays_known(*n)) append_number(k.key, i, *n);
    return k;
}

} // namespace

/// Puts the leaves of a call back into function, arguments and named arguments.
struct Stager::Unpacked {
    Value function;
    std::vector<Value> arguments;
    std::vector<std::pair<std::string, Value>> named;

    Unpacked(const Value& f, const std::vector<Value>& a, const std::vector<std::pair<std::string, Value>>& n,
             const std::vector<Value>& leaves) {
        std::size_t next = 0;
        function = replace_leaves(f, leaves, next);
        for (const Value& v : a) arguments.push_back(replace_leaves(v, leaves, next));
        for (const auto& [name, v] : n) named.emplace_back(name, replace_leaves(v, leaves, next));
        PM_CHECK(next == leaves.size());
    }
};

Stager::StagedFunction Stager::stage_call(const Value& function, const std::vector<Value>& arguments,
                                          const std::vector<std::pair<std::string, Value>>& named, Span span) {
    const CallKey key = key_of(function, arguments, named, axes_, host_.devices);
    return stage_leaves(function, arguments, named, key.leaves, {}, span);
}

Stager::StagedFunction Stager::stage_leaves(const Value& function, const std::vector<Value>& arguments,
                                            const std::vector<std::pair<std::string, Value>>& named,
                                            const std::vector<Value>& leaves, const std::set<std::size_t>& known,
                                            Span span) {
    const std::string name =
        function.function() && !function.function()->name.empty() ? function.function()->name : "fn";
    return stage_function(
        name, leaves, known,
        [&](const std::vector<Value>& inner) {
            Unpacked u(function, arguments, named, inner);
            return call_inside(u.function, std::move(u.arguments), std::move(u.named), span);
        },
        span);
}

Value Stager::specialised_call(const Value& function, const std::vector<Value>& arguments,
                               const std::vector<std::pair<std::string, Value>>& named, Span span) {
    CallKey key = key_of(function, arguments, named, axes_, host_.devices);
    Cache::Knowns& knowns = cache_->knowns[key.key];
    const auto interpret = [&] {
        Value result;
        on_deep_stack([&] { result = call_unstaged(function, arguments, named, span); });
        return result;
    };
    if (knowns.interpreted) return interpret();

    std::string full = key.key;
    for (const std::int64_t leaf : knowns.leaves) {
        const auto i = static_cast<std::size_t>(leaf);
        append_number(full, i, need_number(key.leaves[i], span, "a number that decides how a function is compiled"));
    }
    if (const auto at = cache_->in_progress.find(full); at != cache_->in_progress.end())
        return recursive_call(function, arguments, named, key.leaves, at->second, span);
    if (const Specialisation* found = cache_->find(full)) {
        note_dependencies(*found);
        return apply_specialisation(*found, key.leaves, span);
    }

    cache_->recorders.emplace_back();
    std::optional<StagedFunction> staged;
    const std::string in_progress = full;
    cache_->in_progress.emplace(in_progress, conditions_.size());
    const auto leave = [&] { cache_->in_progress.erase(cache_->in_progress.find(in_progress)); };
    try {
        on_deep_stack([&] { staged = stage_specialisation(function, arguments, named, key.key, key.leaves, span); });
    } catch (const HostWork& work) {
        leave();
        cache_->recorders.pop_back();
        if (!interpreting() && !work.in_place) throw;
        cache_->knowns[key.key].interpreted = true;
        if (host_.explain && host_.message)
            host_.message(fmt::format("note: `{}` is interpreted: {}\n", describe(function), work.what));
        return interpret();
    } catch (...) {
        leave();
        cache_->recorders.pop_back();
        throw;
    }
    leave();
    Recorder recorder = std::move(cache_->recorders.back());
    cache_->recorders.pop_back();
    if (recorder.values_read)
        for (Dependency& d : recorder.dependencies) d.make_exact();

    Cache::Knowns& learned = cache_->knowns[key.key];
    for (std::size_t i = 0; i < staged->known_leaves.size(); ++i)
        if (staged->known_leaves[i]) learned.leaves.insert(static_cast<std::int64_t>(i));
    full = key.key;
    for (const std::int64_t leaf : learned.leaves) {
        const auto i = static_cast<std::size_t>(leaf);
        append_number(full, i, need_number(key.leaves[i], span, "a number that decides how a function is compiled"));
    }
    if (host_.explain && host_.message)
        host_.message(fmt::format("note: `{}` is compiled for {} argument leaves{}\n",
                                  function.function() ? function.function()->name : "fn", key.leaves.size(),
                                  learned.leaves.empty() ? "" : ", some for their values"));
    Specialisation& made =
        cache_->add(full, std::move(*staged), std::move(recorder.dependencies), trees_of(function, arguments, named));
    note_dependencies(made);
    return apply_specialisation(made, key.leaves, span);
}

Stager::StagedFunction Stager::stage_specialisation(const Value& function, const std::vector<Value>& arguments,
                                                    const std::vector<std::pair<std::string, Value>>& named,
                                                    const std::string& key, const std::vector<Value>& leaves,
                                                    Span span) {
    const std::string name =
        function.function() && !function.function()->name.empty() ? function.function()->name : "fn";
    std::vector<Value> given = leaves;
    std::set<std::size_t> known;
    for (const std::int64_t leaf : cache_->knowns[key].leaves) {
        const auto i = static_cast<std::size_t>(leaf);
        Number n = need_number(leaves[i], span, "a number that decides how a function is compiled");
        if (numeric_type(leaves[i]).weak) n.dtype.reset();
        given[i] = n;
        known.insert(i);
    }
    StagedFunction staged = stage_function(
        name, given, known,
        [&](const std::vector<Value>& inner) {
            // What has turned out to be needed counts at once: recursive calls are specialised for it, each value once.
            for (std::size_t i = 0; i < inner.size(); ++i)
                if (inner[i].number()) cache_->knowns[key].leaves.insert(static_cast<std::int64_t>(i));
            Unpacked u(function, arguments, named, inner);
            return call_inside(u.function, std::move(u.arguments), std::move(u.named), span);
        },
        span);
    staged.block = ir::without_place(staged.block, place(span)); // other calls will use it too
    return staged;
}

Value Stager::recursive_call(const Value& function, const std::vector<Value>& arguments,
                             const std::vector<std::pair<std::string, Value>>& named, const std::vector<Value>& leaves,
                             std::size_t outside, Span span) {
    // The same function for the same types is being staged: only known conditions can end this. `outside` of them stood
    // around the first call.
    bool staged_condition = false;
    for (std::size_t i = outside; i < conditions_.size(); ++i) {
        const Staged* s = conditions_[i].staged();
        if (!s) continue;
        const Context::Origin origin = s->context->origin(s->value);
        if (!origin.from_array && !origin.from_carried && (origin.owner || !origin.loops.empty()))
            need_number(conditions_[i], span, "the condition that ends a recursion");
        staged_condition = true;
    }
    // After an early return the condition is hidden in how the block goes on: then a number that is passed on can end
    // it.
    for (const bool integers : {true, false}) {
        if (!staged_condition) break;
        for (const Value& leaf : leaves) {
            const Staged* s = leaf.staged();
            if (!s || s->type.rank() != 0 || runtime::is_integer(s->type.dtype) != integers) continue;
            const Context::Origin origin = s->context->origin(s->value);
            if (!origin.from_array && !origin.from_carried && (origin.owner || !origin.loops.empty()))
                need_number(leaf, span, "the number that ends a recursion");
        }
    }
    bool ended_by_known = false;
    for (const Value& leaf : leaves) ended_by_known = ended_by_known || leaf.number();
    if (staged_condition && !ended_by_known)
        raise(diagnose(Diag::staged_recursion, span, function.function()->name)
                  .fix("use a `while` or `for` loop, or pass a known number that ends the recursion"));
    return call_unstaged(function, arguments, named, span);
}

Value Stager::apply_specialisation(const Specialisation& s, const std::vector<Value>& leaves, Span span) {
    std::vector<Value> operands;
    for (std::size_t i = 0; i < leaves.size(); ++i)
        if (!s.function.known_leaves[i]) operands.push_back(leaves[i]);
    for (std::size_t c = 0; c < s.function.captures.size(); ++c) operands.push_back(s.current_capture(c));
    return rebuild(s.function, apply_block(s.function.block, operands, s.function.results, true, span));
}

// ---- globals that a specialisation has read

const Cell* Dependency::cell() const {
    const auto at = scope->names.find(name);
    return at == scope->names.end() ? nullptr : &at->second;
}

namespace {

std::string dependency_key(const Cell* cell) {
    if (!cell) return "absent";
    std::string key;
    std::vector<Value> leaves;
    append_dependency_key(key, cell->value, leaves);
    return key;
}

std::vector<Value> leaves_of(const Value& v) {
    std::string key;
    std::vector<Value> leaves;
    append_key(key, v, leaves);
    return leaves;
}

bool same_array(const Value& a, const Value& b) {
    return a.array() && b.array() && a.array()->same_memory(*b.array()) && a.array()->shape() == b.array()->shape() &&
           a.array()->dtype() == b.array()->dtype();
}

} // namespace

bool Dependency::still_holds() const {
    const Cell* now = cell();
    if (dependency_key(now) != key) return false;
    if (!exact || !now) return true;
    const std::vector<Value> before = leaves_of(seen);
    const std::vector<Value> after = leaves_of(now->value);
    for (std::size_t i = 0; i < before.size(); ++i)
        if (before[i].array() && !same_array(before[i], after.at(i))) return false;
    return true;
}

void Dependency::make_exact() {
    exact = true;
    if (const Cell* now = cell()) seen = now->value;
}

void append_dependency_key(std::string& key, const Value& v, std::vector<Value>& leaves) {
    append_key(key, v, leaves);
    // Arrays enter as parameters, but known numbers stand in the code.
    for (std::size_t i = 0; i < leaves.size(); ++i)
        if (const Number* n = leaves[i].number()) append_number(key, i, *n);
}

Value Specialisation::current_capture(std::size_t c) const {
    const auto& [dependency, leaf] = sources[c];
    if (dependency < 0) return function.captures[c];
    return leaves_of(dependencies[static_cast<std::size_t>(dependency)].cell()->value)
        .at(static_cast<std::size_t>(leaf));
}

Specialisation* Stager::Cache::find(const std::string& key) {
    const auto at = entries.find(key);
    if (at == entries.end()) return nullptr;
    for (const Dependency& d : at->second->dependencies)
        if (!d.still_holds()) {
            entries.erase(at);
            return nullptr;
        }
    at->second->used = ++clock;
    return at->second.get();
}

Specialisation& Stager::Cache::add(const std::string& key, StagedFunction function,
                                   std::vector<Dependency> dependencies, Trees trees) {
    if (in_progress.empty() && entries.size() >= sweep_at) sweep();
    auto made = std::make_unique<Specialisation>();
    made->function = std::move(function);
    made->dependencies = std::move(dependencies);
    made->trees = std::move(trees);
    made->used = ++clock;
    for (const Dependency& d : made->dependencies)
        if (const Cell* cell = d.cell()) collect_trees(cell->value, made->trees);
    // An array that came from no global, or from several that may part, ties the code to what they are now.
    bool exact = false;
    for (const Value& capture : made->function.captures) {
        std::pair<std::int64_t, std::int64_t> source{-1, -1};
        for (std::size_t d = 0; d < made->dependencies.size(); ++d) {
            const Cell* cell = made->dependencies[d].cell();
            const std::vector<Value> leaves = cell ? leaves_of(cell->value) : std::vector<Value>{};
            for (std::size_t l = 0; l < leaves.size(); ++l) {
                if (!same_array(leaves[l], capture)) continue;
                exact = exact || source.first >= 0;
                source = {static_cast<std::int64_t>(d), static_cast<std::int64_t>(l)};
            }
        }
        exact = exact || (source.first < 0 && capture.array());
        made->sources.push_back(source);
    }
    if (exact)
        for (Dependency& d : made->dependencies) d.make_exact();
    return *(entries[key] = std::move(made));
}

ir::BlockPtr Stager::Cache::eager_block(const ir::BlockPtr& fresh) {
    const std::string text = ir::print(*fresh);
    if (eager.size() > 4096) eager.clear(); // a bound; what is still used comes back at once
    return eager.try_emplace(text, fresh).first->second;
}

void Stager::record_dependency(const std::string& name) {
    if (cache_->recorders.empty()) return;
    Dependency d;
    d.scope = frame_->globals;
    d.name = name;
    d.key = dependency_key(d.cell());
    record(std::move(d));
}

void Stager::record(Dependency dependency) {
    if (cache_->recorders.empty()) return;
    std::vector<Dependency>& list = cache_->recorders.back().dependencies;
    for (Dependency& d : list)
        if (d.scope == dependency.scope && d.name == dependency.name) {
            if (dependency.exact && !d.exact) d.make_exact();
            return;
        }
    list.push_back(std::move(dependency));
}

void Stager::note_dependencies(const Specialisation& s) {
    for (const Dependency& d : s.dependencies) record(d);
}

void Stager::note_value_read() {
    if (!cache_->recorders.empty()) cache_->recorders.back().values_read = true;
}

} // namespace pm::stage
