#include "compiler/transform/batch/batcher.hpp"
#include "compiler/transform/core/custom.hpp"

#include <algorithm>

/// Batching of functions with custom rules. The primal and the rules are batched with the same bit masks. So the result
/// is again a function with custom rules.
namespace pm::transform {

using ir::Attr;
using ir::Attrs;

/// Each element of the batch has a cotangent for an argument, even if the argument is not batched. For such an
/// argument, the block returns the sum of these cotangents. If no result is batched (`each` is false), there is only
/// one cotangent, and no sum.
BlockPtr Batcher::summed(const BatchedBlock& bwd, const BitMask& batched_args, bool each) const {
    if (all(batched_args)) return bwd.block;
    Build b(bwd.block->name);
    Values out = b.inline_block(*bwd.block, params_of(b, bwd.block->param_types()));
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (batched_args[i] || (!bwd.batched[i] && (!each || gives_zero(*bwd.block, i)))) continue;
        out[i] = b.sum(full(b, {out[i], bwd.batched[i]}), {0});
    }
    return b.finish(std::move(out));
}

/// Sets `results` to the results that are batched. A tangent or cotangent is batched if and only if the value to which
/// it belongs is batched. So if the tangent of a result is batched, the result is batched too. If there is a `bwd`
/// rule, the dependences are not known. Then all inexact results are batched if any operand or result is batched.
std::vector<BlockPtr> Batcher::custom_regions(const Inst& inst, const BitMask& batched, bool masked, BitMask& results) {
    const std::size_t closed = leading_operands(inst);
    const std::size_t total = inst.results.size();
    const BlockPtr& primal = inst.regions[0];
    const std::vector<Type> types = primal->param_types();
    const BitMask args = pick(part(batched, closed, batched.size()), differentiable(part(types, closed, types.size())));
    const BitMask inexact_results = differentiable(primal->result_types());
    results = block(primal, batched, {}, masked).batched;
    if (inst.regions.size() == 1) return {block(primal, batched, {}, masked).block};

    if (inst.regions.size() == 2) {
        const BlockPtr& rule = inst.regions[1];
        const BitMask params = concat(batched, args);
        const BitMask found = block(rule, params, {}, masked).batched;
        std::size_t next = total;
        for (std::size_t i = 0; i < total; ++i) {
            const bool tangent = inexact_results[i] && found[next++];
            results[i] = results[i] || found[i] || tangent;
        }
        return {block(primal, batched, results, masked).block,
                block(rule, params, concat(results, pick(results, inexact_results)), masked).block};
    }

    const BlockPtr& fwd = inst.regions[1];
    results = joined(std::move(results), part(block(fwd, batched, {}, masked).batched, 0, total));
    if (any(batched) || any(results)) results = joined(std::move(results), inexact_results);
    const BitMask free(fwd->results.size() - total, false);
    const BatchedBlock& forward = block(fwd, batched, concat(results, free), masked);
    const BitMask residuals = part(forward.batched, total, forward.batched.size());
    const BitMask params = concat(concat(part(batched, 0, closed), residuals), pick(results, inexact_results));
    const BatchedBlock& backward = block(inst.regions[2], params, args, masked);
    return {block(primal, batched, results, masked).block, forward.block, summed(backward, args, any(results))};
}

Items Batcher::custom(Build& b, const Inst& inst, const Items& operands, const Masking& masking) {
    const auto some = [&](const auto& test) {
        return std::any_of(inst.regions.begin(), inst.regions.end(), [&](const BlockPtr& r) { return test(*r); });
    };
    const bool masked = masking.mask && some([](const ir::Block& r) { return takes_mask(r); });
    const BitMask batched = batched_of(operands);
    if (!any(batched) && !masked && !some([&](const ir::Block& r) { return changes(r); }))
        return copy(b, inst, operands);
    BitMask results;
    std::vector<BlockPtr> regions = custom_regions(inst, batched, masked, results);
    Values values = values_of(operands);
    Attrs attrs = inst.attrs;
    if (masked) {
        // The mask becomes one more captured value of the functions, because captured values have no derivative.
        const std::size_t closed = leading_operands(inst);
        for (BlockPtr& region : regions) region = with_last_at(*region, closed);
        values.insert(values.begin() + static_cast<std::ptrdiff_t>(closed), *masking.mask);
        attrs.set(Attr::closed, static_cast<std::int64_t>(closed + 1));
    }
    return items_of(b.emit(Op::custom, std::move(values), attrs, std::move(regions)), results);
}

/// All tangents and all results are batched.
Items Batcher::custom_linear(Build& b, const Inst& inst, const Items& operands, const Masking& masking) {
    const auto some = [&](const auto& test) {
        return std::any_of(inst.regions.begin(), inst.regions.end(), [&](const BlockPtr& r) { return test(*r); });
    };
    const bool masked = masking.mask && some([](const ir::Block& r) { return takes_mask(r); });
    const BitMask batched = batched_of(operands);
    if (!any(batched) && !masked && !some([&](const ir::Block& r) { return changes(r); }))
        return copy(b, inst, operands);
    const std::size_t residuals = leading_operands(inst);
    const BitMask results(inst.results.size(), true);
    const BitMask closed = part(batched, 0, residuals);
    const BitMask tangents(operands.size() - residuals, true);
    std::vector<BlockPtr> regions{block(inst.regions[0], concat(closed, results), tangents, masked).block};
    if (const BlockPtr callee = forward_of(inst))
        regions.push_back(block(callee, concat(closed, tangents), results, masked).block);
    Values values;
    for (std::size_t i = 0; i < operands.size(); ++i)
        values.push_back(i < residuals ? operands[i].value : full(b, operands[i]));
    Attrs attrs = inst.attrs;
    if (masked) {
        for (BlockPtr& region : regions) region = with_last_at(*region, residuals);
        values.insert(values.begin() + static_cast<std::ptrdiff_t>(residuals), *masking.mask);
        attrs.set(Attr::closed, static_cast<std::int64_t>(residuals + 1));
    }
    return items_of(b.emit(Op::custom_linear, std::move(values), attrs, std::move(regions)), results);
}

} // namespace pm::transform
