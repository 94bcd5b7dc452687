#pragma once
#include "compiler/ir/ir.hpp"
#include "runtime/array.hpp"

namespace pm::stage {

/// Goes through a block whose arguments may be abstract, and throws the error of a check that fails whatever the
/// abstract ones hold: one that stands under no condition and looks at small arrays whose elements follow from the
/// arguments that are there.
void foresee(const ir::Block& block, const std::vector<runtime::Array>& arguments);

} // namespace pm::stage
