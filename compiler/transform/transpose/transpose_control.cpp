#include "compiler/transform/transpose/transposer.hpp"

#include "compiler/base/diagnostic.hpp"
#include "compiler/ir/places.hpp"
#include "compiler/transform/core/custom.hpp"

#include <algorithm>

/// Transposition of operations with regions. Regions take the sums of cotangents so far as operands, and return the new
/// sums as results. So the transpose of a read costs time proportional to the part that is read, at any depth of
/// regions.
namespace pm::transform {

using ir::Attr;
using ir::Attrs;

void TransposeBuilder::call(const Inst& inst) {
    const BitMask linear = linear_operands(inst);
    const Values operands = pick(inst.operands, linear);
    const std::optional<Value> gate = this->gate(inst);
    const Given given = take_masked(inst, gate.has_value());
    Values in = concat(concat(others(inst), given.values), given.masks);
    const Sums sums = take_sums(operands, gate.has_value());
    in = concat(concat(std::move(in), sums.values), sums.masks);
    TransposeRequest asked{linear,       this->given(inst), sums.there, BitMask(operands.size(), false),
                           given.masked, sums.masked,       {},         useful(operands),
                           parts_,       sums.unclean};
    const Transposed& callee = ir::placed_at(inst, [&]() -> const Transposed& {
        const Transposed& plain = transposer_.block(inst.regions[0], asked);
        asked.ask_masks(plain.masks);
        return transposer_.block(inst.regions[0], asked);
    });
    if (!any(callee.has_cotangent)) return;
    Attrs attrs;
    attrs.set(Attr::text, callee.block->name);
    if (inst.attrs.has(Attr::policy)) attrs.set(Attr::policy, inst.attrs.text(Attr::policy));
    const Values made = b_.emit(Op::call, in, attrs, {callee.block});
    add_given(operands, callee, asked, made, gate);
}

/// One call of the program's bwd function takes all cotangents and returns the cotangents of the operands. Zeros
/// replace a missing cotangent.
void TransposeBuilder::custom_linear(const Inst& inst) {
    const std::size_t residuals = leading_operands(inst);
    if (any(part(linear_operands(inst), 0, residuals)))
        transposer_.refuse(inst, inst.place.span,
                           fmt::format("what fwd keeps for `{}` depends on a tangent", inst.attrs.text(Attr::text)));
    const std::optional<Value> gate = this->gate(inst);
    Values in;
    for (const Value v : part(inst.operands, 0, residuals)) in.push_back(now_[v.id]);
    for (const Value r : inst.results) in.push_back(sums_[r.id] ? apply_mask(*sums_[r.id]) : b_.zeros(block_.type(r)));
    const BlockPtr& bwd = inst.regions[0];
    Attrs attrs;
    attrs.set(Attr::text, bwd->name);
    const Values made = b_.emit(Op::call, std::move(in), attrs, {bwd});
    for (std::size_t i = 0; i < made.size(); ++i) {
        const Value v = inst.operands[residuals + i];
        if (is_linear(v) && !gives_zero(*bwd, i)) add(v, gated(gate, {made[i]}));
    }
}

namespace {

/// Returns the masks of the cotangents of an `if`. If only one branch uses a value, the value has a cotangent only
/// where that branch is taken. The other branch returns zeros. Without the mask, an infinite slope of an instruction
/// before the `if` could be multiplied by these zeros.
Masks masks_of_sides(const Transposed& then, const Transposed& otherwise, const BitMask& tapes) {
    Masks masks;
    for (std::size_t i = 0; i < then.has_cotangent.size(); ++i) {
        if (tapes[i] && then.has_cotangent[i] && otherwise.has_cotangent[i] && then.masks[i] != otherwise.masks[i]) {
            masks.push_back(Mask::none); // neither a scalar mask nor a missing mask can be converted to a tape of masks
            continue;
        }
        const bool one = then.has_cotangent[i] != otherwise.has_cotangent[i];
        const Mask most = std::max(then.masks[i], otherwise.masks[i]);
        masks.push_back(one ? std::max(most, Mask::scalar) : most);
    }
    return masks;
}

} // namespace

void TransposeBuilder::branch(const Inst& inst) {
    const BitMask linear = linear_operands(inst);
    if (linear[0]) refuse_condition(inst, block_, inst.operands[0]);
    const std::optional<Value> gate = this->gate(inst);
    sides({inst.regions[0], inst.regions[1], inst.attrs}, others(inst), part(linear, 1, linear.size()), inst,
          take_masked(inst, gate.has_value()), gate);
}

/// Transposes the two branches `two`. If an operand has a cotangent in one of the branches, both branches return a
/// cotangent for it.
void TransposeBuilder::sides(const TwoSides& two, Values in, const BitMask& linear, const Inst& inst,
                             const Given& given, const std::optional<Value>& gate) {
    const Values operands = pick(inst.operands, linear_operands(inst));
    in = concat(concat(std::move(in), given.values), given.masks);
    const Sums sums = take_sums(operands, gate.has_value());
    in = concat(concat(std::move(in), sums.values), sums.masks);
    TransposeRequest asked{linear,       this->given(inst), sums.there, BitMask(operands.size(), false),
                           given.masked, sums.masked,       {},         useful(operands),
                           true,         sums.unclean};
    const Transposed& then = transposer_.block(two.then, asked);
    const Transposed& otherwise = transposer_.block(two.otherwise, asked);
    asked.want = joined(then.has_cotangent, otherwise.has_cotangent);
    if (!any(asked.want)) return;
    Masks masks = masks_of_sides(then, otherwise, tapes_among(operands));
    for (std::size_t i = 0; i < operands.size(); ++i)
        if (!asked.useful[i]) masks[i] = Mask::none;
    asked.ask_masks(std::move(masks));
    const BlockPtr blocks[] = {transposer_.block(two.then, asked).block, transposer_.block(two.otherwise, asked).block};
    const Values made = b_.emit(Op::if_, in, two.attrs, {blocks[0], blocks[1]});
    add_given(operands, transposer_.block(two.then, asked), asked, made, gate);
}

bool TransposeBuilder::adds_to_arrays(const Inst& inst) const {
    return std::any_of(inst.operands.begin(), inst.operands.end(), [&](Value v) {
        const Type& type = block_.type(v);
        if (!is_linear(v) || !sums_[v.id] || (type.rank() == 0 && !is_tape(type))) return false;
        const std::optional<Value>& mask = sums_[v.id]->mask;
        return !mask || logic_.kind(*mask) == Mask::elements;
    });
}

namespace {

/// Returns a block that contains only the instruction `inst`. If `inst` is a call without a policy, the block is its
/// callee.
BlockPtr alone(const ir::Block& block, const Inst& inst) {
    if (inst.op == Op::call && !inst.attrs.has(Attr::policy)) return inst.regions[0];
    Build b(block.name);
    b.set_place(inst.place);
    Values params;
    for (const Value v : inst.operands) params.push_back(b.param(block.type(v)));
    return b.finish(b.copy(inst, params));
}

} // namespace

/// Transposes an instruction whose cotangents all have the mask `gate`. The transpose becomes a branch of an `if`,
/// whose other branch returns zeros. The branch adds to the sums so far. If the branch began a new sum instead, this
/// sum would be a whole array, even for a small addition.
void TransposeBuilder::gated(Value gate, const Inst& inst) {
    Build zeros(block_.name);
    for (const Value v : inst.operands) zeros.param(block_.type(v));
    Values none;
    for (const Value r : inst.results) none.push_back(zeros.zeros(block_.type(r)));
    Given given;
    for (const Value r : inst.results)
        if (sums_[r.id]) given.values.push_back(sums_[r.id]->value);
    sides({alone(block_, inst), zeros.finish(none), {}}, concat(Values{gate}, others(inst)), linear_operands(inst),
          inst, given, {});
}

// ---- pmap

namespace {

/// Returns the transposed body of a pmap. For each operand that was not mapped, the body sums the cotangents over the
/// devices. It concatenates the masks of these cotangents along a new axis.
BlockPtr with_sums(const ir::Block& body, const Attrs& attrs, const ir::Integers& axes, const Masks& masks) {
    Build b(body.name);
    Values out = b.inline_block(body, params_of(b, body.param_types()));
    const ir::Integers over = {attrs.integer(Attr::axis_id)};
    const bool tiled = attrs.integer(Attr::tiled, 0) != 0;
    std::size_t next = axes.size();
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::optional<std::size_t> mask = masks[i] == Mask::none ? std::nullopt : std::optional(next++);
        if (axes[i] >= 0) continue;
        if (mask) {
            const Value where = out[*mask];
            out[i] = b.select(b.broadcast_to(where, b.shape(out[i])), out[i], b.zeros_like(out[i]));
            ir::Shape shape = b.shape(where);
            shape.insert(shape.begin(), 1);
            if (tiled) out[*mask] = b.reshape(where, std::move(shape));
        }
        out[i] = b.emit1(Op::psum, {out[i]}, {{Attr::axes, over}, {Attr::axis_size, attrs.integer(Attr::axis_size)}});
    }
    return b.finish(std::move(out));
}

} // namespace

