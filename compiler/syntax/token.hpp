#pragma once
#include "compiler/base/span.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pm::syntax {

enum class TokenKind : std::uint8_t {
#define TOKEN(id, text) id,
#define SYMBOL(id, text) id,
#define KEYWORD(id, text) id,
#define CONTEXTUAL(id, text) id,
#include "compiler/syntax/tokens.def"
};

struct Token {
    TokenKind kind;
    /// integer, real, imaginary: the offset of the suffix. text_piece, format: the index in `texts`.
    /// kw_fn: one more than the index of its documentation in `texts`, or 0.
    /// missing: the index of the token of the unclosed bracket.
    /// Closing brackets: 1 if there is no matching opening bracket.
    std::uint32_t extra = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t depth = 0; ///< the number of brackets around the token; a bracket is not around itself
};

/// The tokens of one source, from the lexer. The layout pass then removes newlines that end no statement, and
/// determines the kinds of braces. The last token is `end`.
struct Tokens {
    std::uint32_t source = 0;
    std::string_view text; ///< the whole source
    std::vector<Token> list;
    std::vector<std::string> texts; ///< unescaped pieces of string literals, formats, and documentation

    std::string_view text_of(const Token& token) const { return text.substr(token.begin, token.end - token.begin); }
    Span span_of(const Token& token) const { return {source, token.begin, token.end}; }
};

/// The text of a kind in messages: "`+=`", "`let`", "a number".
std::string_view shown(TokenKind kind);
/// The text of a symbol or keyword. Empty for other kinds.
std::string_view spelling(TokenKind kind);

constexpr bool is_keyword(TokenKind k) { return k >= TokenKind::kw_let && k <= TokenKind::kw_pmean; }
constexpr bool is_transform(TokenKind k) { return k >= TokenKind::kw_pmap && k <= TokenKind::kw_pmean; }
constexpr bool is_name(TokenKind k) { return k == TokenKind::word || k >= TokenKind::cw_test; }
constexpr bool is_any_word(TokenKind k) { return is_name(k) || is_keyword(k); }
constexpr bool is_closer(TokenKind k) {
    return k == TokenKind::round_close || k == TokenKind::square_close || k == TokenKind::record_close ||
           k == TokenKind::block_close;
}
constexpr bool is_assignment(TokenKind k) { return k >= TokenKind::assign && k <= TokenKind::greater_greater_assign; }
/// Whether the token is a binary operator. False for the `not` of `not in`, because `not` alone is a prefix operator.
constexpr bool is_binary_operator(TokenKind k) {
    return (k >= TokenKind::plus && k <= TokenKind::not_equal && k != TokenKind::tilde) || k == TokenKind::dot_dot ||
           k == TokenKind::kw_and || k == TokenKind::kw_or || k == TokenKind::kw_in;
}

} // namespace pm::syntax
