// Specialisation: each function is staged once per types of its arguments.
#include "compiler/stage/call/specialise.hpp"
#include "compiler/stage/call/donation.hpp"

#include "compiler/base/check.hpp"
#include "compiler/ir/places.hpp"
#include "compiler/ir/verify.hpp"
#include "compiler/ops/core/rules.hpp"
#include "compiler/stage/call/types_only.hpp"
#include "compiler/stage/core/note.hpp"
#include "compiler/stage/core/restore.hpp"
#include "compiler/stage/core/under_way.hpp"
#include "compiler/transform/core/check_masks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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
    context->widen(interpreted_.widths());
    const Value result = work();
    return finish_at_top(context, result, span);
}

namespace {

constexpr std::string_view deciding_number = "a number that decides how a function is compiled";

/// Collects the leaves of a result as outputs of a context's block. Known leaves are left out: numbers, and at top
/// level arrays.
struct Outputs {
    ir::Values values;
    std::vector<NumericType> types;
    std::vector<std::int64_t> places; ///< per leaf

    void add(Context& context, const Value& tree) {
        for_each_leaf(tree, [&](const Value& leaf) {
            if (leaf.number() || (leaf.array() && context.kind() == Context::Kind::eager)) {
                places.push_back(-1);
                return;
            }
            const ir::Value v = context.use(leaf);
            const std::int64_t known = place_of(v);
            places.push_back(known >= 0 ? known : static_cast<std::int64_t>(values.size()));
            if (known >= 0) return;
            values.push_back(v);
            types.push_back(numeric_type(leaf));
        });
    }

  private:
    /// The index of a value among the outputs, -1 if it is none. Few outputs are searched linearly.
    std::int64_t place_of(ir::Value v) {
        constexpr std::size_t few = 16;
        if (values.size() <= few) {
            const auto at = std::find(values.begin(), values.end(), v);
            return at == values.end() ? -1 : at - values.begin();
        }
        for (std::size_t i = index_.size(); i < values.size(); ++i)
            index_.emplace(values[i].id, static_cast<std::int64_t>(i));
        const auto at = index_.find(v.id);
        return at == index_.end() ? -1 : at->second;
    }

