#include "compiler/transform/batch/batcher.hpp"

#include "compiler/ir/places.hpp"

#include <algorithm>
#include <unordered_set>

/// Batching of operations with regions, except `while` and functions with custom rules.
namespace pm::transform {

using ir::Attr;
using ir::Attrs;

namespace {

bool mentions(const ir::Block& block, std::int64_t axis, std::unordered_set<const ir::Block*>& seen) {
    if (!seen.insert(&block).second) return false; // several calls may share a callee, so each block is searched once
    for (const Inst& inst : block.insts) {
        if (ir::info(inst.op).has(ir::collective)) {
            if (inst.attrs.integer(Attr::axis_id, -1) == axis) return true;
            if (inst.attrs.has(Attr::axes))
                for (const std::int64_t id : inst.attrs.integers(Attr::axes))
                    if (id == axis) return true;
        }
        for (const BlockPtr& region : inst.regions)
            if (mentions(*region, axis, seen)) return true;
    }
    return false;
}

} // namespace

bool mentions_axis(const ir::Block& block, std::int64_t axis) {
    std::unordered_set<const ir::Block*> seen;
    return mentions(block, axis, seen);
}

bool Batcher::changes(const ir::Block& block) const {
    return ir::has_effect(block) || (axis_ >= 0 && ir::has_collective(block) && mentions_axis(block, axis_));
}

Items Batcher::call(Build& b, const Inst& inst, const Items& operands, const Masking& masking) {
    const bool masked = masking.mask && takes_mask(*inst.regions[0]);
    if (!any(batched_of(operands)) && !masked && !changes(*inst.regions[0])) return copy(b, inst, operands);
    const BatchedBlock& callee = ir::placed_at(
        inst, [&]() -> const BatchedBlock& { return block(inst.regions[0], batched_of(operands), {}, masked); });
    Attrs attrs = inst.attrs;
    attrs.set(Attr::text, callee.block->name);
    Values values = values_of(operands);
    if (masked) values.push_back(*masking.mask);
    return items_of(b.emit(Op::call, values, attrs, {callee.block}), callee.batched);
}

// ---- if

Items Batcher::branch(Build& b, const Inst& inst, const Items& operands, const Masking& masking) {
    if (operands[0].batched) return both_branches(b, inst, operands, masking);
    const ir::Block& first = *inst.regions[0];
    const ir::Block& second = *inst.regions[1];
    // This `if` may be part of an update chain of the enclosing block.
    BitMask in_place;
    if (masking.updates.contains(&inst))
        for (std::size_t i = 0; i < inst.results.size(); ++i) in_place.push_back(branch_chain(inst, i).has_value());
    const bool masked = masking.mask && (any(in_place) || takes_mask(first) || takes_mask(second));
    const BitMask batched = batched_of(operands);
    if (!any(batched) && !masked && !changes(first) && !changes(second)) return copy(b, inst, operands);
    const BitMask args = part(batched, 1, batched.size());
    const BitMask want = joined(block(inst.regions[0], args, {}, masked, in_place).batched,
                                block(inst.regions[1], args, {}, masked, in_place).batched);
    Values values = values_of(operands);
    if (masked) values.push_back(*masking.mask);
    const BlockPtr then = block(inst.regions[0], args, want, masked, in_place).block;
    const BlockPtr otherwise = block(inst.regions[1], args, want, masked, in_place).block;
    return items_of(b.emit(Op::if_, values, inst.attrs, {then, otherwise}), want);
}

namespace {

/// Finds the results of an `if` that need no select, although both branches run. In each branch, such a result is an
/// update chain, and both chains update the same operand. The second branch then updates the result of the first
/// branch. Each operand has at most one such result.
struct Join {
    std::vector<std::optional<BranchChain>> chains; ///< per result
    std::set<const Inst*> then, otherwise;          ///< the updates of each branch that must be masked
};

Join join_of(const Inst& inst) {
    Join join;
    for (std::size_t i = 0; i < inst.results.size(); ++i) {
        std::optional<BranchChain> chain = branch_chain(inst, i);
        if (chain) {
            join.then.insert(chain->then.updates.begin(), chain->then.updates.end());
            join.otherwise.insert(chain->otherwise.updates.begin(), chain->otherwise.updates.end());
        }
        join.chains.push_back(std::move(chain));
    }
    return join;
}

} // namespace

/// Batches an `if` with a batched condition. Both branches run. The mask of a branch is true for the elements whose
/// condition selects this branch.
Items Batcher::both_branches(Build& b, const Inst& inst, const Items& operands, const Masking& masking) {
    const Value condition = operands[0].value;
    const auto within = [&](Value mask) { return masking.mask ? b.binary(Op::and_, *masking.mask, mask) : mask; };
    Items args = part(operands, 1, operands.size());
    const Join join = join_of(inst);
    const ir::Place place = b.raw().place();
    const Items then = run(b, *inst.regions[0], args, {within(condition), join.then});
    for (std::size_t i = 0; i < then.size(); ++i)
        if (join.chains[i]) args[join.chains[i]->otherwise.param] = then[i];
    b.set_place(place);
    const Items otherwise = run(b, *inst.regions[1], args, {within(b.unary(Op::not_, condition)), join.otherwise});
    b.set_place(place);
    Items results;
    for (std::size_t i = 0; i < then.size(); ++i)
        results.push_back(join.chains[i] ? otherwise[i] : chosen(b, condition, then[i], otherwise[i]));
    return results;
}

// ---- scan

namespace {

Value swapped(Build& b, Value v) { return b.move_axis(v, 1, 0); }

/// Returns one element of the batch. `v` is a batched value whose elements are all equal.
Value one_of(Build& b, Value v) {
    const ir::Shape& shape = b.shape(v);
    return b.reshape(b.slice_axis(v, 0, 0, 1), {shape.begin() + 1, shape.end()});
}

} // namespace

/// First, the set of carried values that are batched in some iteration is computed. This set is the least fixpoint that
/// contains the batched initial values. An iteration that starts with this set computes an equal or smaller set. The
/// set after the loop is therefore the set after `length` such iterations, as in analysis/varies.cpp. If there is a
/// mask, it is the set after one iteration. The reason: an iteration does not make masked elements equal to the other
/// elements.
Batcher::ScanPattern Batcher::scan_pattern(const Inst& inst, const Items& operands, bool masked) {
    const LoopRoles roles = loop_roles(inst);
    ScanPattern found{batched_of(operands), {}};
    const auto carried = [&](const BitMask& of) { return part(of, roles.whole, roles.whole + roles.carried); };
    const auto after_iteration = [&](const BitMask& in) {
        return part(block(inst.regions[0], concat(BitMask{false}, in), {}, masked).batched, 0, roles.carried);
    };
    const auto carry = [&](BitMask& in, const BitMask& next) {
        std::copy(next.begin(), next.end(), in.begin() + static_cast<std::ptrdiff_t>(roles.whole));
    };
    for (BitMask before; before != found.operands;) {
        before = found.operands;
        carry(found.operands, joined(carried(before), after_iteration(before)));
    }
    BitMask now = found.operands;
    const std::int64_t length = size_ == 0 ? 0 : inst.attrs.integer(Attr::length); // if the batch is empty, no
                                                                                   // iteration matters
    for (std::int64_t done = 0; done < (masked ? std::min<std::int64_t>(length, 1) : length); ++done) {
        const BitMask next = after_iteration(now);
        if (next == carried(now)) break;
        carry(now, next);
    }
    found.left = carried(now);
    return found;
}

/// The sliced operands and the outputs of the batched scan have the iterations as axis 0 and the batch as axis 1.
/// Outside of the scan, the batch is axis 0 of these values.
Items Batcher::scan(Build& b, const Inst& inst, const Items& operands, const Masking& masking) {
    const LoopRoles roles = loop_roles(inst);
    const bool masked = masking.mask && takes_mask(*inst.regions[0]);
    if (!any(batched_of(operands)) && !masked && !changes(*inst.regions[0])) return copy(b, inst, operands);
    const auto [batched, left] = scan_pattern(inst, operands, masked);
    BitMask want = part(batched, roles.whole, roles.whole + roles.carried);
    want.resize(inst.results.size(), false);
    const BitMask in = concat(BitMask{false}, batched);
    const BatchedBlock& iteration = block(inst.regions[0], in, {}, masked);
    const bool carries = joined(want, iteration.batched) == iteration.batched;
    const BatchedBlock& body = carries ? iteration : block(inst.regions[0], in, want, masked);
    Values values;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const bool slice = i >= roles.whole + roles.carried;
        const Value v = batched[i] ? full(b, operands[i]) : operands[i].value;
        values.push_back(slice && batched[i] ? swapped(b, v) : v);
    }
    Attrs attrs = inst.attrs;
    BlockPtr region = body.block;
    if (masked) {
        // The mask, the last parameter of the body, becomes one more whole operand.
        region = with_last_at(*region, 1 + roles.whole);
        values.insert(values.begin() + static_cast<std::ptrdiff_t>(roles.whole), *masking.mask);
        attrs.set(Attr::whole, static_cast<std::int64_t>(roles.whole + 1));
    }
    Items results = items_of(b.emit(Op::scan, values, attrs, {region}), body.batched);
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (!results[i].batched) continue;
        if (i >= roles.carried)
            results[i].value = swapped(b, results[i].value);
        else if (!left[i])
            results[i] = {one_of(b, results[i].value), false};
    }
    return results;
}

