#include "compiler/base/check.hpp"
#include "compiler/base/diagnostic.hpp"
#include "compiler/ops/core/display_name.hpp"
#include "compiler/ops/core/rules.hpp"
#include "compiler/transform/transpose/transposer.hpp"
#include "runtime/dtype.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::transform {

using ir::Attr;

const Transposed& Transposer::block(const BlockPtr& block, const TransposeRequest& asked) {
    const auto key = std::make_pair(block, asked);
    const auto found = made_.find(key);
    if (found != made_.end()) return found->second;
    return made_.emplace(key, TransposeBuilder(*this, *block).run(asked)).first->second;
}

void TransposeRequest::ask_masks(Masks due) {
    useful = transform::masked(due);
    masks = std::move(due);
    if (any(masks)) return;
    masks.clear();
    useful.clear();
    parts = false;
}

void mark_constants(const Inst& inst, BitMask& constant) {
    bool marked = inst.op == Op::constant || inst.op == Op::iota;
    if (inst.op == Op::broadcast || inst.op == Op::reshape || inst.op == Op::convert || inst.op == Op::neg)
        marked = constant[inst.operands[0].id];
    for (const Value v : inst.results) constant[v.id] = marked;
}

bool scales_elements(const Inst& inst) { return inst.op == Op::scatter && inst.attrs.text(Attr::mode) == "mul"; }

bool Transposer::has_slopes(const Inst& inst, const BitMask& constant) {
    const ir::OpInfo& op = ir::info(inst.op);
    if (op.has(ir::elementwise) && op.has(ir::bilinear))
        return !constant[inst.operands[0].id] && !constant[inst.operands[1].id];
    if (op.has(ir::elementwise) && op.has(ir::linear_first)) return !constant[inst.operands[1].id];
    if (scales_elements(inst)) return !constant[inst.operands[1].id];
    if (inst.op == Op::triangular_solve || inst.op == Op::custom_linear) return true;
    return std::any_of(inst.regions.begin(), inst.regions.end(), [&](const BlockPtr& region) {
        const auto found = slopes_.find(region);
        if (found != slopes_.end()) return found->second;
        BitMask inside(region->values.size(), false);
        bool some = false;
        for (const Inst& one : region->insts) {
            mark_constants(one, inside);
            some = some || has_slopes(one, inside);
        }
        return slopes_[region] = some;
    });
}

void Transposer::refuse(const Inst& inst, Span at, const std::string& why) const {
    if (rule_ == nullptr) raise(diagnose(Diag::not_linear, at, ops::display_name(inst.op)));
    const std::string& block = rule_->attrs.text(Attr::text);
    const std::string name = block.substr(0, block.find('.'));
    const bool nameless = name.empty() || name == "fn";
    auto d = diagnose(Diag::rule_not_linear, at, rule_->attrs.text(Attr::rule), why);
    if (rule_->place.span) d.label(rule_->place.span, "the derivative of this call is what the rule gives");
    raise(std::move(d)
              .note(fmt::format("reverse mode runs {} backwards, where no tangent has a value yet; forward mode (jvp, "
                                "jacfwd, linearize) runs it as it is",
                                nameless ? "the rule" : fmt::format("`{}`", name)))
              .fix("let what decides depend on the primals alone, and the tangent of the result be linear in the "
                   "tangents")
              .fix("or say what reverse mode does: custom_vjp(f, fwd, bwd)"));
}

void TransposeBuilder::refuse_condition(const Inst& inst, const ir::Block& block, Value v) const {
    Span at = inst.place.span;
    for (const Inst& one : block.insts)
        if (one.place.span && std::find(one.results.begin(), one.results.end(), v) != one.results.end())
            at = one.place.span;
    const auto name = [&]() -> std::string { // a `while` may be a `fori_loop` of the program, and an `if` a `switch`
        if (inst.op == Op::while_) return "loop";
        if (inst.op == Op::if_) return "branch";
        return fmt::format("`{}`", ops::display_name(inst.op));
    };
    transposer_.refuse(inst, at, fmt::format("the condition of this {} depends on a tangent", name()));
}

