#include "compiler/transform/analysis/numeric_needs.hpp"

#include "compiler/base/check.hpp"
#include "compiler/ops/core/axes.hpp"
#include "compiler/transform/core/check_masks.hpp"

#include <algorithm>

namespace pm::transform {

using ir::Attr;

namespace {

/// Combines the needs `a` and `b` of two uses of one value.
NumericNeeds::Answer merged(const NumericNeeds::Answer& a, const NumericNeeds::Answer& b) {
    const std::size_t ready = std::max(a.ready, b.ready);
    for (const Need strongest : {Need::all, Need::unknown, Need::masked})
        if (a.need == strongest || b.need == strongest) return {strongest, ready};
    return {Need::none, ready};
}

/// True if the mask of the operand can be computed from the mask of the result.
bool carries_masks(const Inst& inst) {
    switch (inst.op) {
    case Op::reshape:
    case Op::transpose:
    case Op::broadcast:
    case Op::reduce_sum: return true;
    default: return ir::info(inst.op).has(ir::elementwise);
    }
}

/// Converts a need in a region to the need outside of the region, or the reverse. The mask is known only on one side of
/// the region's boundary, so `masked` becomes `unknown`.
Need outside(Need inside) { return inside == Need::masked ? Need::unknown : inside; }

Need either(Need a, Need b) { return merged({a, 0}, {b, 0}).need; }

} // namespace

NumericNeeds::NumericNeeds(const ir::Block& block, const std::vector<Need>& results, bool within)
    : block_(block), uses_(block.values.size()), as_result_(block.values.size()), within_(within) {
    for (std::size_t i = 0; i < block.insts.size(); ++i)
        for (std::size_t o = 0; o < block.insts[i].operands.size(); ++o)
            uses_[block.insts[i].operands[o].id].push_back({i, o});
    for (std::size_t i = 0; i < block.results.size(); ++i) {
        std::optional<Need>& need = as_result_[block.results[i].id];
        const Need more = results.empty() ? Need::all : outside(results.at(i));
        need = need ? either(*need, more) : more;
    }
}

NumericNeeds::Answer NumericNeeds::of(Value v, std::size_t at) {
    if (within_) {
        answers_.clear();
        inside_.clear();
        regions_->clear();
    }
    masks_.clear();
    place_ = block_.insts[at].place.span;
    Answer found = answer(v);
    found.ready = std::max(found.ready, at + 1);
    return found;
}

Need NumericNeeds::of_param(Value v) { return answer(v).need; }

NumericNeeds::Answer NumericNeeds::answer(Value v) {
    if (const auto known = answers_.find(v.id); known != answers_.end()) return known->second;
    Answer found;
    if (as_result_[v.id]) found.need = *as_result_[v.id];
    for (const Use& use : uses_[v.id]) {
        if (found.need == Need::all) break;
        found = merged(found, of_use(use));
    }
    answers_[v.id] = found;
    return found;
}

NumericNeeds::Answer NumericNeeds::of_use(const Use& use) {
    const Inst& inst = block_.insts[use.inst];
    if (is_numeric_check(inst) || (guards_value(inst) && use.operand + 1 == inst.operands.size())) return {};
    if (within_ && inst.place.span != place_) return {Need::all, 0};
    if (ir::is_control(inst.op)) return of_region_use(use);
    if (ir::info(inst.op).has(ir::effect)) return {Need::all, 0};
    Answer of_results;
    for (const Value r : inst.results) of_results = merged(of_results, answer(r));
    if (of_results.need == Need::none) return of_results;
    if (inst.op == Op::select && use.operand > 0)
        return {of_results.need == Need::unknown ? Need::unknown : Need::masked, std::max(of_results.ready, use.inst)};
    if (of_results.need == Need::masked && !carries_masks(inst)) return {Need::unknown, 0};
    return of_results;
}

NumericNeeds& NumericNeeds::inside(const ir::Block& region, const std::vector<Need>& results) {
    std::unique_ptr<NumericNeeds>& needs = (*regions_)[{&region, results}];
    if (!needs) {
        needs = std::make_unique<NumericNeeds>(region, results, within_);
        needs->place_ = place_;
        needs->regions_ = regions_;
    }
    return *needs;
}

const std::vector<Need>& NumericNeeds::inside(std::size_t at) {
    if (const auto known = inside_.find(at); known != inside_.end()) return known->second;
    const Inst& inst = block_.insts[at];
    std::vector<Need> needs;
    for (const Value v : inst.results) needs.push_back(outside(answer(v).need));
    if (inst.op == Op::scan || inst.op == Op::while_) {
        // A carried value may matter after the loop, or to the next iteration.
        const LoopRoles roles = loop_roles(inst);
        const ir::Block& body = *inst.regions.back();
        const std::size_t first = (inst.op == Op::scan ? 1 : 0) + roles.whole;
        for (bool more = true; more;) {
            more = false;
            NumericNeeds& iteration = inside(body, needs);
            for (std::size_t i = 0; i < roles.carried; ++i) {
                const Need joint = either(needs[i], outside(iteration.of_param(body.params[first + i])));
                more = more || joint != needs[i];
                needs[i] = joint;
            }
        }
    }
    return inside_[at] = std::move(needs);
}

Need NumericNeeds::in_region(std::size_t at, std::size_t region, std::size_t param) {
    const Inst& inst = block_.insts[at];
    const ir::Block& body = *inst.regions[region];
    const bool condition = inst.op == Op::while_ && region == 0;
    NumericNeeds& needs = inside(body, condition ? std::vector<Need>{} : inside(at));
    return outside(needs.of_param(body.params.at(param)));
}

NumericNeeds::Answer NumericNeeds::of_region_use(const Use& use) {
    const Inst& inst = block_.insts[use.inst];
    const std::size_t operand = use.operand;
    switch (control_of(inst.op)) {
    case Control::call:
    case Control::pmap: return {in_region(use.inst, 0, operand), 0};
    case Control::if_: {
        if (operand == 0) return {Need::all, 0};
        const Need then = in_region(use.inst, 0, operand - 1);
        const Need otherwise = in_region(use.inst, 1, operand - 1);
        if (then == otherwise) return {then, 0};
        const bool one =
            (then == Need::none && otherwise == Need::all) || (then == Need::all && otherwise == Need::none);
        return {one ? Need::masked : Need::unknown, use.inst};
    }
    case Control::scan: return {in_region(use.inst, 0, operand + 1), 0};
    case Control::while_: return {either(in_region(use.inst, 0, operand), in_region(use.inst, 1, operand)), 0};
    case Control::custom:
    case Control::custom_linear: return {Need::all, 0};
    case Control::flat: break;
    }
    PM_UNREACHABLE();
}

Value NumericNeeds::mask(Build& b, const Values& now, Value v) {
    if (const auto known = masks_.find(v.id); known != masks_.end()) return known->second;
    std::optional<Value> all;
    for (const Use& use : uses_[v.id]) {
        if (of_use(use).need != Need::masked) continue;
        const Value one = mask_of_use(b, now, use);
        all = all ? b.binary(Op::or_, *all, one) : one;
    }
    PM_CHECK(all.has_value());
    masks_.emplace(v.id, *all);
    return *all;
}

Value NumericNeeds::mask_of_use(Build& b, const Values& now, const Use& use) {
    const Inst& inst = block_.insts[use.inst];
    const ir::Shape& shape = block_.type(inst.operands[use.operand]).shape;
    if (inst.op == Op::if_) {
        Value taken = now[inst.operands[0].id];
        if (in_region(use.inst, 0, use.operand - 1) == Need::none) taken = b.unary(Op::not_, taken);
        return b.broadcast_scalar(taken, shape);
    }
    const Value result = inst.results.at(0);
    if (inst.op == Op::select && use.operand > 0) {
        Value taken = now[inst.operands[0].id];
        if (use.operand == 2) taken = b.unary(Op::not_, taken);
        return answer(result).need == Need::masked ? b.binary(Op::and_, taken, mask(b, now, result)) : taken;
    }
    const Value after = mask(b, now, result);
    switch (inst.op) {
    case Op::reshape: return b.reshape(after, shape);
    case Op::transpose: return b.transpose(after, ops::inverse(inst.attrs.integers(Attr::permutation)));
    case Op::broadcast:
        return b.reduce(Op::reduce_or, after, ops::other_axes(b.shape(after).size(), inst.attrs.integers(Attr::dims)));
    case Op::reduce_sum:
        return b.broadcast(after, shape, ops::other_axes(shape.size(), inst.attrs.integers(Attr::axes)));
    default: return after;
    }
}

std::vector<Need> needs_of_params(const ir::Block& block) {
    NumericNeeds needs(block, {}, false);
    std::vector<Need> all;
    for (const Value p : block.params) all.push_back(needs.of_param(p));
    return all;
}

} // namespace pm::transform
