#include "compiler/plan/prepare/prepare.hpp"

#include "compiler/ops/core/axes.hpp"
#include "compiler/ops/core/rules.hpp"
#include "compiler/ops/linear/convolution.hpp"
#include "compiler/optimize/pass.hpp"
#include "compiler/optimize/rewrite.hpp"
#include "compiler/plan/prepare/spmd.hpp"

#include <algorithm>

namespace pm::plan {
namespace {

using ir::Attr;
using ir::BlockPtr;
using ir::Inst;
using ir::Op;
using ir::Value;
using ir::Values;
using ops::Build;
using optimize::Rebuild;

bool is_expanded(const Inst& inst) {
    return !ir::is_control(inst.op) && !inst.attrs.has(Attr::library) &&
           std::holds_alternative<ops::LowerExpand>(ops::rules(inst.op).lower);
}

/// Marks the convolutions that a library of the device computes.
BlockPtr with_library(const BlockPtr& block, const ops::TargetInfo& target) {
    std::shared_ptr<ir::Block> made;
    for (std::size_t i = 0; i < block->insts.size(); ++i) {
        if (block->insts[i].op != Op::convolution || !ops::convolves(target, block->insts[i], *block)) continue;
        if (!made) made = std::make_shared<ir::Block>(*block);
        made->insts[i].attrs.set(Attr::library, std::int64_t{1});
    }
    if (made) return made;
    return block;
}

bool sorts_last_axis(const Inst& inst, std::size_t rank) {
    return inst.attrs.integer(Attr::axis) + 1 == static_cast<std::int64_t>(rank);
}

/// The new order of the axes of a scatter's array: batch, indexed, others.
ir::Integers scatter_order(const Inst& inst, std::size_t rank) {
    const std::int64_t batch = inst.attrs.integer(Attr::batch, 0);
    const ir::Integers& axes = inst.attrs.integers(Attr::axes);
    ir::Integers order;
    for (std::int64_t a = 0; a < batch; ++a) order.push_back(a);
    order.insert(order.end(), axes.begin(), axes.end());
    for (std::int64_t a = batch; a < static_cast<std::int64_t>(rank); ++a)
        if (std::find(axes.begin(), axes.end(), a) == axes.end()) order.push_back(a);
    return order;
}

bool is_counting(const ir::Integers& order) { return order == ops::counting(0, order.size()); }

/// True if the instruction is a reduction over no axes. Its result is then the operand. Only for a sum, -0 becomes 0,
/// because sums start at 0.
bool reduces_nothing(const Inst& inst) {
    return ir::info(inst.op).has(ir::reduction) && inst.attrs.has(Attr::axes) &&
           inst.attrs.integers(Attr::axes).empty();
}

Value reduced_over_nothing(Build& b, const Inst& inst, Value x) {
    return inst.op == ir::Op::reduce_sum && runtime::is_inexact(b.dtype(x)) ? b.add(x, b.zeros_like(x)) : x;
}

bool needs_work(const Inst& inst, const ir::Block& block) {
    if (is_expanded(inst) || reduces_nothing(inst)) return true;
    if (inst.op == Op::sort) return !sorts_last_axis(inst, block.type(inst.operands[0]).shape.size());
    if (inst.op == Op::scatter) return !is_counting(scatter_order(inst, block.type(inst.operands[0]).shape.size()));
    return false;
}

Values sort_last_axis(Build& b, const Inst& inst, Values operands) {
    const auto axis = static_cast<int>(inst.attrs.integer(Attr::axis));
    const int last = b.rank(operands[0]) - 1;
    for (Value& v : operands) v = b.move_axis(v, axis, last);
    ops::Attrs attrs = inst.attrs;
    attrs.set(Attr::axis, std::int64_t{last});
    Values sorted = b.emit(Op::sort, operands, attrs);
    for (Value& v : sorted) v = b.move_axis(v, last, axis);
    return sorted;
}

Value scatter_in_order(Build& b, const Inst& inst, Values operands) {
    const ir::Integers order = scatter_order(inst, b.shape(operands[0]).size());
    const std::int64_t batch = inst.attrs.integer(Attr::batch, 0);
    const ir::Integers axes = ops::counting(batch, inst.attrs.integers(Attr::axes).size());
    const Values indices(operands.begin() + 2, operands.end());
    const Value moved = b.transpose(operands[0], order);
    return b.transpose(b.scatter(moved, operands[1], indices, axes, inst.attrs.text(Attr::mode), batch),
                       ops::inverse(order));
}

/// Expands each instruction once. The expansions may contain instructions that must be expanded again.
BlockPtr lower_once(const BlockPtr& block) {
    if (std::none_of(block->insts.begin(), block->insts.end(), [&](const Inst& i) { return needs_work(i, *block); }))
        return block;
    Rebuild to(*block);
    for (const Inst& inst : block->insts) {
        to.b.set_place(inst.place);
        if (!needs_work(inst, *block))
            to.copy(inst);
        else if (reduces_nothing(inst))
            to.set(inst, {reduced_over_nothing(to.b, inst, to(inst.operands)[0])});
        else if (inst.op == Op::sort)
            to.set(inst, sort_last_axis(to.b, inst, to(inst.operands)));
        else if (inst.op == Op::scatter)
            to.set(inst, {scatter_in_order(to.b, inst, to(inst.operands))});
        else
            to.set(inst, std::get<ops::LowerExpand>(ops::rules(inst.op).lower).rule(to.b, inst, to(inst.operands)));
    }
    return to.finish();
}

bool any_needs_work(const ir::Block& block) {
    for (const Inst& inst : block.insts) {
        if (needs_work(inst, block)) return true;
        for (const BlockPtr& region : inst.regions)
            if (any_needs_work(*region)) return true;
    }
    return false;
}

BlockPtr expand(BlockPtr block) {
    while (any_needs_work(*block)) block = optimize::bottom_up(block, lower_once);
    return block;
}

} // namespace

BlockPtr prepare(const BlockPtr& block, const Options& options) {
    optimize::Options passes = options.passes;
    passes.target = options.target;
    passes.more = {
        {"calls", optimize::pass::inline_},
        {"spmd", [&](const BlockPtr& b) { return spmd(b, options); }},
        {"libraries",
         [&](const BlockPtr& whole) {
             return optimize::bottom_up(whole, [&](const BlockPtr& b) { return with_library(b, *options.target); });
         }},
        {"expand", expand},
        {"dce", optimize::pass::dce},
    };
    const bool has_pmap = ir::any_inst(*block, [](const Inst& i) { return i.op == Op::pmap; });
    return optimize::run(block, has_pmap ? optimize::in_plan_of_pmap : optimize::in_plan, passes);
}

} // namespace pm::plan