// ---- pmap

/// Every device computes the whole batch: the batch is axis 0 of each device's slices.
Items Batcher::mapped(Build& b, const Inst& inst, const Items& operands, const Masking& masking) {
    const bool masked = masking.mask && takes_mask(*inst.regions[0]);
    const BitMask batched = batched_of(operands);
    if (!any(batched) && !masked && !changes(*inst.regions[0])) return copy(b, inst, operands);
    const BatchedBlock& body = block(inst.regions[0], batched, {}, masked);
    const auto shifted = [](ir::Integers axes, const BitMask& marked) {
        for (std::size_t i = 0; i < axes.size(); ++i)
            if (marked[i] && axes[i] >= 0) ++axes[i];
        return axes;
    };
    Attrs attrs = inst.attrs;
    ir::Integers in_axes = shifted(inst.attrs.integers(Attr::in_axes), batched);
    Values values = values_of(operands);
    if (masked) {
        in_axes.push_back(-1);
        values.push_back(*masking.mask);
    }
    attrs.set(Attr::in_axes, std::move(in_axes));
    attrs.set(Attr::out_axes, shifted(inst.attrs.integers(Attr::out_axes), body.batched));
    return items_of(b.emit(Op::pmap, values, attrs, {body.block}), body.batched);
}

} // namespace pm::transform
