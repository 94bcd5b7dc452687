#pragma once
#include "compiler/syntax/token.hpp"

namespace pm::syntax::grammar {

/// One word, number or symbol.
struct Lexeme {
    TokenKind kind = TokenKind::bad;
    const char* end = nullptr;    ///< one past the lexeme; the beginning if nothing was recognised
    const char* suffix = nullptr; ///< for numbers: where the suffix begins (`end` if there is none)
};

/// Reads the lexeme at `begin`. Digits after a point are one index, never a number with another point.
Lexeme read_lexeme(const char* begin, const char* end, bool after_point);

} // namespace pm::syntax::grammar
