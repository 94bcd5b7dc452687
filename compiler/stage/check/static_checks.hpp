#pragma once
#include "compiler/ir/ir.hpp"
#include "runtime/array.hpp"

namespace pm::stage {

/// Evaluates a block whose arguments may be abstract, as far as possible. Throws the error of a check that fails for
/// any elements of the abstract ones. Such a check is under no unknown condition, and its operands are small arrays
/// computed from known arguments.
void evaluate_known_checks(const ir::Block& block, const std::vector<runtime::Array>& arguments);

} // namespace pm::stage
