#include "compiler/base/check.hpp"
#include "compiler/base/diagnostic.hpp"
#include "compiler/ops/rules.hpp"
#include "compiler/transform/transposer.hpp"

#include <algorithm>

namespace pm::transform {

using ir::Attr;

const Transposed& Transposer::block(const BlockPtr& block, const Backward& asked) {
    const auto key = std::make_pair(block, asked);
    const auto found = made_.find(key);
    if (found != made_.end()) return found->second;
    return made_.emplace(key, Reversal(*this, *block).run(asked)).first->second;
}

Transposed Reversal::run(const Backward& asked) {
    const std::size_t size = block_.values.size();
    linear_.assign(size, false);
    now_.resize(size);
    sums_.resize(size);
    for (std::size_t i = 0; i < block_.params.size(); ++i) {
        const Value p = block_.params[i];
        linear_[p.id] = asked.linear[i];
        if (!asked.linear[i]) now_[p.id] = b_.param(block_.type(p));
    }
    const Values params = pick(block_.params, asked.linear);
    std::vector<Cotangent> cotangents;
    for (const Value r : pick(block_.results, asked.given)) cotangents.push_back({b_.param(block_.type(r)), {}});
    for (std::size_t i = 0; i < asked.masked.size(); ++i)
        if (asked.masked[i]) cotangents[i].mask = b_.param({ir::DType::b1, b_.shape(cotangents[i].value)});
    for (const Value p : pick(params, asked.sums)) sums_[p.id] = Cotangent{b_.param(block_.type(p)), {}};

    for (const Inst& inst : block_.insts) evaluate(inst);
    std::size_t next = 0;
    for (std::size_t i = 0; i < block_.results.size(); ++i)
        if (asked.given[i]) add(block_.results[i], cotangents[next++]);
    for (auto inst = block_.insts.rbegin(); inst != block_.insts.rend(); ++inst) step(*inst);

    Transposed made;
    Values results, masks;
    for (std::size_t i = 0; i < params.size(); ++i) {
        const std::optional<Cotangent>& sum = sums_[params[i].id];
        const std::optional<Value> scalar = sum && sum->mask ? decider(*sum->mask) : std::nullopt;
        made.gives.push_back(sum || asked.want[i]);
        made.decided.push_back(scalar.has_value());
        const bool with_mask = !asked.masks.empty() && asked.masks[i];
        if (made.gives.back())
            results.push_back(!sum                  ? b_.zeros(block_.type(params[i]))
                              : scalar && with_mask ? sum->value
                                                    : settled(*sum));
        if (with_mask) masks.push_back(scalar ? *scalar : b_.constant(ir::DType::b1, sum ? 1.0 : 0.0, {}));
    }
    made.block = b_.finish(concat(std::move(results), masks));
    return made;
}

/// Forwards: what does not depend on the linear parameters is evaluated, the rest is marked.
void Reversal::evaluate(const Inst& inst) {
    if (any(linear_operands(inst))) {
        for (const Value v : inst.results) linear_[v.id] = true;
        return;
    }
    b_.set_span(inst.span);
    const Values made = b_.copy(inst, others(inst));
    for (std::size_t i = 0; i < made.size(); ++i) now_[inst.results[i].id] = made[i];
}

void Reversal::step(const Inst& inst) {
    if (!any(linear_operands(inst)) || !any(given(inst))) return;
    b_.set_span(inst.span);
    switch (control_of(inst.op)) {
    case Control::flat: return flat(inst);
    case Control::call:
    case Control::custom: return call(inst);
    case Control::custom_linear: return custom_linear(inst);
    case Control::if_: return branch(inst);
    case Control::while_: return counted_loop(inst);
    case Control::scan: return scan(inst);
    case Control::pmap: return mapped(inst);
    }
    PM_UNREACHABLE();
}

// ---- flat operations

namespace {

/// mask_before knows the operation.
bool moves_mask(const Inst& inst) {
    if (ir::info(inst.op).has(ir::elementwise)) return true;
    switch (inst.op) {
    case Op::slice:
    case Op::concatenate:
    case Op::dynamic_slice:
    case Op::reshape:
    case Op::reverse:
    case Op::transpose:
    case Op::reduce_sum:
    case Op::broadcast: return true;
    default: return false;
    }
}

} // namespace

/// Where a cotangent of the operand is zero if the result's is zero outside of `mask`.
Value Reversal::mask_before(const Inst& inst, Value mask, std::size_t operand) {
    if (ir::info(inst.op).has(ir::elementwise)) return mask;
    const ir::Shape& shape = block_.type(inst.operands[operand]).shape;
    const auto none = [&] { return b_.constant(ir::DType::b1, 0.0, {}); };
    ir::Integers dims;
    switch (inst.op) {
    case Op::slice: {
        const ir::Integers& start = inst.attrs.integers(Attr::start);
        const ir::Integers& stride = inst.attrs.integers(Attr::stride);
        ir::Integers high, interior;
        for (std::size_t i = 0; i < shape.size(); ++i) {
            const std::int64_t taken = b_.shape(mask)[i];
            const std::int64_t covered = taken == 0 ? 0 : (taken - 1) * stride[i] + 1;
            high.push_back(shape[i] - start[i] - covered);
            interior.push_back(stride[i] - 1);
        }
        return b_.pad(mask, none(), start, std::move(high), std::move(interior));
    }
    case Op::concatenate: {
        const auto axis = static_cast<std::size_t>(inst.attrs.integer(Attr::axis));
        std::int64_t begin = 0;
        for (std::size_t i = 0; i < operand; ++i) begin += block_.type(inst.operands[i]).shape[axis];
        return b_.slice_axis(mask, static_cast<int>(axis), begin, begin + shape[axis]);
    }
    case Op::dynamic_slice: {
        Values starts;
        for (std::size_t i = 1; i < inst.operands.size(); ++i) starts.push_back(now_[inst.operands[i].id]);
        return b_.dynamic_update(b_.broadcast_to(none(), shape), mask, std::move(starts));
    }
    case Op::reshape: return b_.reshape(mask, shape);
    case Op::reverse: return b_.reverse(mask, inst.attrs.integers(Attr::axes));
    case Op::transpose: {
        const ir::Integers& permutation = inst.attrs.integers(Attr::permutation);
        dims.resize(permutation.size());
        for (std::size_t i = 0; i < permutation.size(); ++i)
            dims[static_cast<std::size_t>(permutation[i])] = static_cast<std::int64_t>(i);
        return b_.transpose(mask, std::move(dims));
    }
    case Op::reduce_sum: {
        const ir::Integers& axes = inst.attrs.integers(Attr::axes);
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(shape.size()); ++i)
            if (std::find(axes.begin(), axes.end(), i) == axes.end()) dims.push_back(i);
        return b_.broadcast(mask, shape, std::move(dims));
    }
    case Op::broadcast: {
        const ir::Integers& kept = inst.attrs.integers(Attr::dims);
        for (std::int64_t i = 0; i < b_.rank(mask); ++i)
            if (std::find(kept.begin(), kept.end(), i) == kept.end()) dims.push_back(i);
        return b_.reduce(Op::reduce_or, mask, std::move(dims));
    }
    default: PM_UNREACHABLE();
    }
}

