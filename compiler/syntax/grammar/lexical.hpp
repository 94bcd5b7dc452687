#pragma once
#include "compiler/syntax/token.hpp"

namespace pm::syntax::grammar {

/// One word, number or symbol.
struct Lexeme {
    TokenKind kind = TokenKind::bad;
    const char* end = nullptr; ///< one past the lexeme; equal to the beginning if no lexeme was recognised
    /// for numbers: the beginning of the suffix; equal to `end` if the number has no suffix
    const char* suffix = nullptr;
};

/// Reads the lexeme at `begin`. If `after_point` is true, digits are a tuple index, not a number that may contain a
/// point.
Lexeme read_lexeme(const char* begin, const char* end, bool after_point);

} // namespace pm::syntax::grammar
