#pragma once
#include "compiler/stage/values/promotion.hpp"
#include "compiler/stage/values/value.hpp"
#include "compiler/syntax/ast.hpp"

namespace pm::stage {

// Arithmetic of known numbers. Arithmetic on weak numbers is in f64 and i64, and integer overflow is an error. If an
// operand has a dtype, both operands are converted to the promoted dtype. The result then equals the result of the same
// operation on arrays of this dtype.

/// The quotient a / b, rounded down. `b` must not be 0. The least number divided by -1 is the least number.
std::int64_t floor_divide(std::int64_t a, std::int64_t b);
/// The number converted to the dtype. Floats are rounded, and integers wrap around.
Number rounded(const Number& n, DType dtype);
/// The number converted to this type. If the type is weak, the number is not rounded.
Number with_type(Number n, Promoted type);
bool known_compare(syntax::BinaryOp op, const Number& a, const Number& b, Span span);
/// The result of an arithmetic, bitwise or comparison operator. The operators `and`, `or`, `in` and `@` are not
/// allowed.
Number known_binary(syntax::BinaryOp op, const Number& a, const Number& b, Span span);
/// Raises if `made`, the result of the operator `op` on integers, has wrapped around. Used for --check-overflow.
void require_not_wrapped(syntax::BinaryOp op, const Number& a, const Number& b, const Number& made, Span span);
/// The same for the conversion of an integer to the dtype.
void require_not_wrapped(const Number& n, DType dtype, Span span);
/// True if known_binary would raise the error that an integer is divided by zero.
bool divides_by_zero(syntax::BinaryOp op, const Number& a, const Number& b);
/// The negation of a number that is not a bool.
Number known_negate(const Number& n, Span span);
Number known_bit_not(const Number& n);

} // namespace pm::stage