Value Reversal::opposite(Value scalar) {
    const auto [at, fresh] = opposite_.try_emplace(scalar.id, Value{});
    if (fresh) at->second = b_.unary(Op::not_, scalar);
    return at->second;
}

std::optional<Value> Reversal::decider(Value mask) {
    const bool scalar = b_.rank(mask) == 0;
    const Inst* const made = b_.definition(mask);
    if (!made) return scalar ? std::optional(mask) : std::nullopt;
    const Inst inst = *made; // what follows may add to the block
    switch (inst.op) {
    case Op::broadcast:
    case Op::reshape: return decider(inst.operands[0]);
    case Op::slice: return {}; // one element's mask says nothing of the others'
    case Op::not_: {
        const std::optional<Value> other = decider(inst.operands[0]);
        if (!other) return {};
        return opposite(*other);
    }
    case Op::and_: {
        const std::optional<Value> first = decider(inst.operands[0]);
        const std::optional<Value> second = decider(inst.operands[1]);
        return first && second ? std::optional(b_.binary(Op::and_, *first, *second)) : std::nullopt;
    }
    default: return scalar ? std::optional(mask) : std::nullopt;
    }
}

namespace {

/// Whether devices exchange values in regions, over an axis that is not among these and is not made there.
bool exchanges(const Inst& inst, ir::Integers known) {
    if (inst.op == Op::pmap) known.push_back(inst.attrs.integer(Attr::axis_id));
    const auto within = [&](const Inst& one) {
        if (ir::info(one.op).has(ir::collective) && one.op != Op::axis_index)
            for (const std::int64_t axis : one.attrs.integers(Attr::axes))
                if (std::find(known.begin(), known.end(), axis) == known.end()) return true;
        return exchanges(one, known);
    };
    return std::any_of(inst.regions.begin(), inst.regions.end(), [&](const ir::BlockPtr& region) {
        return std::any_of(region->insts.begin(), region->insts.end(), within);
    });
}

} // namespace