    std::unordered_map<std::uint32_t, std::int64_t> index_;
};

Value place_results(const Value& tree, const std::vector<std::int64_t>& places, const std::vector<Value>& results) {
    std::size_t next = 0;
    return map_leaves(tree, [&](const Value& leaf) {
        const std::int64_t place = places.at(next++);
        return place < 0 ? leaf : results.at(static_cast<std::size_t>(place));
    });
}

bool holds_function(const Value& v) {
    if (v.function() || v.module() || v.text_template()) return true;
    if (const Range* r = v.range()) // its parts are no leaves, so staged ones could not leave the block
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

Widths widths_of(const std::vector<Value>& leaves) {
    Widths widths;
    for (const Value& v : leaves) {
        const DType d = numeric_type(v).type.dtype;
        const std::array wide = {DType::f64, DType::c128, DType::i64, DType::u64};
        widths.wide = widths.wide || std::find(wide.begin(), wide.end(), d) != wide.end();
    }
    return widths;
}

/// The array of a value for a parameter of this dtype.
Array argument_array(const Value& v, DType dtype, const std::shared_ptr<runtime::Allocator>& allocator) {
    if (const Array* a = v.array()) return *a;
    const Number* n = v.number();
    PM_CHECK(n != nullptr);
    if (n->kind == Number::Kind::floating || n->is_complex()) return n->array(dtype, allocator);
    if (dtype == DType::i32 && n->data() != static_cast<std::int32_t>(n->data()))
        raise(diagnose(Diag::number_too_large, {}, n->i, "i32")
                  .fix(fmt::format("write it as a 64-bit number: {}i64", n->i)));
    return n->array(dtype, allocator);
}

/// "(f32[3], i32, scale=f32)"
std::string argument_types(const std::vector<Value>& arguments,
                           const std::vector<std::pair<std::string, Value>>& named) {
    std::string list;
    for (const Value& v : arguments) list += (list.empty() ? "" : ", ") + tree_text(v);
    for (const auto& [name, v] : named) list += fmt::format("{}{}={}", list.empty() ? "" : ", ", name, tree_text(v));
    return fmt::format("({})", list);
}

} // namespace

Value Stager::finish_at_top(const std::shared_ptr<Context>& context, const Value& result, Span span) {
    Outputs outputs;
    outputs.add(*context, result);
    Value known = map_leaves(
        result, [&](const Value& leaf) { return leaf.array() ? interpreted_.result(*leaf.array(), leaf.weak) : leaf; });
    const ir::BlockPtr fresh = staged(context->build().finish(outputs.values));
    if (fresh->results.empty() && !ir::has_effect(*fresh)) return known;
    const ir::BlockPtr block = cache_->eager_block(fresh);
    std::vector<Array> arguments;
    for (const Context::Capture& c : context->captures())
        arguments.push_back(argument_array(c.outer, numeric_type(c.outer).type.dtype, host_.allocator));
    std::vector<Value> results;
    std::vector<Array> arrays;
    try {
        arrays = execute(block, std::move(arguments), span);
    } catch (Error& e) { // the block may come from another line with the same operations
        if (const Span at = ir::place_in(*fresh, *block, e.diagnostic().span)) e.diagnostic().span = at;
        throw;
    }
    for (std::size_t i = 0; i < arrays.size(); ++i)
        results.push_back(interpreted_.result(std::move(arrays[i]), outputs.types[i].weak));
    return place_results(known, outputs.places, results);
}

std::vector<Array> Stager::execute(const ir::BlockPtr& block, std::vector<Array> arguments, Span span,
                                   std::vector<ir::Donated>* donated) {
    const UnderWay under_way(*this, span);
    try {
        return in_stage("run", [&] {
            return donated ? host_.executor->run_donated(block, std::move(arguments), *donated)
                           : host_.executor->run(block, std::move(arguments));
        });
    } catch (Error& e) {
        if (!e.diagnostic().span) e.diagnostic().span = span;
        split_repair(e.diagnostic());
        throw;
    } catch (const runtime::Failure& f) {
        raise(failure_diagnostic(f, span));
    }
}

const ir::BlockPtr& Stager::verified(const ir::BlockPtr& block, std::string_view after) const {
    if (host_.verify) ir::verify(*block, ops::result_types, after);
    return block;
}

ir::BlockPtr Stager::staged(const ir::BlockPtr& block) const {
    return verified(nan_checked(transform::with_masked_checks(block)), "stage");
}

ir::BlockPtr Stager::nan_checked(const ir::BlockPtr& block, const transform::NanChecks& what) const {
    return host_.check_nans ? transform::with_nan_checks(block, what) : block;
}

// ---- staging a function

Stager::StagedFunction Stager::stage_function(const Value& function, const std::vector<Value>& leaves,
                                              const std::set<std::size_t>& fixed,
                                              const std::function<Value(const std::vector<Value>&)>& body, Span span,
                                              Reasons* learned, const LeafCheck& before_known) {
    std::vector<Value> given = leaves;
    const Widths widths = widths_of(leaves);
    const Context::Kind kind = std::exchange(kind_of_function_, Context::Kind::function);
    std::vector<bool> known(leaves.size(), false);
    for (int round = 0;; ++round) {
        PM_CHECK(round < 10'000); // each round makes another leaf known
        const auto context = std::make_shared<Context>(kind, context_, name_of(function));
        context->widen(widths);
        context->give(leaves);
        if (round == 0)
            for (std::size_t i = 0; i < given.size(); ++i) { // a known bool is a switch, not data
                const Number* n = given[i].number();
                known[i] = fixed.count(i) != 0 || (n && n->stays_known());
                if (!known[i] || !n || !n->computed) continue;
                Number number = known_to(function, *n, widths);
                number.specialised = number.computed && kind == Context::Kind::types;
                given[i] = number;
            }
        std::vector<Value> inner;
        for (std::size_t i = 0; i < given.size(); ++i) {
            if (known[i]) {
                inner.push_back(given[i]);
                continue;
            }
            const NumericType own = numeric_type(given[i]);
            const NumericType t = given[i].number() ? widths.of(own) : own;
            inner.push_back(context->parameter(t.type, t.weak, static_cast<std::int64_t>(i)));
        }
        try {
            StagedFunction made;
            Outputs outputs;
            {
                const Restore context_scope(context_, context);
                const Restore dirty_scope(dirty_, {});
                made.result = body(inner);
                if (holds_function(made.result))
                    throw HostWork{"its result holds a function or computed text", span, true};
                outputs.add(*context, made.result);
            }
            made.places = std::move(outputs.places);
            made.results = std::move(outputs.types);
            for (const Context::Capture& c : context->captures()) {
                made.captures.push_back(c.outer);
                made.globals.push_back(c.global);
            }
            made.block = staged(context->build().finish(outputs.values));
            made.known_leaves = known;
            context->give({}); // the result's structure refers to the context, and would keep the arrays alive
            return made;
        } catch (const NeedKnown& need) {
            if (need.owner != context.get()) throw;
            for (const std::int64_t leaf : need.leaves) {
                if (leaf < 0) {
                    know_global(*context->captures()[static_cast<std::size_t>(-1 - leaf)].global);
                    continue;
                }
                const auto i = static_cast<std::size_t>(leaf);
                if (before_known) before_known(i, known, need.otherwise);
                if (learned && kind == Context::Kind::types) learned->try_emplace(leaf, need.otherwise);
                Number number = needed_number(function, need.otherwise, leaves[i], widths, span);
                number.specialised = number.computed && kind == Context::Kind::types;
                given[i] = number;
                known[i] = true;
                if (learned) learned->try_emplace(leaf, need.otherwise);
            }
        }
    }
}

/// The argument for a leaf that must be known.
Number Stager::needed_number(const Value& function, const Reason& otherwise, const Value& leaf, Widths widths,
                             Span span) {
    Number n = number_or(otherwise, leaf, span);
    if (numeric_type(leaf).weak) n.dtype.reset();
    return known_to(function, n, widths);
}

/// A number as a function knows it. Functions of the library get all of its digits.
Number Stager::known_to(const Value& function, const Number& n, Widths widths) const {
    const Function* f = function.function();
    return f && of_library(*f) ? n.as_written() : n.as_computed(widths.wide);
}

/// The number of a leaf that must be known. If it cannot be known, the error is `otherwise`.
Number Stager::number_or(const Reason& otherwise, const Value& leaf, Span span) {
    try {
        return need_number(leaf, span, deciding_number);
    } catch (NeedKnown& outer) {
        if (otherwise) outer.otherwise = otherwise; // shown at the position of the need
        throw;
    } catch (const Error&) {
        if (!otherwise) throw;
        Diagnostic d = *otherwise;
        if (span && span != d.span) d.label(span, "here it comes from the elements of an array");
        raise(std::move(d));
    }
}

Value Stager::rebuild(const StagedFunction& f, const std::vector<Value>& results) const {
    return place_results(result_of(f), f.places, results);
}

Value Stager::result_of(const StagedFunction& f) const {
    return interpreting() || types_only() ? interpreted_.known_result(f.result) : f.result;
}

std::vector<Value> Stager::run_block(const ir::BlockPtr& block, const std::vector<Value>& operands,
                                     const std::vector<NumericType>& results, Span span, Donation* donation,
                                     const std::vector<std::size_t>& leaf_of) {
    std::vector<Value> out;
    if (block->results.empty() && !ir::has_effect(*block)) return out;
    std::vector<Array> arguments;
    arguments.reserve(operands.size());
    for (std::size_t i = 0; i < operands.size(); ++i) {
        arguments.push_back(argument_array(operands[i], block->type(block->params[i]).dtype, host_.allocator));
        if (donation)
            donation->operands.push_back(i < leaf_of.size() ? donation->of(leaf_of[i], arguments.back())
                                                            : ir::Donated::no);
    }
    std::vector<Array> arrays = execute(block, std::move(arguments), span, donation ? &donation->operands : nullptr);
    for (std::size_t i = 0; i < arrays.size(); ++i)
        out.push_back(interpreted_.result(std::move(arrays[i]), results[i].weak));
    return out;
}

std::vector<Value> Stager::apply_block(const ir::BlockPtr& block, const std::vector<Value>& operands,
                                       const std::vector<NumericType>& results, Span span, const std::string& policy) {
    if (interpreting()) return run_block(block, operands, results, span);
    std::vector<Value> out;
    const Restore span_scope(work_span_, span);
    Context& context = here();
    ir::Values in;
    for (std::size_t i = 0; i < operands.size(); ++i)
        in.push_back(context.use(operands[i], block->type(block->params[i]).dtype));
    ir::Attrs attrs = {{ir::Attr::text, block->name}};
    if (!policy.empty()) attrs.set(ir::Attr::policy, policy);
    const ir::Values made = context.build().emit(ir::Op::call, in, attrs, {block});
    for (std::size_t i = 0; i < made.size(); ++i) out.push_back(wrap(made[i], results[i].weak));
    return out;
}

// ---- the cache

/// Everything that decides what a call stages, and the leaves of the call.
struct Stager::CallKey {
    Digest key;
    std::vector<Value> leaves;
};

Stager::CallKey Stager::call_key(const Value& function, const std::vector<Value>& arguments,
                                 const std::vector<std::pair<std::string, Value>>& named) {
    std::vector<Value> leaves;
    Digester key;
    key.add(std::uint64_t{arguments.size()} << 32 | named.size());
    append_key(key, function, leaves);
    for (const Value& a : arguments) append_key(key, a, leaves);
    for (const auto& [name, a] : named) {
        key.add(name);
        append_key(key, a, leaves);
    }
    // Collectives inside refer to axes by id.
    for (const Axis& axis : axes_) {
        key.add(axis.id);
        key.add(axis.name);
        key.add(axis.size);
    }
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        const Number* n = leaves[i].number();
        if (n && n->kind == Number::Kind::boolean && n->computed && as_compiled() && !known_in_code(*n))
            leaves[i] = n->array(DType::b1); // compiled code passes it as data
        else if (n && n->stays_known())
            append_leaf(key, i, *n);
        // This decides for which loops the trip count must be known.
        if (bounds_ == Bounds::known && numeric_type(leaves[i]).type.rank() == 0 && !known_to_callers(leaves[i]))
            key.add(std::uint64_t{i});
    }
    key.add(std::uint64_t{axes_.size()} << 32 | static_cast<std::uint32_t>(host_.devices));
    const bool linear = linear_calls_ && derivatives_.of_tangents;
    const int rules = custom_rules_ ? derivatives_.around : 0;
    std::uint64_t ways = std::uint64_t{static_cast<std::uint32_t>(rules)} << 8 | static_cast<std::uint8_t>(bounds_);
    // A session may switch the checks of NaNs at any time.
    for (const bool way : {host_.check_nans, linear, linear && in_transpose_, rules > 0 && derivatives_.of_tangents})
        ways = ways << 1 | std::uint64_t{way};
    key.add(ways);
    return {key.end(), std::move(leaves)};
}

/// Puts the leaves of a call back into the function, the arguments and the named arguments.
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
    const CallKey key = call_key(function, arguments, named);
    return stage_leaves(function, arguments, named, key.leaves, {}, span);
}

