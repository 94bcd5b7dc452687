#include "compiler/stage/call/staging.hpp"

#include "compiler/stage/call/cache.hpp"
#include "compiler/stage/call/donation.hpp"
#include "compiler/stage/core/failures.hpp"

#include "compiler/base/check.hpp"
#include "compiler/base/stop.hpp"
#include "compiler/ir/places.hpp"
#include "compiler/ir/verify.hpp"
#include "compiler/ops/core/rules.hpp"
#include "compiler/stage/call/types_only.hpp"
#include "compiler/stage/core/note.hpp"
#include "compiler/stage/core/restore.hpp"
#include "compiler/stage/core/under_way.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/values/promotion.hpp"
#include "compiler/stage/values/tree.hpp"
#include "compiler/transform/core/check_masks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage {

// ---- contexts

Context& Stager::here() {
    PM_CHECK(context_ != nullptr);
    context_->build().set_span(work_span_ ? places_.of(work_span_) : context_->build().span());
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
    return Staging(*this).finish_at_top(context, result, span);
}

namespace {

constexpr std::string_view deciding_number = "a number that decides how a function is compiled";

/// Collects the staged leaves of a result as outputs of a context's block. Known leaves are left out. Numbers are known
/// leaves, and at top level arrays are known leaves too.
struct Outputs {
    ir::Values values;
    std::vector<NumericType> types;
    std::vector<std::int64_t> places; ///< per leaf: index of its output in `values`; -1 for a known leaf

    void add(Context& context, const Value& tree) {
        for_each_leaf(tree, [&](const Value& leaf) {
            if (leaf.number() || (leaf.array() && context.kind() == Context::Kind::eager)) {
                places.push_back(-1);
                return;
            }
            const ir::Value v = context.use(leaf);
            const NumericType type = numeric_type(leaf);
            const std::int64_t known = place_of(v, type.weak);
            places.push_back(known >= 0 ? known : static_cast<std::int64_t>(values.size()));
            if (known >= 0) return;
            values.push_back(v);
            types.push_back(type);
        });
    }

  private:
    /// The index of the output with the value `v` and the weakness `weak`. -1 if no such output exists. If there are
    /// few outputs, the search is linear.
    std::int64_t place_of(ir::Value v, bool weak) {
        constexpr std::size_t few = 16;
        if (values.size() <= few) {
            for (std::size_t i = 0; i < values.size(); ++i)
                if (values[i] == v && types[i].weak == weak) return static_cast<std::int64_t>(i);
            return -1;
        }
        const auto key = [](ir::Value of, bool is_weak) { return std::uint64_t{of.id} << 1 | std::uint64_t{is_weak}; };
        for (std::size_t i = index_.size(); i < values.size(); ++i)
            index_.emplace(key(values[i], types[i].weak), static_cast<std::int64_t>(i));
        const auto at = index_.find(key(v, weak));
        return at == index_.end() ? -1 : at->second;
    }

    std::unordered_map<std::uint64_t, std::int64_t> index_;
};

Value place_results(const Value& tree, const std::vector<std::int64_t>& places, const std::vector<Value>& results) {
    std::size_t next = 0;
    return map_leaves(tree, [&](const Value& leaf) {
        const std::int64_t place = places.at(next++);
        return place < 0 ? leaf : results.at(static_cast<std::size_t>(place));
    });
}

} // namespace

