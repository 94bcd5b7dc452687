#pragma once
#include "compiler/syntax/build/grammar_parts.hpp"

#include <optional>

namespace pm::syntax {

/// The precedences of operators, lowest first, as in the language's list of operators. `with` has a lower precedence
/// than all operators.
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

/// The binary operator of a token. For the token `not`, returns the operator `not in`.
std::optional<Operator> binary_operator(TokenKind kind);
std::optional<UnaryOp> prefix_operator(TokenKind kind);
/// The update operator of a token `=`, `+=` ... Empty for the tokens of `min=` and `max=`, which consist of two tokens.
std::optional<UpdateOp> update_operator(TokenKind kind);

/// The text of the operator: "..", "not in" ...
std::string_view spelling(const Operator& op);

} // namespace pm::syntax
