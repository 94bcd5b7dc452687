#include "compiler/ir/op.hpp"

#include <array>

namespace pm::ir {
namespace {

/// Removes the trailing `_` of a name. An enumerator has a trailing `_` if its name would be a C++ keyword without it.
constexpr std::string_view bare(std::string_view name) {
    if (name.ends_with('_')) name.remove_suffix(1);
    return name;
}

constexpr std::array op_census = {
#define OP(name, operands, results, traits) OpInfo{bare(#name), operands, results, traits},
#include "compiler/ir/ops.def"
#undef OP
#define CONTROL(name, said) OpInfo{bare(#name), -1, -1, control},
#include "compiler/ir/control.def"
#undef CONTROL
};
static_assert(op_census.size() == op_count);

} // namespace

const OpInfo& info(Op op) { return op_census[static_cast<std::size_t>(op)]; }

std::optional<Op> op_named(std::string_view name) {
    for (std::size_t i = 0; i < op_census.size(); ++i)
        if (op_census[i].name == name) return static_cast<Op>(i);
    return std::nullopt;
}

} // namespace pm::ir
