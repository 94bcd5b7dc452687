#pragma once
#include "compiler/syntax/ast.hpp"

#include <string>

namespace pm::syntax {

/// The tree as text, for tests and the check of the formatter: one line for each statement, nested ones indented by two
/// blanks, expressions as `(+ a (* b c))`. Spans are left out.
std::string print(const Module& module);
/// One expression, on one line.
std::string print(const Module& module, ExprId expression);

} // namespace pm::syntax
