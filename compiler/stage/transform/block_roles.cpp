#include "compiler/stage/transform/block_roles.hpp"

#include "compiler/transform/core/dependence.hpp"

#include <algorithm>

namespace pm::stage {

ir::BlockPtr arranged(const BlockWithRoles& block, const RoleLayout& layout) {
    using transform::Slot;
    std::vector<Slot> slots;
    for (const auto& [role, type] : layout) {
        const auto at = std::find(block.params.begin(), block.params.end(), role);
        if (at == block.params.end())
            slots.push_back({Slot::unused, type});
        else
            slots.push_back(transform::slot(static_cast<std::size_t>(at - block.params.begin())));
    }
    return transform::with_params(*block.block, slots);
}

RoleLayout joined(RoleLayout a, const RoleLayout& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

} // namespace pm::stage