Transposed TransposeBuilder::run(const TransposeRequest& asked) {
    const std::size_t size = block_.values.size();
    linear_.assign(size, false);
    now_.resize(size);
    sums_.resize(size);
    constant_.assign(size, false);
    useful_.assign(size, false);
    parts_ = asked.parts;
    for (std::size_t i = 0; i < block_.params.size(); ++i) {
        const Value p = block_.params[i];
        linear_[p.id] = asked.linear[i];
        if (!asked.linear[i]) now_[p.id] = b_.param(block_.type(p));
    }
    const Values params = pick(block_.params, asked.linear);
    for (std::size_t i = 0; i < asked.useful.size(); ++i) useful_[params[i].id] = asked.useful[i];
    std::vector<Cotangent> cotangents;
    for (const Value r : pick(block_.results, asked.given)) cotangents.push_back({b_.param(block_.type(r))});
    for (std::size_t i = 0; i < asked.masked.size(); ++i)
        if (asked.masked[i] != Mask::none)
            cotangents[i].mask = b_.param(mask_type(asked.masked[i], b_.type(cotangents[i].value)));
    for (const Value p : pick(params, asked.sums)) sums_[p.id] = Cotangent{b_.param(block_.type(p))};
    for (std::size_t i = 0; i < asked.summed.size(); ++i)
        if (asked.summed[i] != Mask::none) {
            Cotangent& sum = *sums_[params[i].id];
            sum = {sum.value, b_.param(mask_type(asked.summed[i], b_.type(sum.value))),
                   asked.unclean.empty() || !asked.unclean[i]};
        }

    for (const Inst& inst : block_.insts) evaluate(inst);
    std::size_t next = 0;
    for (std::size_t i = 0; i < block_.results.size(); ++i)
        if (asked.given[i]) add(block_.results[i], cotangents[next++]);
    for (auto inst = block_.insts.rbegin(); inst != block_.insts.rend(); ++inst) step(*inst);
    return finish(asked, params);
}

Transposed TransposeBuilder::finish(const TransposeRequest& asked, const Values& params) {
    Transposed made;
    Values results, masks;
    for (std::size_t i = 0; i < params.size(); ++i) {
        const std::optional<Cotangent>& sum = sums_[params[i].id];
        const Type& type = block_.type(params[i]);
        const Mask due = asked.masks.empty() ? Mask::none : asked.masks[i];
        made.has_cotangent.push_back(sum || asked.want[i]);
        made.masks.push_back(sum && sum->mask && useful_[params[i].id] ? logic_.kind(*sum->mask) : Mask::none);
        // The mask of the sum may have one boolean per element, even if a scalar mask was requested.
        const bool finer = due == Mask::scalar && sum && sum->mask && logic_.kind(*sum->mask) == Mask::elements;
        if (made.has_cotangent.back())
            results.push_back(!sum ? b_.zeros(type) : due == Mask::none || finer ? apply_mask(*sum) : sum->value);
        if (due == Mask::none) continue;
        const Type mask = mask_type(due, type);
        masks.push_back(finer        ? logic_.anywhere(*sum->mask)
                        : !sum       ? logic_.never(mask)
                        : !sum->mask ? logic_.always(mask)
                                     : logic_.whole(*sum->mask, mask.shape));
    }
    made.block = b_.finish(concat(std::move(results), masks));
    return made;
}

/// Forward pass: appends a copy of an instruction that does not depend on the linear parameters. Marks the results of
/// other instructions as linear.
void TransposeBuilder::evaluate(const Inst& inst) {
    mark_constants(inst, constant_);
    if (any(linear_operands(inst))) {
        const bool useful = any(this->useful(inst.operands)) || transposer_.has_slopes(inst, constant_);
        for (const Value v : inst.results) {
            linear_[v.id] = true;
            useful_[v.id] = useful;
        }
        return;
    }
    b_.set_place(inst.place);
    const Values made = b_.copy(inst, others(inst));
    for (std::size_t i = 0; i < made.size(); ++i) now_[inst.results[i].id] = made[i];
}