bool holds_function(const Value& v) {
    poll_stop();
    if (v.function() || v.module() || v.text_template()) return true;
    if (const Range* r =
            v.range()) // the parts of a range are no leaves, so staged parts could not be results of the block
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

namespace {

/// Converts a value to an array of this dtype, as argument for a parameter of a block.
Array argument_array(const Value& v, DType dtype, const std::shared_ptr<runtime::Allocator>& allocator) {
    if (const Array* a = v.array()) return a->convert(dtype);
    const Number* n = v.number();
    PM_CHECK(n != nullptr);
    if (n->kind == Number::Kind::floating || n->is_complex()) return n->array(dtype, allocator);
    if (dtype == DType::i32 && n->data() != static_cast<std::int32_t>(n->data()))
        raise(diagnose(Diag::number_too_large, {}, n->i, "i32")
                  .fix(fmt::format("write it as a 64-bit number: {}i64", n->i)));
    return n->array(dtype, allocator);
}

} // namespace

Widths widths_of(const std::vector<Value>& leaves) {
    Widths widths;
    for (const Value& v : leaves) widths.wide = widths.wide || is_wide(numeric_type(v).type.dtype);
    return widths;
}

Value Staging::finish_at_top(const std::shared_ptr<Context>& context, const Value& result, Span span) {
    Outputs outputs;
    outputs.add(*context, result);
    Value known = map_leaves(result, [&](const Value& leaf) {
        return leaf.array() ? s_.interpreted_.result(*leaf.array(), leaf.weak) : leaf;
    });
    const ir::BlockPtr fresh = prepared(s_, context->build().finish(outputs.values));
    if (fresh->results.empty() && !ir::has_effect(*fresh)) return known;
    const ir::BlockPtr block = s_.specialiser_->eager_block(fresh);
    std::vector<Array> arguments;
    for (const Context::Capture& c : context->captures())
        arguments.push_back(argument_array(c.outer, numeric_type(c.outer).type.dtype, s_.host_.allocator));
    std::vector<Value> results;
    std::vector<Array> arrays;
    try {
        arrays = s_.execute(block, std::move(arguments), span);
    } catch (Error& e) { // `block` may have been staged for another source line with the same operations; the positions
                         // are replaced by positions of `fresh`
        const auto place = [&](Span& span) {
            if (const Span at = ir::place_in(*fresh, *block, span)) span = at;
        };
        place(e.diagnostic().span);
        for (Span& call : e.diagnostic().calls) place(call);
        for (Iteration& iteration : e.diagnostic().iterations) place(iteration.loop);
        note_iterations(e.diagnostic(), s_.sources());
        throw;
    }
    for (std::size_t i = 0; i < arrays.size(); ++i)
        results.push_back(s_.interpreted_.result(std::move(arrays[i]), outputs.types[i].weak));
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
        throw;
    } catch (const runtime::Failure& f) {
        raise(failure_diagnostic(f, span));
    }
}

const ir::BlockPtr& verified(const Stager& s, const ir::BlockPtr& block, std::string_view after) {
    if (s.host().verify) ir::verify(*block, ops::result_types, after);
    return block;
}

ir::BlockPtr prepared(const Stager& s, const ir::BlockPtr& block) {
    ir::BlockPtr made = nan_checked(s, transform::with_masked_checks(block));
    if (s.host().check_overflow) made = transform::with_overflow_checks(made);
    return verified(s, made, "stage");
}

ir::BlockPtr nan_checked(const Stager& s, const ir::BlockPtr& block, const transform::NanChecks& what) {
    return s.host().check_nans ? transform::with_nan_checks(block, what) : block;
}

// ---- staging a function

namespace {

/// The needs that `need` adds to the function that is staged in `context`.
Needs needs_of(const Context& context, const NeedKnown& need) {
    Needs needs{{}, {}, need.demands};
    for (const std::int64_t leaf : need.leaves) {
        if (leaf < 0)
            needs.globals.push_back(*context.captures()[static_cast<std::size_t>(-1 - leaf)].global);
        else
            needs.leaves.emplace(leaf, need.otherwise);
    }
    return needs;
}

} // namespace

