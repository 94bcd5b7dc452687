#pragma once
#include "compiler/ir/ir.hpp"

#include <string_view>

namespace pm::ir {

/// Returns the types that the results of an instruction without regions must have. compiler/ops/ implements this
/// function.
using TypeRule = std::vector<Type> (*)(const Inst& inst, const std::vector<Type>& operand_types);

/// Checks a block and its regions. Each value must have one definition, which must come before its uses. The numbers of
/// operands and results, their types, and the attributes must be correct. If the block is not valid, throws an internal
/// error that names the instruction and `after`, the pass that returned the block.
void verify(const Block& block, TypeRule types, std::string_view after);

} // namespace pm::ir