std::optional<Value> Reversal::gate(const Inst& inst) {
    // One device's cotangent may come from another for which the mask is true.
    if (exchanges(inst, {})) return {};
    std::optional<Value> all;
    for (const Value r : inst.results) {
        const std::optional<Cotangent>& ct = sums_[r.id];
        if (!ct) continue;
        const std::optional<Value> scalar = ct->mask ? decider(*ct->mask) : std::nullopt;
        if (!scalar || (all && *all != *scalar)) return {};
        all = scalar;
    }
    return all;
}

Cotangent Reversal::gated(const std::optional<Value>& gate, Value v, Value part) {
    if (!gate) return {part, {}};
    return {part, b_.broadcast_to(*gate, block_.type(v).shape)};
}

void Reversal::select(const Inst& inst, const Cotangent& ct) {
    const Value condition = now_[inst.operands[0].id];
    const auto side = [&](Value where) {
        return Cotangent{ct.value, ct.mask ? b_.binary(Op::and_, *ct.mask, where) : where};
    };
    if (is_linear(inst.operands[1])) add(inst.operands[1], side(condition));
    if (is_linear(inst.operands[2])) add(inst.operands[2], side(b_.unary(Op::not_, condition)));
}

namespace {

/// Whether an operation with a transpose is linear in these operands together. Blocks that linearize made
/// always are; a function that a user transposes need not be.
bool linear_in(const Inst& inst, const Pattern& operands) {
    const ir::OpInfo& op = ir::info(inst.op);
    if (op.has(ir::bilinear)) return count(operands) == 1;
    if (op.has(ir::linear_first)) return operands[0] && count(operands) == 1;
    if (inst.op == Op::select) return !operands[0];
    return true;
}

} // namespace

/// It moves or adds elements of parameters of the block: zeros stay zeros, and no slope follows. What it gives is added
/// into the sums where they are, so that a read of a part costs what the part costs.
bool Reversal::ends_chain(const Inst& inst) const {
    const ir::OpInfo& op = ir::info(inst.op);
    if (op.has(ir::elementwise) || !(op.has(ir::shape_only) || op.has(ir::linear))) return false;
    return std::all_of(inst.operands.begin(), inst.operands.end(), [&](Value v) {
        return !is_linear(v) || std::find(block_.params.begin(), block_.params.end(), v) != block_.params.end();
    });
}

void Reversal::flat(const Inst& inst) {
    const auto rule = ops::rules(inst.op).transpose;
    const bool selects = inst.op == Op::select;
    if (!(rule || selects) || !linear_in(inst, linear_operands(inst)))
        raise(diagnose(Diag::not_linear, inst.span, ir::info(inst.op).name));
    if (selects) return select(inst, *sums_[inst.results[0].id]);

    // A chain that keeps its mask adds to the sum by itself; only other operations add into it.
    const bool elementwise = ir::info(inst.op).has(ir::elementwise);
    // Devices need not have the same gate, and what one of them holds behind its own goes to others.
    const bool collective = ir::info(inst.op).has(ir::collective);
    const bool settles = collective || ends_chain(inst);
    const std::optional<Value> gate = elementwise || settles ? std::nullopt : this->gate(inst);
    std::optional<Value> mask;
    std::vector<std::optional<Value>> cotangents;
    for (const Value r : inst.results) {
        const std::optional<Cotangent>& ct = sums_[r.id];
        if (!ct) {
            cotangents.emplace_back();
            continue;
        }
        if (ct->mask && !gate && !settles && inst.results.size() == 1 && moves_mask(inst)) mask = ct->mask;
        // Garbage outside of the mask must not be summed up by the transpose of a broadcast.
        const bool carries_on = gate || (mask && inst.op != Op::broadcast);
        cotangents.emplace_back(carries_on ? ct->value : settled(*ct));
    }
    const bool apart = elementwise || gate || mask;
    std::vector<std::optional<Value>> operands, sums;
    std::vector<Type> types;
    for (const Value v : inst.operands) {
        types.push_back(block_.type(v));
        operands.push_back(is_linear(v) ? std::nullopt : std::optional<Value>(now_[v.id]));
        sums.push_back(apart ? std::nullopt : take(v));
    }
    ops::TransposeContext context{b_, inst, operands, types, cotangents, sums};
    rule.fn(context);
    for (std::size_t i = 0; i < sums.size(); ++i)
        if (sums[i])
            add(inst.operands[i], gate   ? gated(gate, inst.operands[i], *sums[i])
                                  : mask ? Cotangent{*sums[i], mask_before(inst, *mask, i)}
                                         : Cotangent{*sums[i], written(inst, i)});
}