StagedFunction Staging::function(const Value& function, const std::vector<Value>& leaves,
                                 const std::set<std::size_t>& fixed,
                                 const std::function<Value(const std::vector<Value>&)>& body, Span span,
                                 const NeedHandlers& handlers) {
    std::vector<Value> given = leaves;
    const Widths widths = widths_of(leaves);
    const Context::Kind kind = std::exchange(s_.kind_of_function_, Context::Kind::function);
    std::vector<bool> known(leaves.size(), false);
    for (std::size_t i = 0; i < given.size(); ++i) { // bools are options and not data, so known bools stay known
        const Number* n = given[i].number();
        const bool is_fixed = fixed.contains(i);
        known[i] = is_fixed || (n && n->stays_known());
        if (known[i] && n && (n->computed || !is_fixed))
            given[i] = known_to(function, *n, widths).specialised_if(kind == Context::Kind::types);
    }
    const Restore demands_scope(s_.specialiser_->demands());
    Results results;
    for (int round = 0;; ++round) {
        PM_CHECK(round < 10'000); // each round has more needs
        const auto context = std::make_shared<Context>(kind, s_.context_, name_of(function));
        context->widen(widths);
        context->give(leaves);
        context->know_results(&results);
        try {
            StagedFunction made = one_round(context, given, known, body, span);
            context->give({}); // the result refers to the context, and the context must not keep the arrays alive
            context->know_results(nullptr);
            return made;
        } catch (const NeedResult& need) {
            if (need.owner != context.get()) throw;
            results.emplace(need.key, need.types);
        } catch (const NeedKnown& need) {
            if (need.owner != context.get()) throw;
            const Needs more = needs_of(*context, need);
            for (const auto& [leaf, reason] : more.leaves) {
                const auto i = static_cast<std::size_t>(leaf);
                if (handlers.before_known) handlers.before_known(i, known, reason);
                known[i] = true;
            }
            // This call precedes needed_number, because needed_number throws if a caller must know the number first.
            if (handlers.on_needs) handlers.on_needs(more);
            for (const auto& [leaf, reason] : more.leaves) {
                const auto i = static_cast<std::size_t>(leaf);
                given[i] = needed_number(function, reason, leaves[i], widths, span)
                               .specialised_if(kind == Context::Kind::types);
            }
            add_demands(s_.specialiser_->demands(), more.demands);
        }
    }
}

StagedFunction Staging::one_round(const std::shared_ptr<Context>& context, const std::vector<Value>& given,
                                  const std::vector<bool>& known,
                                  const std::function<Value(const std::vector<Value>&)>& body, Span span) {
    std::vector<Value> inner;
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (known[i]) {
            inner.push_back(given[i]);
            continue;
        }
        const NumericType t = context->widths().of_argument(numeric_type(given[i]));
        inner.push_back(context->parameter(t.type, t.weak, static_cast<std::int64_t>(i)));
    }
    StagedFunction made;
    Outputs outputs;
    {
        const Restore context_scope(s_.context_, context);
        const Restore dirty_scope(s_.scopes().dirty, {});
        raise_first(*context, [&] { made.result = body(inner); });
        made.failure = context->failure();
        if (holds_function(made.result)) throw HostWork{"its result holds a function or computed text", span, true};
        outputs.add(*context, made.result);
    }
    made.places = std::move(outputs.places);
    made.results = std::move(outputs.types);
    for (const Context::Capture& c : context->captures()) {
        made.captures.push_back(c.outer);
        made.globals.push_back(c.global);
    }
    made.block = prepared(s_, context->build().finish(outputs.values));
    made.known_leaves = known;
    return made;
}

Number Staging::needed_number(const Value& function, const Reason& otherwise, const Value& leaf, Widths widths,
                              Span span) {
    Number n = number_or(otherwise, leaf, span);
    if (numeric_type(leaf).weak) n.dtype.reset();
    return known_to(function, n, widths);
}

Number Staging::known_to(const Value& function, const Number& n, Widths widths) const {
    const Function* f = function.function();
    return f && s_.places_.of_library(*f) ? n.as_written() : n.as_computed(widths.wide);
}

