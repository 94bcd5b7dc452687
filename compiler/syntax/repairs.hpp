#pragma once
#include "compiler/syntax/token.hpp"

#include <string>
#include <string_view>

namespace pm::syntax {

/// A repair for a mistake that users of other languages often make. Empty for other mistakes. The statement begins at
/// `first`, and the grammar expected `expected` at `where`.
std::string repair(const Tokens& tokens, const Token* first, const Token* where, std::string_view expected);

/// A repair for a symbol that the language does not have: `&&`, `:=`, 'text' ... Empty for other symbols.
std::string_view repair_of_symbol(std::string_view symbol);

/// The innermost bracket that is open at `where`, if it was opened at `first` or later. Null otherwise.
const Token* enclosing_bracket(const Token* first, const Token* where);

} // namespace pm::syntax
