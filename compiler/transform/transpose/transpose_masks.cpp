#include "compiler/base/check.hpp"
#include "compiler/ops/core/axes.hpp"
#include "compiler/ops/core/rules.hpp"
#include "compiler/ops/indexing/gather_geometry.hpp"
#include "compiler/transform/transpose/transposer.hpp"

#include <algorithm>

/// Propagates masks of cotangents through operations without regions. The mask of an operand is true for an element if
/// this element influences a result element that has a cotangent.
namespace pm::transform {

using ir::Attr;

bool TransposeBuilder::stays_apart(const Inst& inst) {
    switch (inst.op) {
    case Op::concatenate:
    case Op::dynamic_update:
    case Op::reshape:
    case Op::reverse:
    case Op::transpose:
    case Op::reduce_sum: return true;
    case Op::scatter: return !scales_elements(inst);
    default: return false;
    }
}

bool TransposeBuilder::writes_tape(const Inst& inst) { return inst.op == Op::tape_set || inst.op == Op::tape_add; }

bool TransposeBuilder::reads_part(const Inst& inst) {
    return inst.op == Op::slice || inst.op == Op::dynamic_slice || inst.op == Op::gather || inst.op == Op::tape_get;
}

Value TransposeBuilder::mask_before(const Inst& inst, Value mask, std::size_t operand) {
    const ir::Shape& shape = block_.type(inst.operands[operand]).shape;
    switch (inst.op) {
    case Op::concatenate: {
        const auto axis = static_cast<std::size_t>(inst.attrs.integer(Attr::axis));
        std::int64_t begin = 0;
        for (std::size_t i = 0; i < operand; ++i) begin += block_.type(inst.operands[i]).shape[axis];
        return b_.slice_axis(mask, static_cast<int>(axis), begin, begin + shape[axis]);
    }
    case Op::tape_set:
    case Op::tape_add: return mask_of_written(inst, mask, operand);
    case Op::reshape: return b_.reshape(mask, shape);
    case Op::reverse: return b_.reverse(mask, inst.attrs.integers(Attr::axes));
    case Op::transpose: return b_.transpose(mask, ops::inverse(inst.attrs.integers(Attr::permutation)));
    case Op::reduce_sum:
        return b_.broadcast(mask, shape, ops::other_axes(shape.size(), inst.attrs.integers(Attr::axes)));
    case Op::broadcast:
        return b_.reduce(Op::reduce_or, mask,
                         ops::other_axes(static_cast<std::size_t>(b_.rank(mask)), inst.attrs.integers(Attr::dims)));
    case Op::dynamic_update:
    case Op::scatter: return mask_of_indexed(inst, mask, operand);
    case Op::all_gather:
    case Op::psum_scatter:
    case Op::all_to_all: return mask_by_counting(inst, logic_.whole(mask, block_.type(inst.results[0]).shape), operand);
    case Op::psum:
    case Op::ppermute:
    case Op::pad:
    case Op::cumsum: return mask_by_counting(inst, mask, operand);
    case Op::dot: return mask_of_factor(inst, mask, operand);
    default: return logic_.anywhere(mask);
    }
}

namespace {

/// The type of the mask of one entry of a tape. The first `tapes` axes of `shape` are those of the array of tapes. The
/// other axes are those of an entry.
Type booleans(const ir::Shape& shape, std::size_t tapes) { return {ir::DType::b1, part(shape, tapes, shape.size())}; }

} // namespace

Value TransposeBuilder::mask_of_written(const Inst& inst, Value mask, std::size_t operand) {
    if (operand == 0) return mask;
    const Value number = now_[inst.operands[2].id];
    return b_.tape_get(mask, number, booleans(block_.type(inst.operands[1]).shape, b_.shape(number).size()));
}

/// An overwritten element of operand 0 has no cotangent. An element of the update has the cotangent of the result
/// element to which it is written.
Value TransposeBuilder::mask_of_indexed(const Inst& inst, Value mask, std::size_t operand) {
    Values at;
    for (std::size_t i = 2; i < inst.operands.size(); ++i) at.push_back(now_[inst.operands[i].id]);
    const ir::Shape& part = block_.type(inst.operands[1]).shape;
    if (inst.op == Op::dynamic_update)
        return operand == 1 ? b_.dynamic_slice(mask, at, part)
                            : b_.dynamic_update(mask, logic_.never({ir::DType::b1, part}), at);
    const ir::Integers& axes = inst.attrs.integers(Attr::axes);
    const std::int64_t batch = inst.attrs.integer(Attr::batch, 0);
    PM_CHECK(!scales_elements(inst), "each element has its own mask");
    if (operand == 1) return b_.gather(mask, at, axes, batch);
    if (inst.attrs.text(Attr::mode) != "set") return mask;
    return b_.scatter(mask, logic_.never({ir::DType::b1, part}), at, axes, "set", batch);
}

/// An element of one factor is used by all result elements that differ only along the other factor's free axes. The
/// element has a cotangent if any of these result elements has one.
Value TransposeBuilder::mask_of_factor(const Inst& inst, Value mask, std::size_t operand) {
    const bool left = operand == 0;
    const ir::Integers& batch = inst.attrs.integers(left ? Attr::lhs_batch : Attr::rhs_batch);
    const ir::Integers& contract = inst.attrs.integers(left ? Attr::lhs_contract : Attr::rhs_contract);
    const ir::Shape& shape = block_.type(inst.operands[operand]).shape;
    ir::Integers order = batch;
    for (const std::int64_t axis : ops::other_axes(shape.size(), batch))
        if (std::find(contract.begin(), contract.end(), axis) == contract.end()) order.push_back(axis);
    const std::size_t kept = order.size();
    const std::size_t others = static_cast<std::size_t>(b_.rank(mask)) - kept;
    // The axes of a result are: batch axes, free axes of the left operand, free axes of the right operand.
    const auto first = static_cast<std::int64_t>(left ? kept : batch.size());
    const Value any = b_.reduce(Op::reduce_or, mask, ops::counting(first, others));
    order.insert(order.end(), contract.begin(), contract.end());
    ir::Shape spread;
    for (const std::int64_t axis : order) spread.push_back(shape[static_cast<std::size_t>(axis)]);
    return b_.transpose(b_.broadcast(any, std::move(spread), ops::counting(0, kept)), ops::inverse(order));
}

/// Computes the mask for operations without factors that add elements of one operand, or add values of several devices.
/// Such an operation is transposed with a special cotangent: one where the result has a cotangent, and zero elsewhere.
/// The mask is true where the transposed cotangent is not zero.
Value TransposeBuilder::mask_by_counting(const Inst& inst, Value mask, std::size_t operand) {
    const std::vector<std::optional<Value>> cotangents = {b_.convert(mask, ir::DType::f32)};
    std::vector<std::optional<Value>> operands, sums(inst.operands.size());
    std::vector<Type> types;
    for (std::size_t i = 0; i < inst.operands.size(); ++i) {
        const bool alike = inst.op == Op::psum || inst.op == Op::ppermute; // a scalar mask remains a scalar
        types.push_back({ir::DType::f32, alike ? b_.shape(mask) : block_.type(inst.operands[i]).shape});
        operands.push_back(i == operand ? std::nullopt : std::optional(b_.zeros(types.back())));
    }
    ops::TransposeContext context{b_, inst, operands, types, cotangents, sums};
    ops::rules(inst.op).transpose.fn(context);
    if (!sums[operand]) return logic_.never({ir::DType::b1, types[operand].shape});
    return b_.compare(Op::not_equal, *sums[operand], b_.zeros_like(*sums[operand]));
}

namespace {

bool leaves_gaps(const Inst& inst) {
    if (inst.op != Op::slice) return false;
    const ir::Integers& stride = inst.attrs.integers(Attr::stride);
    return std::any_of(stride.begin(), stride.end(), [](std::int64_t step) { return step != 1; });
}

} // namespace

/// The position of the part that `inst` reads, if the part has no gaps. For a gather, the position is its indices,
/// clamped to the operand's axes. Otherwise, the position is the start along each axis.
Values TransposeBuilder::places_read(const Inst& inst) {
    Values at;
    for (std::size_t i = 1; i < inst.operands.size(); ++i) at.push_back(now_[inst.operands[i].id]);
    if (inst.op == Op::slice)
        for (const std::int64_t i : inst.attrs.integers(Attr::start)) at.push_back(b_.constant_i(ir::DType::i64, i));
    if (inst.op == Op::gather) {
        const ir::Integers& axes = inst.attrs.integers(Attr::axes);
        const ir::Shape& shape = block_.type(inst.operands[0]).shape;
        for (std::size_t j = 0; j < at.size(); ++j)
            at[j] = ops::clamp_indices(b_, at[j], 0, shape[static_cast<std::size_t>(axes[j])] - 1);
    }
    return at;
}

/// Returns the sum so far, with zeros in some elements. In the part that is read, elements outside of the mask become
/// zero. In the other parts, elements outside of the mask remain undefined. The cost is proportional to the part, not
/// to the whole sum.
Value TransposeBuilder::clean_part(const Inst& inst, const Cotangent& sum) {
    const ir::Shape& part = block_.type(inst.results[0]).shape;
    const Value mask = logic_.whole(*sum.mask, b_.shape(sum.value));
    const Values at = places_read(inst);
    const auto chosen = [&](Value there, Value old) { return b_.select(there, old, b_.zeros_like(old)); };
    if (inst.op == Op::gather) {
        const ir::Integers& axes = inst.attrs.integers(Attr::axes);
        const std::int64_t batch = inst.attrs.integer(Attr::batch, 0);
        const Value old = chosen(b_.gather(mask, at, axes, batch), b_.gather(sum.value, at, axes, batch));
        return b_.scatter(sum.value, old, at, axes, "set", batch);
    }
    return b_.dynamic_update(sum.value, chosen(b_.dynamic_slice(mask, at, part), b_.dynamic_slice(sum.value, at, part)),
                             at);
}

/// Returns the mask of an operand of which `inst` reads a part. `sum` is the mask of the operand's sum so far. In the
/// part, the result is the disjunction of `mask` and `sum`. Outside of the part, the result is `sum`. The function
/// updates `sum` in place.
Value TransposeBuilder::mask_with_part(const Inst& inst, std::optional<Value> sum, Value mask) {
    const ir::Shape& shape = block_.type(inst.operands[0]).shape;
    if (inst.op == Op::tape_get) {
        const Value number = now_[inst.operands[1].id];
        const Value tapes = sum ? *sum : b_.zeros(block_.type(inst.operands[0]));
        const Type element = booleans(b_.shape(mask), b_.shape(number).size());
        if (sum) mask = b_.binary(Op::or_, b_.tape_get(tapes, number, element), mask);
        return b_.tape_set(tapes, mask, number);
    }
    const Value all = sum ? logic_.whole(*sum, shape) : logic_.never({ir::DType::b1, shape});
    if (leaves_gaps(inst)) {
        const Value spread = mask_by_counting(inst, mask, 0);
        return sum ? b_.binary(Op::or_, all, spread) : spread;
    }
    const Values at = places_read(inst);
    if (inst.op == Op::gather)
        return b_.scatter(all, mask, at, inst.attrs.integers(Attr::axes), "max", inst.attrs.integer(Attr::batch, 0));
    const ir::Shape part = b_.shape(mask);
    if (sum) mask = b_.binary(Op::or_, b_.dynamic_slice(all, at, part), mask);
    return b_.dynamic_update(all, mask, at);
}

/// Transposes an instruction that reads a part of its operand. The mask of the part does not apply to the elements
/// outside of the part, even if it is a scalar.
void TransposeBuilder::part_read(const Inst& inst, const Cotangent& ct) {
    const Value v = inst.operands[0];
    const ir::Shape& shape = block_.type(inst.results[0]).shape;
    const std::optional<Value> before = sums_[v.id] ? sums_[v.id]->mask : std::nullopt;
    // A scalar mask cannot be converted to a tape of masks.
    const bool everywhere =
        sums_[v.id] && (!before || (is_tape(block_.type(v)) && logic_.kind(*before) == Mask::scalar));
    const bool unclean = before && !sums_[v.id]->clean && logic_.kind(*before) == Mask::elements &&
                         !is_tape(block_.type(v)) && !leaves_gaps(inst);
    if (unclean) sums_[v.id] = Cotangent{clean_part(inst, *sums_[v.id]), before, true};
    const auto sums = transposed(inst, apply_mask(ct), false);
    if (!sums[0]) return; // an empty part
    if (everywhere) return add(v, {*sums[0]});
    const Value mask = ct.mask ? logic_.whole(*ct.mask, shape) : logic_.always({ir::DType::b1, shape});
    add(v, {*sums[0], mask_with_part(inst, before, mask), !unclean});
}

/// Returns the mask of the value that an instruction writes to an array of tapes. A tape whose index is negative is
/// skipped. The value for a skipped tape has no cotangent. So the mask is false for this value.
std::optional<Value> TransposeBuilder::written(const Inst& inst, std::size_t operand) {
    if (!writes_tape(inst) || operand != 1) return {};
    if (is_tape(block_.type(inst.operands[1])))
        return {}; // a skipped tape of tapes is empty, and the mask would be a tape
    const Value index = now_[inst.operands[2].id];
    const ir::Shape& tapes = b_.shape(index);
    if (tapes.empty()) return {};
    const Value there = b_.binary(Op::less_equal, b_.constant_i(ir::DType::i64, 0, tapes), index);
    return b_.broadcast(there, block_.type(inst.operands[1]).shape, ops::counting(0, tapes.size()));
}

} // namespace pm::transform
