#pragma once
#include "compiler/syntax/ast.hpp"

#include <string>

namespace pm::syntax {

/// The tree as text, for tests and the check of the formatter. Each statement is one line; nested statements are
/// indented by two blanks. Expressions have the form `(+ a (* b c))`. Spans are not printed.
std::string print(const Module& module);
/// One expression, on one line.
std::string print(const Module& module, ExprId expression);

} // namespace pm::syntax
