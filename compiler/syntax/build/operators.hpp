#pragma once
#include "compiler/syntax/build/grammar_parts.hpp"

#include <optional>

namespace pm::syntax {

/// Binding strengths, loosest first, as in the language's list of operators. `with` is looser than all of
/// them.
enum class Precedence : std::uint8_t {
    disjunction,
    conjunction,
    negation,
    comparison,
    range,
    bit_or,
    bit_xor,
    bit_and,
    shift,
    sum,
    product,
    unary,
    power,
};

Precedence precedence(const Operator& op);
Precedence precedence(UnaryOp op);

/// The operator of a token between operands. `not in` is the token `not`.
std::optional<Operator> binary_operator(TokenKind kind);
std::optional<UnaryOp> prefix_operator(TokenKind kind);
/// The operator of `=`, `+=` ... `min=` and `max=` are two tokens, and are not handled here.
std::optional<UpdateOp> update_operator(TokenKind kind);

/// As written: "..", "not in".
std::string_view spelling(const Operator& op);

} // namespace pm::syntax