/// Where tapes are side by side, some may have been passed over: what they would have been given has no cotangent, and
/// what it was made of no slope that counts.
std::optional<Value> Reversal::written(const Inst& inst, std::size_t operand) {
    if ((inst.op != Op::tape_set && inst.op != Op::tape_add) || operand != 1) return {};
    const Value index = now_[inst.operands[2].id];
    const ir::Shape& tapes = b_.shape(index);
    if (tapes.empty()) return {};
    const Value there = b_.binary(Op::less_equal, b_.constant_i(ir::DType::i64, 0, tapes), index);
    ir::Integers dims;
    for (std::size_t i = 0; i < tapes.size(); ++i) dims.push_back(static_cast<std::int64_t>(i));
    return b_.broadcast(there, block_.type(inst.operands[1]).shape, std::move(dims));
}

// ---- sums of cotangents

Pattern Reversal::linear_operands(const Inst& inst) const {
    Pattern linear;
    for (const Value v : inst.operands) linear.push_back(is_linear(v));
    return linear;
}

Values Reversal::others(const Inst& inst) const {
    Values values;
    for (const Value v : inst.operands)
        if (!is_linear(v)) values.push_back(now_[v.id]);
    return values;
}

Pattern Reversal::given(const Inst& inst) const {
    Pattern found;
    for (const Value v : inst.results) found.push_back(sums_[v.id].has_value());
    return found;
}

Values Reversal::take_given(const Inst& inst) { return take_masked(inst, true).values; }

Reversal::Given Reversal::take_masked(const Inst& inst, bool gated) {
    Given given;
    for (const Value v : inst.results) {
        if (!sums_[v.id]) continue;
        const Cotangent ct = gated ? Cotangent{settled(*sums_[v.id]), {}} : *sums_[v.id];
        given.values.push_back(ct.value);
        given.masked.push_back(ct.mask.has_value());
        if (ct.mask) given.masks.push_back(*ct.mask);
    }
    if (given.masks.empty()) given.masked.clear();
    return given;
}

std::optional<Value> Reversal::take(Value v) {
    if (!is_linear(v) || !sums_[v.id]) return std::nullopt;
    const Value sum = settled(*sums_[v.id]);
    sums_[v.id].reset();
    return sum;
}

Reversal::Sums Reversal::take_sums(const Values& operands, bool gated) {
    Sums sums;
    for (const Value v : operands) {
        const bool taken = !gated && sums_[v.id] && !sums_[v.id]->mask;
        sums.there.push_back(taken);
        if (taken) sums.values.push_back(*take(v));
    }
    return sums;
}

void Reversal::add(Value v, const Cotangent& part) {
    if (!is_linear(v)) return;
    std::optional<Cotangent>& sum = sums_[v.id];
    if (!sum) {
        sum = part;
    } else if (sum->mask == part.mask ||
               (sum->mask && part.mask && decider(*sum->mask) && decider(*sum->mask) == decider(*part.mask))) {
        sum->value = b_.add(sum->value, part.value);
    } else {
        const Value both = b_.add(settled(*sum), settled(part));
        const bool masked = sum->mask && part.mask;
        sum = Cotangent{both, masked ? std::optional(b_.binary(Op::or_, *sum->mask, *part.mask)) : std::nullopt};
    }
}

void Reversal::add_given(const Values& operands, const Pattern& gives, const Pattern& masks, const Values& made,
                         const std::optional<Value>& gate) {
    std::size_t next = 0;
    std::size_t next_mask = count(gives);
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (!gives[i]) continue;
        std::optional<Value> where = gate;
        if (masks[i]) {
            const Value mask = made[next_mask++];
            where = gate ? b_.binary(Op::and_, *gate, mask) : mask;
        }
        add(operands[i], gated(where, operands[i], made[next++]));
    }
}

Value Reversal::settled(const Cotangent& ct) {
    return ct.mask ? b_.select(*ct.mask, ct.value, b_.zeros_like(ct.value)) : ct.value;
}

} // namespace pm::transform
