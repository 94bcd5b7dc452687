#pragma once
#include "compiler/ir/ir.hpp"
#include "runtime/array.hpp"

namespace pm::stage {

/// Evaluates as much as possible of a block whose arguments may be abstract. Throws the error of a check that fails for
/// all elements of the abstract arguments. A check is evaluated only if it is not under an unknown condition, and if
/// its operands are small arrays that depend only on known arguments.
void evaluate_known_checks(const ir::Block& block, const std::vector<runtime::Array>& arguments);

} // namespace pm::stage