Stager::StagedFunction Stager::stage_leaves(const Value& function, const std::vector<Value>& arguments,
                                            const std::vector<std::pair<std::string, Value>>& named,
                                            const std::vector<Value>& leaves, const std::set<std::size_t>& known,
                                            Span span, const LeafCheck& before_known) {
    return stage_function(
        function, leaves, known,
        [&](const std::vector<Value>& inner) {
            Unpacked u(function, arguments, named, inner);
            return call_inside(u.function, std::move(u.arguments), std::move(u.named), span);
        },
        span, nullptr, before_known);
}

namespace {

/// Sends a note to the host if --explain is set.
template <class Text>
void explain(const Host& host, const SourceMap& sources, Span at, const Text& text) {
    if (host.explain && host.message) give_note(host, sources, at, text());
}

bool all_numbers(const std::vector<Value>& leaves) {
    return std::all_of(leaves.begin(), leaves.end(),
                       [](const Value& v) { return v.number() && !v.number()->computed; });
}

} // namespace

namespace {

/// Refuses a function that calls itself: it has no types before it has run.
void refuse_recursion(const Frame* callers, const Value& function, Span span) {
    const Function& f = *function.function();
    if (!f.module) return;
    for (const Frame* frame = callers; frame; frame = frame->caller)
        if (frame->function == &(*f.module)[f.id]) throw HostWork{"it calls itself", span};
}

} // namespace

