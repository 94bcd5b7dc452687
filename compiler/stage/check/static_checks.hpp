#pragma once
#include "compiler/ir/ir.hpp"
#include "runtime/array.hpp"

namespace pm::stage {

/// Evaluates a block whose arguments may be abstract, as far as possible. Throws the error of a check that fails
/// whatever the elements of the abstract arguments. Only checks outside of unknown conditions count, whose operands are
/// small arrays computed from known arguments.
void evaluate_known_checks(const ir::Block& block, const std::vector<runtime::Array>& arguments);

} // namespace pm::stage
