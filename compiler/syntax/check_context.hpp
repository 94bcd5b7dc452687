#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/syntax/ast.hpp"

#include <vector>

namespace pm::syntax {

/// Reports statements at places where they are not allowed: `break` and `continue` outside a loop, `return` outside a
/// function, imports and tests below the top level. It skips ids that are empty because of earlier errors. It appends
/// to `lost` a diagnostic for each statement that has no effect and whose value is not used.
void check_context(const Module& module, std::vector<Diagnostic>& errors, std::vector<Diagnostic>& lost);

} // namespace pm::syntax
