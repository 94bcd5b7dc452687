#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/syntax/ast.hpp"

#include <vector>

namespace pm::syntax {

/// Reports statements at places where they are not allowed: `break` and `continue` outside a loop, `return` outside a
/// function, imports and tests below the top level. If a statement has no effect and its value is not used, a
/// diagnostic is appended to `lost`. Ids that are empty because of earlier errors are skipped.
void check_context(const Module& module, std::vector<Diagnostic>& errors, std::vector<Diagnostic>& lost);

} // namespace pm::syntax