/// The key of a call with the numbers that must be known.
Digest Stager::key_with_numbers(const CallKey& key, Span span) {
    const Reasons& known = cache_->knowns[key.key].leaves;
    if (known.empty()) return key.key;
    Digester full;
    full.add(key.key);
    for (const auto& [leaf, reason] : known) {
        const auto i = static_cast<std::size_t>(leaf);
        append_leaf(full, i, number_or(reason, key.leaves[i], span));
    }
    return full.end();
}

/// Replaces the leaves that must be known by their numbers. Returns their indices.
std::set<std::size_t> Stager::know_leaves(const Value& function, const Reasons& learned, std::vector<Value>& leaves,
                                          Span span) {
    const Widths widths = widths_of(leaves);
    std::set<std::size_t> known;
    for (const auto& [leaf, reason] : learned) {
        const auto i = static_cast<std::size_t>(leaf);
        leaves[i] = needed_number(function, reason, leaves[i], widths, span);
        known.insert(i);
    }
    return known;
}

Value Stager::specialised_call(const Value& function, const std::vector<Value>& arguments,
                               const std::vector<std::pair<std::string, Value>>& named, Span span) {
    Donation* const donation = interpreting() ? std::exchange(donation_, nullptr) : nullptr;
    const CallKey key = call_key(function, arguments, named);
    if (const auto known = known_call(function, arguments, named, key.key, key.leaves, span)) return *known;
    const auto interpret = [&] { return interpreted_call(function, arguments, named, key, span); };
    if (cache_->knowns[key.key].stays_interpreted()) return interpret();
    const Digest full = key_with_numbers(key, span);
    if (const auto at = cache_->in_progress.find(full); at != cache_->in_progress.end())
        return recursive_call(function, arguments, named, key.leaves, at->second, span);
    if (const Specialisation* found = cache_->find(full)) {
        note_dependencies(*found);
        return apply_specialisation(*found, key.leaves, span, donation);
    }
    std::optional<Recorded> recorded;
    try {
        recorded = stage_recorded(function, arguments, named, key.key, full, key.leaves, false, span);
    } catch (const HostWork& work) {
        if (!interpreting() && !types_only() && !work.in_place) throw;
        cache_->knowns[key.key].interpreted = cache_->read_before_host_work;
        cache_->knowns[key.key].in_place = work.in_place;
        explain(host_, sources_, place(work.span ? work.span : span),
                [&] { return fmt::format("{} is interpreted: {}", describe(function), work.what); });
        return interpret();
    } catch (const Error& e) {
        if (!end_failed_recursion(function, key.key, key.leaves, e.diagnostic(), span)) throw;
    }
    if (!recorded) return specialised_call(function, arguments, named, span); // with more numbers known
    Cache::Knowns& learned = cache_->knowns[key.key];
    const StagedFunction& staged = recorded->function;
    for (std::size_t i = 0; i < staged.known_leaves.size(); ++i)
        if (staged.known_leaves[i]) learned.leaves.try_emplace(static_cast<std::int64_t>(i));
    // Calls within the library are not reported.
    if (!in_library(span))
        explain(host_, sources_, place(span), [&] {
            return fmt::format("{} is compiled for {}{}", describe(function), argument_types(arguments, named),
                               learned.leaves.empty() ? "" : ", with numbers that decide how it is compiled");
        });
    const Specialisation& made =
        cache_->add(key_with_numbers(key, span), key.key, std::move(*recorded), trees_of(function, arguments, named));
    note_dependencies(made);
    return apply_specialisation(made, key.leaves, span, donation);
}

