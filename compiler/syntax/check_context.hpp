#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/syntax/ast.hpp"

#include <vector>

namespace pm::syntax {

/// Finds statements where they cannot stand: `break` and `continue` outside a loop, `return` outside a
/// function, imports and tests below the top level. Ids that are missing because of earlier errors are passed
/// over. `lost`: statements whose value nobody can use.
void check_context(const Module& module, std::vector<Diagnostic>& errors, std::vector<Diagnostic>& lost);

} // namespace pm::syntax
