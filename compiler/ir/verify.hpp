#pragma once
#include "compiler/ir/ir.hpp"

#include <string_view>

namespace pm::ir {

/// The types a flat operation's results must have; compiler/ops/ supplies it.
using TypeRule = std::vector<Type> (*)(const Inst& inst, const std::vector<Type>& operand_types);

/// Checks a block and its regions: every value defined once and before its use, operand and result counts, types by the
/// rules, attributes present. An internal error names `after`, the pass that made the block, and the instruction.
void verify(const Block& block, TypeRule types, std::string_view after);

} // namespace pm::ir