/// Calls a function that does host work, or whose result holds functions or text. Its arithmetic on the arguments is
/// that of compiled code. The second kind also occurs in compiled code; only written numbers are then passed unchanged,
/// as in any call.
Value Stager::interpreted_call(const Value& function, const std::vector<Value>& arguments,
                               const std::vector<std::pair<std::string, Value>>& named, const CallKey& key, Span span) {
    Value result;
    const bool in_place = cache_->knowns[key.key].in_place;
    const Function& f = *function.function();
    if (in_place && (of_library(f) || (as_compiled() && all_numbers(key.leaves)))) {
        on_deep_stack([&] { result = call_unstaged(function, arguments, named, span); });
        return result;
    }
    if (types_only() && !in_place) {
        refuse_recursion(frame_, function, span);
        if (auto types = returned_types(function, arguments, named, key, span)) return *std::move(types);
        throw HostWork{"what it gives cannot be told", span};
    }
    const bool from_top = !as_compiled();
    const Widths widths = widths_of(key.leaves);
    const Restore scope(interpreted_, compiling() ? interpreted_ : interpreted_.within(widths));
    std::vector<Value> given;
    if (compiling()) {
        for (const Value& leaf : key.leaves)
            given.push_back(leaf.number() ? leaf.number()->as_computed(widths.wide) : leaf);
    } else if (in_place && !from_top) { // compiled code has it as a part of the caller, with the same known numbers
        for (const Value& leaf : key.leaves)
            given.push_back(leaf.number() && leaf.number()->computed ? leaf : interpreted_.argument(leaf));
    } else {
        given = interpreted_leaves(function, arguments, named, key, span);
    }
    Unpacked u(function, arguments, named, given);
    on_deep_stack([&] { result = call_unstaged(u.function, u.arguments, u.named, span); });
    if (!compiling() && interpreted_.returns_computed) {
        const auto types = returned_types(function, arguments, named, key, span);
        result = types ? joined(*this, result, *types, *types) : interpreted_.computed(result);
    }
    return from_top ? at_top(result) : result;
}

