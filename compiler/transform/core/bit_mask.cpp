#include "compiler/transform/core/bit_mask.hpp"

#include <algorithm>
#include <numeric>

namespace pm::transform {

std::size_t count(const BitMask& pattern) {
    return static_cast<std::size_t>(std::count(pattern.begin(), pattern.end(), true));
}
bool any(const BitMask& pattern) { return std::find(pattern.begin(), pattern.end(), true) != pattern.end(); }
bool all(const BitMask& pattern) { return std::find(pattern.begin(), pattern.end(), false) == pattern.end(); }

BitMask negated(BitMask pattern) {
    pattern.flip();
    return pattern;
}

BitMask joined(BitMask a, const BitMask& b) {
    if (a.empty()) return b;
    PM_CHECK(b.empty() || a.size() == b.size());
    for (std::size_t i = 0; i < b.size(); ++i)
        if (b[i]) a[i] = true;
    return a;
}

BitMask both(BitMask a, const BitMask& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = a[i] && b[i];
    return a;
}

BitMask concat(BitMask a, const BitMask& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

Control control_of(Op op) {
    const int region = static_cast<int>(op) - ir::flat_op_count;
    return region < 0 ? Control::flat : static_cast<Control>(region + 1);
}

LoopRoles loop_roles(const Inst& inst) {
    LoopRoles roles;
    roles.whole = static_cast<std::size_t>(inst.attrs.integer(ir::Attr::whole));
    roles.carried = static_cast<std::size_t>(inst.attrs.integer(ir::Attr::carried));
    PM_CHECK(roles.whole + roles.carried <= inst.operands.size());
    roles.sliced = inst.operands.size() - roles.whole - roles.carried;
    return roles;
}

Slot slot(std::size_t index) {
    Slot made;
    made.index = index;
    return made;
}

std::vector<Slot> slots(const std::vector<std::size_t>& order) {
    std::vector<Slot> made;
    made.reserve(order.size());
    for (const std::size_t index : order) made.push_back(slot(index));
    return made;
}

BlockPtr with_params(const ir::Block& block, const std::vector<Slot>& params) {
    auto made = std::make_shared<ir::Block>(block);
    made->params.clear();
    for (const Slot& place : params) {
        if (place.index != Slot::unused) {
            made->params.push_back(block.params[place.index]);
            continue;
        }
        made->params.push_back({static_cast<std::uint32_t>(made->values.size())});
        made->values.push_back(place.type);
    }
    return made;
}

BlockPtr with_results(const ir::Block& block, Values results) {
    auto made = std::make_shared<ir::Block>(block);
    made->results = std::move(results);
    return made;
}

std::vector<std::size_t> interleaved(const std::vector<std::size_t>& groups, const BitMask& marked) {
    std::vector<std::size_t> order;
    std::size_t item = 0;
    std::size_t extra = marked.size();
    for (const std::size_t group : groups) {
        for (std::size_t i = 0; i < group; ++i) order.push_back(item + i);
        for (std::size_t i = 0; i < group; ++i)
            if (marked[item + i]) order.push_back(extra++);
        item += group;
    }
    PM_CHECK(item == marked.size());
    return order;
}

std::vector<Type> types_of(const Build& b, const Values& values) {
    std::vector<Type> types;
    for (const Value v : values) types.push_back(b.type(v));
    return types;
}

Values params_of(Build& b, const std::vector<Type>& types) {
    Values params;
    for (const Type& type : types) params.push_back(b.param(type));
    return params;
}

BlockPtr with_last_at(const ir::Block& block, std::size_t at) {
    std::vector<std::size_t> order(block.params.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::rotate(order.begin() + static_cast<std::ptrdiff_t>(at), order.end() - 1, order.end());
    return with_params(block, slots(order));
}

BlockPtr below_count(const std::vector<Type>& params, std::size_t whole) {
    Build b("condition");
    const Values in = params_of(b, params);
    return b.finish({b.binary(Op::less, in[whole], in[0])});
}

BlockPtr rewritten(const ir::Block& block, const Step& step) {
    Build b(block.name);
    Values now(block.values.size());
    const auto renamed = [&](const Values& old) {
        Values values;
        for (const Value v : old) values.push_back(now[v.id]);
        return values;
    };
    for (const Value p : block.params) now[p.id] = b.param(block.type(p));
    for (const Inst& inst : block.insts) {
        b.set_place(inst.place);
        const Values made = step(b, inst, renamed(inst.operands));
        PM_CHECK(made.size() == inst.results.size());
        for (std::size_t i = 0; i < made.size(); ++i) now[inst.results[i].id] = made[i];
    }
    return b.finish(renamed(block.results));
}

std::string derived_name(const ir::Block& block, std::string_view suffix) {
    return block.name.empty() ? std::string() : block.name + "." + std::string(suffix);
}

std::vector<bool> live_values(const ir::Block& block) {
    std::vector<bool> live(block.values.size(), false);
    for (const Value v : block.results) live[v.id] = true;
    for (auto inst = block.insts.rbegin(); inst != block.insts.rend(); ++inst) {
        bool needed = ir::info(inst->op).has(ir::effect);
        for (const Value v : inst->results) needed = needed || live[v.id];
        for (const BlockPtr& region : inst->regions) needed = needed || ir::has_effect(*region);
        if (!needed) continue;
        for (const Value v : inst->operands) live[v.id] = true;
    }
    return live;
}

} // namespace pm::transform
