#pragma once
#include "compiler/syntax/token.hpp"

#include <string>
#include <string_view>

namespace pm::syntax {

/// The text of a repair for a mistake that users of other languages often make. Empty for other mistakes. The statement
/// begins at `first`, and the grammar expected `expected` at `where`.
std::string repair(const Tokens& tokens, const Token* first, const Token* where, std::string_view expected);

/// A repair for a symbol that the language does not have: `&&`, `:=`, 'text' ... Empty for other symbols.
std::string_view repair_of_symbol(std::string_view symbol);

/// The innermost bracket that is open at `where`. Null if no bracket is open there, or if the bracket was opened before
/// `first`.
const Token* enclosing_bracket(const Token* first, const Token* where);

} // namespace pm::syntax