/// The leaves of a call as the interpreted function has them: it knows those that compiled code would know.
std::vector<Value> Stager::interpreted_leaves(const Value& function, const std::vector<Value>& arguments,
                                              const std::vector<std::pair<std::string, Value>>& named,
                                              const CallKey& key, Span span) {
    Cache::Knowns& knowns = cache_->knowns[key.key]; // the reference stays valid
    if (!knowns.staged_for_types || !still_hold(knowns.staged_for_types->dependencies))
        stage_for_types(function, arguments, named, key, span);
    interpreted_.known_globals = knowns.globals;
    interpreted_.unrolled = knowns.staged_for_types->unrolled;
    std::vector<Value> given = key.leaves;
    const std::set<std::size_t> known = know_leaves(function, knowns.leaves, given, span);
    for (std::size_t i = 0; i < given.size(); ++i) {
        const Number* n = given[i].number();
        if (known.count(i) == 0 || !n) {
            given[i] = interpreted_.argument(given[i]);
            continue;
        }
        Number made = *n;
        made.specialised = made.computed;
        given[i] = made;
    }
    return given;
}

/// The types of a call's result, valid for every `return`. Empty if they cannot be determined.
std::optional<Value> Stager::returned_types(const Value& function, const std::vector<Value>& arguments,
                                            const std::vector<std::pair<std::string, Value>>& named, const CallKey& key,
                                            Span span) {
    const Cache::Knowns& knowns = cache_->knowns[key.key];
    const auto at = knowns.returned.find(key_with_numbers(key, span));
    if (at == knowns.returned.end() || !still_hold(at->second.dependencies))
        return stage_for_types(function, arguments, named, key, span);
    for (const Dependency& d : at->second.dependencies) record(d);
    return at->second.types;
}

