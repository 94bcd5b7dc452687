#include "compiler/transform/core/invariant.hpp"

#include "compiler/base/check.hpp"

#include <algorithm>

namespace pm::transform {

namespace {

constexpr std::uint32_t stays = ir::effect | ir::collective | ir::in_place;

bool has_what_stays(const ir::Block& block) {
    return ir::any_inst(block, [](const Inst& inst) {
        return inst.op == Op::while_ || (!ir::is_control(inst.op) && (ir::info(inst.op).traits & stays) != 0);
    });
}

bool moves_whole(const Inst& inst) {
    return std::none_of(inst.regions.begin(), inst.regions.end(),
                        [](const BlockPtr& region) { return has_what_stays(*region); });
}

} // namespace

BitMask Invariants::results(const Inst& inst, const BitMask& operands) {
    BitMask none(inst.results.size(), false);
    const auto whole = [&](bool moves) { return BitMask(inst.results.size(), moves && all(operands)); };
    const auto sides = [&] { return part(operands, 1, operands.size()); };
    switch (control_of(inst.op)) {
    case Control::flat: return whole((ir::info(inst.op).traits & stays) == 0);
    case Control::call: return region(inst.regions[0], operands).results;
    case Control::if_:
        return operands[0] ? both(region(inst.regions[0], sides()).results, region(inst.regions[1], sides()).results)
                           : none;
    case Control::scan:
    case Control::custom: return whole(moves_whole(inst));
    case Control::while_:
    case Control::pmap:
    case Control::custom_linear: return none;
    }
    PM_UNREACHABLE();
}

BitMask Invariants::values(const ir::Block& block, const BitMask& params) {
    BitMask same(block.values.size(), false);
    for (std::size_t i = 0; i < params.size(); ++i) same[block.params[i].id] = params[i];
    for (const Inst& inst : block.insts) {
        BitMask operands;
        for (const Value v : inst.operands) operands.push_back(same[v.id]);
        const BitMask made = results(inst, operands);
        for (std::size_t i = 0; i < made.size(); ++i) same[inst.results[i].id] = made[i];
    }
    return same;
}

Values Invariants::make(Build& b, const Inst& inst, const BitMask& operands, const Values& same) {
    const Control control = control_of(inst.op);
    if (control == Control::call) return b.emit(Op::call, same, inst.attrs, {region(inst.regions[0], operands).block});
    if (control != Control::if_) return b.copy(inst, same);
    const BitMask made = results(inst, operands);
    std::vector<BlockPtr> sides;
    for (const BlockPtr& side : inst.regions) {
        const Region& found = region(side, part(operands, 1, operands.size()));
        sides.push_back(with_results(*found.block, pick(found.block->results, pick(made, found.results))));
    }
    return b.emit(Op::if_, same, inst.attrs, std::move(sides));
}

const Invariants::Region& Invariants::region(const BlockPtr& block, const BitMask& params) {
    const auto key = std::make_pair(block, params);
    if (const auto found = regions_.find(key); found != regions_.end()) return found->second;
    const BitMask same = values(*block, params);
    Region made;
    for (const Value v : block->results) made.results.push_back(same[v.id]);
    Build b(derived_name(*block, "same"));
    Values in(params.size());
    for (std::size_t i = 0; i < params.size(); ++i)
        if (params[i]) in[i] = b.param(block->type(block->params[i]));
    Outside outside(b, *block, *this, same, in);
    Values results;
    for (const Value v : pick(block->results, made.results)) results.push_back(outside.make(v));
    made.block = b.finish(std::move(results));
    return regions_.emplace(key, std::move(made)).first->second;
}

Outside::Outside(Build& b, const ir::Block& body, Invariants& invariants, BitMask same, const Values& params)
    : b_(b), invariants_(invariants), same_(std::move(same)), made_(body.values.size()),
      definitions_(body.values.size()) {
    for (std::size_t i = 0; i < params.size(); ++i) made_[body.params[i].id] = params[i];
    for (const Inst& inst : body.insts)
        for (const Value v : inst.results) definitions_[v.id] = &inst;
}

Value Outside::make(Value v) {
    if (made_[v.id]) return made_[v.id];
    PM_CHECK(same_[v.id] && definitions_[v.id] != nullptr, "a value that iterations change");
    const Inst& inst = *definitions_[v.id];
    BitMask operands;
    Values same;
    for (const Value o : inst.operands) {
        operands.push_back(same_[o.id]);
        if (same_[o.id]) same.push_back(make(o));
    }
    Values results;
    for (const Value r : inst.results)
        if (same_[r.id]) results.push_back(r);
    const ir::Place outer = b_.raw().place();
    b_.set_place(inst.place);
    const Values made = invariants_.make(b_, inst, operands, same);
    b_.set_place(outer);
    for (std::size_t i = 0; i < results.size(); ++i) made_[results[i].id] = made[i];
    return made_[v.id];
}

} // namespace pm::transform