/// As in JAX: the transpose of `in_axes none` is a psum. The transpose of `out_axes none` is a division by the size of
/// the axis.
void TransposeBuilder::mapped(const Inst& inst) {
    const BitMask linear = linear_operands(inst);
    const Values operands = pick(inst.operands, linear);
    const BitMask given = this->given(inst);
    const BitMask nothing(operands.size(), false);
    const std::optional<Value> gate = this->gate(inst);
    const Given cotangents = take_masked(inst, gate.has_value());
    const ir::Integers& in_axes = inst.attrs.integers(Attr::in_axes);
    const ir::Integers& out_axes = inst.attrs.integers(Attr::out_axes);
    const ir::Integers given_axes = pick(out_axes, given);
    const ir::Integers linear_axes = pick(in_axes, linear);
    ir::Integers mask_axes;
    TransposeRequest asked{linear,
                           given,
                           nothing,
                           nothing,
                           cotangents.masked,
                           {},
                           {},
                           both(useful(operands), negated(tapes_among(operands))),
                           parts_};
    for (std::size_t i = 0; i < asked.masked.size(); ++i) {
        if (asked.masked[i] == Mask::none) continue;
        mask_axes.push_back(asked.masked[i] == Mask::elements ? given_axes[i] : -1);
        // If the device's slice is a scalar, a mask with one boolean per element becomes a scalar mask.
        if (inst.regions[0]->type(pick(inst.regions[0]->results, given)[i]).rank() == 0) asked.masked[i] = Mask::scalar;
    }
    Masks due = transposer_.block(inst.regions[0], asked).masks;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const bool has_axes = inst.regions[0]->type(pick(inst.regions[0]->params, linear)[i]).rank() > 0;
        if (due[i] != Mask::none && linear_axes[i] >= 0 && has_axes) due[i] = Mask::elements;
    }
    asked.ask_masks(due);
    const Transposed& body = transposer_.block(inst.regions[0], asked);
    if (!any(body.has_cotangent)) return;

    Values values = cotangents.values;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (given_axes[i] < 0)
            values[i] = b_.scale(values[i], 1.0 / static_cast<double>(inst.attrs.integer(Attr::axis_size)));
    const ir::Integers result_axes = pick(linear_axes, body.has_cotangent);
    const Masks masks = pick(due, body.has_cotangent);
    ir::Integers out = result_axes;
    for (std::size_t i = 0; i < masks.size(); ++i)
        if (masks[i] != Mask::none) out.push_back(std::max<std::int64_t>(result_axes[i], 0));
    Attrs attrs = inst.attrs;
    attrs.set(Attr::in_axes, concat(concat(pick(in_axes, negated(linear)), given_axes), mask_axes));
    attrs.set(Attr::out_axes, out);
    const Values made = b_.emit(Op::pmap, concat(concat(others(inst), values), cotangents.masks), attrs,
                                {with_sums(*body.block, inst.attrs, result_axes, masks)});
    const Values given_to = pick(operands, body.has_cotangent);
    std::size_t next = given_to.size();
    for (std::size_t i = 0; i < given_to.size(); ++i) {
        Cotangent part{made[i]};
        if (masks[i] != Mask::none) {
            const Value mask = made[next++];
            part.mask = result_axes[i] < 0 ? b_.reduce(Op::reduce_or, mask, {0}) : mask;
            part.clean = result_axes[i] < 0;
        }
        add(given_to[i], gated(gate, part));
    }
}

} // namespace pm::transform