/// Stages a function that is interpreted as a whole for its types, which it returns, and for the numbers that compiled
/// code would know.
std::optional<Value> Stager::stage_for_types(const Value& function, const std::vector<Value>& arguments,
                                             const std::vector<std::pair<std::string, Value>>& named,
                                             const CallKey& key, Span span) {
    Cache::Knowns& knowns = cache_->knowns[key.key]; // the reference stays valid
    const auto work = [&] {
        std::vector<Value> given = key.leaves;
        const std::set<std::size_t> known = know_leaves(function, knowns.leaves, given, span);
        kind_of_function_ = Context::Kind::types;
        const auto body = [&](const std::vector<Value>& inner) {
            cache_->recorders.back().begin(context_);
            Unpacked u(function, arguments, named, inner);
            return call_inside(u.function, std::move(u.arguments), std::move(u.named), span);
        };
        const StagedFunction made = stage_function(function, given, known, body, span, &knowns.leaves);
        std::vector<Value> results;
        for (const NumericType& t : made.results)
            results.emplace_back(Array::abstract(t.type.dtype, t.type.shape), t.weak);
        return rebuild(made, results);
    };
    cache_->recorders.emplace_back().known = knowns.globals;
    std::optional<TypesOnly::Types> types;
    try {
        on_deep_stack([&] { types = TypesOnly(*this, {}, {}).of(work); });
    } catch (...) {
        cache_->end_recorder();
        throw;
    }
    Recorder recorder = cache_->end_recorder();
    recorder.settle();
    for (const Dependency& d : recorder.dependencies) record(d);
    knowns.globals = std::move(recorder.known);
    knowns.staged_for_types = {std::move(recorder.unrolled), recorder.dependencies};
    std::optional<Value> result = types ? std::optional(std::move(types->value)) : std::nullopt;
    if (knowns.returned.size() >= Cache::Knowns::most_returned) knowns.returned.clear();
    knowns.returned[key_with_numbers(key, span)] = {result, std::move(recorder.dependencies)};
    return result;
}

/// A call in compiled code whose arguments are known numbers. If its result consists of numbers, it is known too. Empty
/// if not.
std::optional<Value> Stager::known_call(const Value& function, const std::vector<Value>& arguments,
                                        const std::vector<std::pair<std::string, Value>>& named, const Digest& key,
                                        const std::vector<Value>& leaves, Span span) {
    if ((interpreting() && !interpreted_.as_compiled()) || leaves.empty() || !all_numbers(leaves)) return {};
    Cache::Knowns& knowns = cache_->knowns[key]; // the reference stays valid
    if (knowns.stays_interpreted() || knowns.makes_arrays) return {};
    Digester all;
    all.add("all known");
    all.add(key);
    for (const Value& leaf : leaves) append_number(all, *leaf.number());
    const Digest full = all.end();
    if (cache_->in_progress.count(full) != 0 || knowns.failed.count(full) != 0) return {};
    const Specialisation* made = cache_->find(full);
    if (!made) {
        std::optional<Recorded> recorded;
        try {
            recorded = stage_recorded(function, arguments, named, key, full, leaves, true, span);
        } catch (const HostWork&) {
        } catch (const Error& e) { // an error that staged numbers cause too is raised again later
            if (ends_run(e.diagnostic()) || e.diagnostic().id == Diag::recursion_too_deep) throw;
            knowns.failed.insert(full);
            return {};
        }
        const auto known = [](std::int64_t place) { return place < 0; };
        if (!recorded || recorded->function.places.empty() ||
            !std::all_of(recorded->function.places.begin(), recorded->function.places.end(), known)) {
            knowns.makes_arrays = true;
            return {};
        }
        made = &cache_->add(full, key, std::move(*recorded), trees_of(function, arguments, named));
    }
    note_dependencies(*made);
    return apply_specialisation(*made, leaves, span);
}

