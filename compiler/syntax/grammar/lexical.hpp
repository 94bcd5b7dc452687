#pragma once
#include "compiler/syntax/token.hpp"

namespace pm::syntax::grammar {

/// One word, number or symbol.
struct Lexeme {
    TokenKind kind = TokenKind::bad;
    const char* end = nullptr;    ///< behind it; the beginning itself when nothing was recognised
    const char* suffix = nullptr; ///< for numbers: where the suffix begins (`end` without one)
};

/// Reads what begins at `begin`. After a point digits are one index, never a number with a point of its own.
Lexeme read_lexeme(const char* begin, const char* end, bool after_point);

} // namespace pm::syntax::grammar