void TransposeBuilder::step(const Inst& inst) {
    if (!any(linear_operands(inst)) || !any(given(inst))) return;
    b_.set_place(inst.place);
    const Transposer::InRule rule(transposer_, inst);
    const bool region = inst.op == Op::call || inst.op == Op::if_ || inst.op == Op::scan || inst.op == Op::while_;
    if (region && adds_to_arrays(inst))
        if (const auto gate = this->gate(inst)) return gated(*gate, inst);
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

// ---- operations without regions

namespace {

/// True if the regions of `inst` contain a collective that exchanges values with lanes outside of `inst`. Such a
/// collective has an axis that is not in `known` and is not the axis of a pmap in these regions.
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

std::optional<Value> TransposeBuilder::gate(const Inst& inst) {
    // A collective may bring a cotangent from another device to this one. The mask may be true on the other device
    // although it is false here.
    if (exchanges(inst, {})) return {};
    std::optional<Value> all;
    for (const Value r : inst.results) {
        const std::optional<Cotangent>& ct = sums_[r.id];
        if (!ct) continue;
        if (!ct->mask || logic_.kind(*ct->mask) != Mask::scalar || (all && *all != *ct->mask)) return {};
        all = ct->mask;
    }
    return all;
}

Cotangent TransposeBuilder::gated(const std::optional<Value>& gate, const Cotangent& part) {
    if (!gate) return part;
    if (part.mask && is_tape(b_.type(*part.mask)))
        return {apply_mask({part.value, gate}), apply_mask({*part.mask, gate}), true};
    // An array of tapes cannot have a mask with one boolean per tape.
    if (is_tape(b_.type(part.value)) && b_.rank(*gate) > 0) return {apply_mask({apply_mask(part), gate})};
    return {part.value, part.mask ? logic_.both(*gate, *part.mask) : *gate};
}

void TransposeBuilder::select(const Inst& inst, const Cotangent& ct) {
    const Value condition = logic_.narrow(now_[inst.operands[0].id]);
    const auto side = [&](Value where) { return gated(where, ct); };
    if (is_linear(inst.operands[1])) add(inst.operands[1], side(condition));
    if (is_linear(inst.operands[2])) add(inst.operands[2], side(logic_.opposite(condition)));
}

namespace {

/// True if an operation that has a transpose rule is jointly linear in the operands marked in `operands`. In the result
/// of linearize(), every operation is. In a rule that the program defines, an operation may not be.
bool linear_in(const ir::Block& block, const Inst& inst, const BitMask& operands) {
    const ir::OpInfo& op = ir::info(inst.op);
    if (op.has(ir::bilinear)) return count(operands) == 1;
    if (op.has(ir::linear_first)) return operands[0] && count(operands) == 1;
    const auto only_first = [&](std::size_t n) { return !any(part(operands, n, operands.size())); };
    switch (inst.op) {
    case Op::select: return !operands[0];
    case Op::convert:
        return runtime::is_inexact(block.type(inst.operands[0]).dtype) &&
               runtime::is_inexact(block.type(inst.results[0]).dtype);
    case Op::triangular_solve: return !operands[0];
    case Op::dynamic_update:
    case Op::tape_set:
    case Op::tape_add: return only_first(2);
    case Op::scatter: {
        const std::string& mode = inst.attrs.text(Attr::mode);
        return mode == "mul" ? only_first(1) : (mode == "set" || mode == "add") && only_first(2);
    }
    default: return true;
    }
}

/// For a message: the reason why the instruction is not linear.
std::string not_linear_by(const Inst& inst, const BitMask& operands) {
    const ir::OpInfo& op = ir::info(inst.op);
    const bool writes = inst.op == Op::dynamic_update || inst.op == Op::scatter;
    const bool reads = inst.op == Op::dynamic_slice || inst.op == Op::gather;
    if ((writes || reads) && any(part(operands, writes ? 2 : 1, operands.size())))
        return "an index depends on a tangent";
    if (op.has(ir::bilinear)) return "it multiplies one tangent by another";
    if (inst.op == Op::div) return "it divides by a tangent";
    return fmt::format("`{}` is not linear in a tangent", ops::display_name(inst.op));
}

} // namespace

/// True if the transpose of the operation maps a zero cotangent to zeros, whatever the other operands are.
bool TransposeBuilder::only_moves(const Inst& inst) {
    const ir::OpInfo& op = ir::info(inst.op);
    return (op.has(ir::shape_only) || op.has(ir::linear)) && !scales_elements(inst);
}

/// If the transpose of an earlier instruction would use the mask, the mask is propagated to the operands. Otherwise the
/// mask is applied here, and the cotangents are added to the sums in place. So the transpose of a read costs time
/// proportional to the part that is read.
void TransposeBuilder::flat(const Inst& inst) {
    const bool selects = inst.op == Op::select;
    const BitMask linear = linear_operands(inst);
    if (selects && linear[0]) refuse_condition(inst, block_, inst.operands[0]);
    if (!(ops::rules(inst.op).transpose || selects) || !linear_in(block_, inst, linear))
        transposer_.refuse(inst, inst.place.span, not_linear_by(inst, linear));
    PM_CHECK(inst.results.size() == 1, "a linear operation without regions has one result");
    const Cotangent ct = *sums_[inst.results[0].id];
    if (selects) return select(inst, ct);

    const bool useful = any(this->useful(inst.operands));
    // Devices may have different masks. So the transpose of a collective must exchange the masks too.
    const bool collective = ir::info(inst.op).has(ir::collective);
    const bool elementwise = ir::info(inst.op).has(ir::elementwise) || scales_elements(inst);
    // If an operation moves handles of tapes, or a tape contains tapes, the mask of the entries is not known.
    const bool of_tapes = is_tape(block_.type(inst.operands[0]));
    const Type& element = block_.type(writes_tape(inst) ? inst.operands[1] : inst.results[0]);
    const bool known = !of_tapes || ((inst.op == Op::tape_get || writes_tape(inst)) && !is_tape(element));
    if (useful && known && reads_part(inst) && (ct.mask || parts_)) return part_read(inst, ct);
    const Mask kind = ct.mask ? logic_.kind(*ct.mask) : Mask::none;
    const Mask mask = known || kind == Mask::scalar ? kind : Mask::none;
    const bool decided = mask == Mask::scalar && !collective;
    const bool goes_on = mask != Mask::none && (elementwise || useful || (decided && !only_moves(inst)));
    // Elements outside of the mask are undefined, so they must not be added to other elements.
    const bool raw = goes_on && (elementwise || decided || stays_apart(inst));
    // The transpose of a write reads a cotangent from a tape. This cotangent has a separate mask (written()), which may
    // differ from the mask of the sum so far.
    const bool apart = elementwise || goes_on || writes_tape(inst);
    const auto sums = transposed(inst, raw ? ct.value : apply_mask(ct), apart);
    for (std::size_t i = 0; i < sums.size(); ++i) {
        if (!sums[i]) continue;
        const Value v = inst.operands[i];
        if (!goes_on)
            add(v, {*sums[i], written(inst, i)});
        else if (elementwise || decided)
            add(v, {*sums[i], ct.mask});
        else
            add(v, {*sums[i], mask_before(inst, *ct.mask, i)});
    }
}

std::vector<std::optional<Value>> TransposeBuilder::transposed(const Inst& inst, Value ct, bool apart) {
    const std::vector<std::optional<Value>> cotangents = {ct};
    std::vector<std::optional<Value>> operands, sums;
    std::vector<Type> types;
    for (const Value v : inst.operands) {
        types.push_back(block_.type(v));
        operands.push_back(is_linear(v) ? std::nullopt : std::optional<Value>(now_[v.id]));
        sums.push_back(apart ? std::nullopt : take(v));
    }
    ops::TransposeContext context{b_, inst, operands, types, cotangents, sums};
    ops::rules(inst.op).transpose.fn(context);
    return sums;
}

// ---- sums of cotangents

BitMask TransposeBuilder::linear_operands(const Inst& inst) const {
    BitMask linear;
    for (const Value v : inst.operands) linear.push_back(is_linear(v));
    return linear;
}

Values TransposeBuilder::others(const Inst& inst) const {
    Values values;
    for (const Value v : inst.operands)
        if (!is_linear(v)) values.push_back(now_[v.id]);
    return values;
}

BitMask TransposeBuilder::given(const Inst& inst) const {
    BitMask found;
    for (const Value v : inst.results) found.push_back(sums_[v.id].has_value());
    return found;
}

BitMask TransposeBuilder::useful(const Values& values) const {
    BitMask useful;
    for (const Value v : values) useful.push_back(useful_[v.id] && is_linear(v));
    return useful;
}

BitMask TransposeBuilder::tapes_among(const Values& values) const {
    BitMask tapes;
    for (const Value v : values) tapes.push_back(is_tape(block_.type(v)));
    return tapes;
}

Mask TransposeBuilder::mask_of(const Inst& inst, const std::optional<Cotangent>& ct) const {
    const bool looked_at =
        std::any_of(inst.results.begin(), inst.results.end(), [&](Value v) { return useful_[v.id]; });
    const bool tape_to_devices = ct && inst.op == Op::pmap && is_tape(b_.type(ct->value));
    return ct && ct->mask && looked_at && !tape_to_devices ? logic_.kind(*ct->mask) : Mask::none;
}

TransposeBuilder::Given TransposeBuilder::take_masked(const Inst& inst, bool gated) {
    Given given;
    for (const Value v : inst.results) {
        if (!sums_[v.id]) continue;
        const Mask mask = gated ? Mask::none : mask_of(inst, sums_[v.id]);
        given.masked.push_back(mask);
        given.values.push_back(mask == Mask::none ? apply_mask(*sums_[v.id]) : sums_[v.id]->value);
        if (mask != Mask::none) given.masks.push_back(*sums_[v.id]->mask);
    }
    if (!any(given.masked)) given.masked.clear();
    return given;
}

std::optional<Value> TransposeBuilder::take(Value v) {
    if (!is_linear(v) || !sums_[v.id]) return std::nullopt;
    const Value sum = apply_mask(*sums_[v.id]);
    sums_[v.id].reset();
    return sum;
}

TransposeBuilder::Sums TransposeBuilder::take_sums(const Values& operands, bool gated) {
    Sums sums;
    const auto goes_in = [&](Value v, const Cotangent& sum) {
        if (!sum.mask) return true;
        return useful_[v.id] && (sum.clean || is_tape(b_.type(*sum.mask)) || logic_.kind(*sum.mask) == Mask::elements);
    };
    for (const Value v : operands) {
        const std::optional<Cotangent>& sum = sums_[v.id];
        const bool taken = !gated && sum && goes_in(v, *sum);
        sums.there.push_back(taken);
        sums.masked.push_back(taken && sum->mask ? logic_.kind(*sum->mask) : Mask::none);
        sums.unclean.push_back(taken && sum->mask && !sum->clean && !is_tape(b_.type(*sum->mask)));
        if (!taken) continue;
        sums.values.push_back(sum->value);
        if (sum->mask) sums.masks.push_back(*sum->mask);
        sums_[v.id].reset();
    }
    if (!any(sums.masked)) sums.masked.clear();
    if (!any(sums.unclean)) sums.unclean.clear();
    return sums;
}

void TransposeBuilder::add(Value v, const Cotangent& part) {
    PM_CHECK(!part.mask || !is_tape(block_.type(v)) || is_tape(b_.type(*part.mask)) || b_.rank(*part.mask) == 0);
    if (!is_linear(v)) return;
    std::optional<Cotangent>& sum = sums_[v.id];
    if (!sum) {
        sum = part;
    } else if (sum->mask == part.mask) {
        sum->value = b_.add(sum->value, part.value);
        sum->clean = sum->clean && part.clean;
    } else {
        const Value both = b_.add(apply_mask(*sum), apply_mask(part));
        const bool masked = sum->mask && part.mask && !is_tape(b_.type(both));
        sum = Cotangent{both, masked ? logic_.either(*sum->mask, *part.mask) : std::nullopt, true};
    }
}

void TransposeBuilder::add_given(const Values& operands, const Transposed& region, const TransposeRequest& asked,
                                 const Values& made, const std::optional<Value>& gate) {
    std::size_t next = 0;
    std::size_t next_mask = count(region.has_cotangent);
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (!region.has_cotangent[i]) continue;
        Cotangent part{made[next++]};
        if (!asked.masks.empty() && asked.masks[i] != Mask::none) part.mask = made[next_mask++];
        part.clean =
            !asked.summed.empty() && asked.summed[i] != Mask::none && (asked.unclean.empty() || !asked.unclean[i]);
        add(operands[i], gated(gate, part));
    }
}

Value TransposeBuilder::apply_mask(const Cotangent& ct) {
    if (!ct.mask || ct.clean || is_tape(b_.type(*ct.mask))) return ct.value;
    return b_.select(logic_.whole(*ct.mask, b_.shape(ct.value)), ct.value, b_.zeros_like(ct.value));
}

} // namespace pm::transform