Number Staging::number_or(const Reason& otherwise, const Value& leaf, Span span) {
    try {
        return need_number(s_, leaf, span, deciding_number);
    } catch (NeedKnown& outer) {
        if (otherwise) outer.otherwise = otherwise; // `otherwise` has the position where the number is needed
        throw;
    } catch (const Error&) {
        if (!otherwise) throw;
        if (otherwise->compiled_only) s_.host_work(chooses_text, otherwise->span, otherwise);
        Diagnostic d = *otherwise;
        if (span && span != d.span) d.label(span, "here it comes from the elements of an array");
        raise(std::move(d));
    }
}

StagedFunction Staging::call(const Call& call) { return leaves(call, s_.specialiser_->keyed(call).leaves, {}); }

StagedFunction Staging::leaves(const Call& call, const std::vector<Value>& leaves, const std::set<std::size_t>& known,
                               const LeafCheck& before_known) {
    const auto body = [&](const std::vector<Value>& inner) { return s_.calls().inside(with_leaves(call, inner)); };
    return function(call.function, leaves, known, body, call.span, {.before_known = before_known});
}

Call with_leaves(const Call& call, const std::vector<Value>& leaves) {
    Call made = call;
    std::size_t next = 0;
    made.function = replace_leaves(call.function, leaves, next);
    for (Value& v : made.arguments) v = replace_leaves(v, leaves, next);
    for (auto& [name, v] : made.named) v = replace_leaves(v, leaves, next);
    PM_CHECK(next == leaves.size());
    return made;
}

namespace {

bool does_nothing(const ir::Block& block) { return block.results.empty() && !ir::has_effect(block); }

} // namespace

Value Staging::rebuild(const StagedFunction& f, const std::vector<Value>& results) const {
    return place_results(result_of(f), f.places, results);
}

Value Staging::result_of(const StagedFunction& f) const {
    return s_.interpreting() || s_.types_only() ? s_.interpreted_.known_result(f.result) : f.result;
}

std::vector<Value> Staging::run(const ir::BlockPtr& block, const std::vector<Value>& operands,
                                const std::vector<NumericType>& results, Span span, Donation* donation,
                                const std::vector<std::size_t>& leaf_of) {
    std::vector<Value> out;
    if (does_nothing(*block)) return out;
    std::vector<Array> arguments;
    arguments.reserve(operands.size());
    for (std::size_t i = 0; i < operands.size(); ++i) {
        arguments.push_back(argument_array(operands[i], block->type(block->params[i]).dtype, s_.host_.allocator));
        if (donation)
            donation->operands.push_back(i < leaf_of.size() ? donation->of(leaf_of[i], arguments.back())
                                                            : ir::Donated::no);
    }
    std::vector<Array> arrays;
    try {
        arrays = s_.execute(block, std::move(arguments), span, donation ? &donation->operands : nullptr);
    } catch (Error& e) {
        note_iterations(e.diagnostic(), s_.sources());
        throw;
    }
    for (std::size_t i = 0; i < arrays.size(); ++i)
        out.push_back(s_.interpreted_.result(std::move(arrays[i]), results[i].weak));
    return out;
}

std::vector<Value> Staging::apply(const ir::BlockPtr& block, const std::vector<Value>& operands,
                                  const std::vector<NumericType>& results, Span span, const std::string& policy) {
    if (s_.interpreting()) return run(block, operands, results, span);
    std::vector<Value> out;
    if (does_nothing(*block)) return out;
    const Restore span_scope(s_.work_span_, span);
    Context& context = s_.here();
    ir::Values in;
    for (std::size_t i = 0; i < operands.size(); ++i)
        in.push_back(context.use(operands[i], block->type(block->params[i]).dtype));
    ir::Attrs attrs = {{ir::Attr::text, block->name}};
    if (!policy.empty()) attrs.set(ir::Attr::policy, policy);
    const ir::Values made = context.build().emit(ir::Op::call, in, attrs, {block});
    for (std::size_t i = 0; i < made.size(); ++i) out.push_back(s_.wrap(made[i], results[i].weak));
    return out;
}

} // namespace pm::stage
