#pragma once
#include "compiler/ir/ir.hpp"
#include "runtime/array.hpp"

namespace pm::stage {

/// Evaluates as much as possible of a block whose arguments may be abstract. If a check fails for all elements that the
/// abstract arguments could have, throws the error of the check. A check is evaluated only if its operands are small
/// arrays that depend only on known arguments, and if it is not under an unknown condition.
void evaluate_known_checks(const ir::Block& block, const std::vector<runtime::Array>& arguments);

} // namespace pm::stage
