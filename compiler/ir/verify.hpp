#pragma once
#include "compiler/ir/ir.hpp"

#include <string_view>

namespace pm::ir {

/// Returns the types that the results of a flat instruction must have. compiler/ops/ implements it.
using TypeRule = std::vector<Type> (*)(const Inst& inst, const std::vector<Type>& operand_types);

/// Checks a block and its regions. Each value must have one definition, before its uses. The numbers of operands and
/// results, their types, and the attributes must be correct. Throws an internal error that names the instruction and
/// `after`, the pass that returned the block.
void verify(const Block& block, TypeRule types, std::string_view after);

} // namespace pm::ir
