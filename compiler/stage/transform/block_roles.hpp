#pragma once
#include "compiler/ir/ir.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace pm::stage {

/// The role of a parameter of a block that is staged for custom_jvp, custom_vjp or a linear function. `index` is the
/// number of the parameter among the parameters of the same kind.
struct Role {
    enum class Kind : std::uint8_t {
        closed,    ///< a value that a function has captured
        argument,  ///< a leaf of the arguments
        tangent,   ///< the tangent of an argument's leaf
        residual,  ///< a value that fwd passes to bwd
        cotangent, ///< the cotangent of a leaf of the result
    };
    Kind kind;
    std::size_t index = 0;
    bool operator==(const Role&) const = default;
};

/// A block with the roles of its parameters.
struct BlockWithRoles {
    ir::BlockPtr block;
    std::vector<Role> params;
};

/// The parameters that a region of an instruction must have, in order: their roles and types.
using RoleLayout = std::vector<std::pair<Role, ir::Type>>;
RoleLayout joined(RoleLayout a, const RoleLayout& b);

/// The block with the parameters of `layout`. If no parameter of `block` has a role in `layout`, the new parameter with
/// this role is unused.
ir::BlockPtr arranged(const BlockWithRoles& block, const RoleLayout& layout);

} // namespace pm::stage
