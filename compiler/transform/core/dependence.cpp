#include "compiler/transform/core/dependence.hpp"

#include "compiler/transform/core/custom.hpp"

namespace pm::transform {
namespace {

/// Returns the marks of the parameters of a loop's body, computed from the marks of its operands and carried values.
BitMask body_params(const Inst& inst, const BitMask& operands, const BitMask& carried) {
    const LoopRoles roles = loop_roles(inst);
    BitMask params;
    if (inst.op == Op::scan) params.push_back(false); // the index depends on no operand
    params = concat(std::move(params), part(operands, 0, roles.whole));
    params = concat(std::move(params), carried);
    return concat(std::move(params), part(operands, roles.whole + roles.carried, operands.size()));
}

} // namespace

const BitMask& Dependence::results(const BlockPtr& block, const BitMask& params) {
    const auto key = std::make_pair(block, params);
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
    return known_.emplace(key, find(*block, params)).first->second;
}

BitMask Dependence::find(const ir::Block& block, const BitMask& params) {
    BitMask marked(block.values.size(), false);
    for (std::size_t i = 0; i < params.size(); ++i) marked[block.params[i].id] = params[i];
    for (const Inst& inst : block.insts) {
        BitMask operands;
        for (const Value v : inst.operands) operands.push_back(marked[v.id]);
        if (!any(operands)) continue;
        const BitMask found = results(inst, operands);
        for (std::size_t i = 0; i < found.size(); ++i) marked[inst.results[i].id] = found[i];
    }
    BitMask found;
    for (const Value v : block.results) found.push_back(marked[v.id]);
    return found;
}

BitMask Dependence::carried(const Inst& inst, const BitMask& operands) {
    const LoopRoles roles = loop_roles(inst);
    const BlockPtr& body = inst.regions.back();
    BitMask carried = part(operands, roles.whole, roles.whole + roles.carried);
    for (;;) {
        const BitMask params = body_params(inst, operands, carried);
        BitMask next = joined(carried, part(results(body, params), 0, roles.carried));
        if (inst.op == Op::while_ && any(results(inst.regions[0], params))) next.assign(roles.carried, true);
        if (next == carried) return carried;
        carried = std::move(next);
    }
}

BitMask Dependence::results(const Inst& inst, const BitMask& operands) {
    switch (control_of(inst.op)) {
    case Control::call:
    case Control::custom:
    case Control::pmap: return results(inst.regions[0], operands);
    case Control::if_: {
        if (operands[0]) return BitMask(inst.results.size(), true);
        const BitMask args = part(operands, 1, operands.size());
        return joined(results(inst.regions[0], args), results(inst.regions[1], args));
    }
    case Control::while_: return carried(inst, operands);
    case Control::scan: {
        BitMask found = carried(inst, operands);
        const BitMask body = results(inst.regions[0], body_params(inst, operands, found));
        return concat(std::move(found), part(body, loop_roles(inst).carried, body.size()));
    }
    case Control::custom_linear:
        if (const BlockPtr callee = forward_of(inst)) return results(callee, operands);
        [[fallthrough]];
    case Control::flat: return BitMask(inst.results.size(), any(operands));
    }
    PM_UNREACHABLE();
}

} // namespace pm::transform
