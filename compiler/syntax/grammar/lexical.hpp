#pragma once
#include "compiler/syntax/token.hpp"

namespace pm::syntax::grammar {

/// One word, number or symbol.
struct Lexeme {
    TokenKind kind = TokenKind::bad;
    const char* end = nullptr;    ///< one past the lexeme; equal to the beginning if no lexeme was recognised
    const char* suffix = nullptr; ///< for numbers: where the suffix begins (`end` if there is none)
};

/// Reads the lexeme at `begin`. With `after_point`, digits are a tuple index, not a number that may contain a point.
Lexeme read_lexeme(const char* begin, const char* end, bool after_point);

} // namespace pm::syntax::grammar
