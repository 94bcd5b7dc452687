#include "compiler/transform/invariant.hpp"

namespace pm::transform {

std::vector<bool> invariant_values(const ir::Block& body, std::size_t first, std::size_t whole) {
    std::vector<bool> invariant(body.values.size(), false);
    for (std::size_t i = 0; i < whole; ++i) invariant[body.params[first + i].id] = true;
    for (const Inst& inst : body.insts) {
        constexpr std::uint32_t stays = ir::effect | ir::collective | ir::in_place;
        if (ir::is_control(inst.op) || (ir::info(inst.op).traits & stays) != 0) continue;
        bool same = true;
        for (const Value v : inst.operands) same = same && invariant[v.id];
        for (const Value v : inst.results) invariant[v.id] = same;
    }
    return invariant;
}

Outside::Outside(Build& b, const ir::Block& body, std::size_t first, const Values& whole)
    : b_(b), made_(body.values.size()), definitions_(body.values.size()) {
    for (std::size_t i = 0; i < whole.size(); ++i) made_[body.params[first + i].id] = whole[i];
    for (const Inst& inst : body.insts)
        for (const Value v : inst.results) definitions_[v.id] = &inst;
}

Value Outside::make(Value v) {
    if (made_[v.id]) return made_[v.id];
    const Inst& inst = *definitions_[v.id];
    Values operands;
    for (const Value o : inst.operands) operands.push_back(make(o));
    const Values results = b_.copy(inst, operands);
    for (std::size_t i = 0; i < results.size(); ++i) made_[inst.results[i].id] = results[i];
    return made_[v.id];
}

} // namespace pm::transform