Stager::Recorded Stager::stage_recorded(const Value& function, const std::vector<Value>& arguments,
                                        const std::vector<std::pair<std::string, Value>>& named, const Digest& key,
                                        const Digest& full, const std::vector<Value>& leaves, bool all_known,
                                        Span span) {
    cache_->recorders.emplace_back();
    cache_->recorders.back().known = cache_->knowns[key].globals;
    cache_->in_progress.emplace(full, conditions_.size());
    const auto leave = [&] {
        cache_->in_progress.erase(full);
        return cache_->end_recorder();
    };
    std::optional<StagedFunction> staged;
    try {
        on_deep_stack([&] { staged = stage_specialisation(function, arguments, named, key, leaves, all_known, span); });
    } catch (const HostWork&) {
        Recorder ended = leave();
        cache_->knowns[key].globals = std::move(ended.known);
        cache_->read_before_host_work = std::move(ended.dependencies);
        for (const Dependency& d : cache_->read_before_host_work) record(d); // the callers depend on them too
        throw;
    } catch (...) {
        leave();
        throw;
    }
    Recorder recorder = leave();
    recorder.settle();
    cache_->knowns[key].globals = recorder.known;
    return {std::move(*staged), std::move(recorder.dependencies)};
}

Stager::StagedFunction Stager::stage_specialisation(const Value& function, const std::vector<Value>& arguments,
                                                    const std::vector<std::pair<std::string, Value>>& named,
                                                    const Digest& key, const std::vector<Value>& leaves, bool all_known,
                                                    Span span) {
    std::vector<Value> given = leaves;
    std::set<std::size_t> known;
    for (std::size_t i = 0; all_known && i < leaves.size(); ++i) known.insert(i);
    Reasons& learned = cache_->knowns[key].leaves;
    if (!all_known) known = know_leaves(function, learned, given, span);
    StagedFunction staged = stage_function(
        function, given, known,
        [&](const std::vector<Value>& inner) {
            cache_->recorders.back().begin(context_);
            // A need takes effect at once: recursive calls are specialised for the number, once per value.
            for (std::size_t i = 0; i < inner.size(); ++i)
                if (!all_known && inner[i].number())
                    cache_->knowns[key].leaves.try_emplace(static_cast<std::int64_t>(i));
            Unpacked u(function, arguments, named, inner);
            return call_inside(u.function, std::move(u.arguments), std::move(u.named), span);
        },
        span, all_known ? nullptr : &learned);
    staged.block = ir::without_place(staged.block, place(span)); // other calls will use the block too
    return staged;
}

Value Stager::apply_specialisation(const Specialisation& s, const std::vector<Value>& leaves, Span span,
                                   Donation* donation) {
    std::vector<Value> operands;
    operands.reserve(leaves.size());
    std::vector<std::size_t> leaf_of;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        if (s.function.known_leaves[i]) continue;
        operands.push_back(leaves[i]);
        if (donation) leaf_of.push_back(i);
    }
    std::vector<Value> captures = s.current_captures();
    for (std::size_t c = 0; c < captures.size(); ++c) {
        if (s.function.globals[c]) captures[c] = global_number(*s.function.globals[c], captures[c]);
        operands.push_back(std::move(captures[c]));
    }
    if (!donation) return rebuild(s.function, apply_block(s.function.block, operands, s.function.results, span));
    return rebuild(s.function, run_block(s.function.block, operands, s.function.results, span, donation, leaf_of));
}

} // namespace pm::stage
