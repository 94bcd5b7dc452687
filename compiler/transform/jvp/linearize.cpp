#include "compiler/transform/core/transform.hpp"
#include "compiler/transform/partial_eval/split.hpp"
#include "compiler/transform/transpose/transposer.hpp"

/// Linearization has two steps: forward mode, and a split of its result by dependence on tangents. Reverse mode
/// transposes only the part that depends on tangents.
namespace pm::transform {

Linearized linearize(const BlockPtr& block, const std::vector<bool>& active, WhileLoops loops) {
    const Jvp forward = jvp(block, active);
    const std::size_t tangents = count(active);
    const BitMask unknown = concat(BitMask(active.size(), false), BitMask(tangents, true));
    const BitMask force = concat(BitMask(block->results.size(), false), BitMask(count(forward.active_results), true));
    PartialEvaluator splitter(loops);
    const Split& split = splitter.split(forward.block, unknown, force);
    return {split.known, split.linear, split.residuals, forward.active_results};
}

BlockPtr transpose(const BlockPtr& block, std::size_t linear) {
    PM_CHECK(linear <= block->params.size());
    const std::size_t others = block->params.size() - linear;
    // The known part computes the values that do not depend on the linear parameters. The linear part contains the
    // other instructions.
    PartialEvaluator splitter(WhileLoops::recorded);
    const Split& split = splitter.split(block, concat(BitMask(others, false), BitMask(linear, true)),
                                        BitMask(block->results.size(), true));
    const BitMask params = concat(BitMask(split.residuals, false), BitMask(linear, true));
    Transposer transposer;
    const Transposed& backward = transposer.block(
        split.linear, {params, BitMask(block->results.size(), true), BitMask(linear, false), BitMask(linear, true)});
    Build b(derived_name(*block, "transpose"));
    Values in;
    for (const Value p : part(block->params, 0, others)) in.push_back(b.param(block->type(p)));
    Values cotangents;
    for (const Value r : block->results) cotangents.push_back(b.param(block->type(r)));
    const Values residuals = b.inline_block(*split.known, in);
    return b.finish(b.inline_block(*backward.block, concat(residuals, cotangents)));
}

Vjp vjp(const BlockPtr& block, const std::vector<bool>& active, WhileLoops loops) {
    const Linearized forward = linearize(block, active, loops);
    const std::size_t tangents = count(active);
    const std::size_t cotangents = count(forward.active_results);
    Transposer transposer;
    const Transposed& backward = transposer.block(
        forward.linear, {concat(BitMask(forward.residuals, false), BitMask(tangents, true)), BitMask(cotangents, true),
                         BitMask(tangents, false), BitMask(tangents, true)});
    Build b(derived_name(*block, "vjp"));
    Values in;
    for (const Value p : block->params) in.push_back(b.param(block->type(p)));
    Values out;
    for (const Value r : pick(block->results, forward.active_results)) out.push_back(b.param(block->type(r)));
    const Values primal = b.inline_block(*forward.primal, in);
    const std::size_t results = block->results.size();
    const Values back = b.inline_block(*backward.block, concat(part(primal, results, primal.size()), out));
    return {b.finish(concat(part(primal, 0, results), back)), forward.active_results, forward};
}

} // namespace pm::transform
