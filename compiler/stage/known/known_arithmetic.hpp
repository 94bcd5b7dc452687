#pragma once
#include "compiler/stage/values/promotion.hpp"
#include "compiler/stage/values/value.hpp"
#include "compiler/syntax/ast.hpp"

namespace pm::stage {

// Arithmetic of known numbers. Arithmetic on weak numbers is in f64 and i64, and integer overflow is an error. If an
// operand has a dtype, both operands are converted to the promoted dtype, and the result is that of the same operation
// on arrays of this dtype.

/// a / b rounded down. b is not 0; the least number divided by -1 wraps.
std::int64_t floor_divide(std::int64_t a, std::int64_t b);
/// The number converted to the dtype: rounded or wrapped.
Number rounded(const Number& n, DType dtype);
/// The number with this type. If the type is weak, the number is not rounded.
Number with_type(Number n, Promoted type);
bool known_compare(syntax::BinaryOp op, const Number& a, const Number& b, Span span);
/// The result of an arithmetic, bitwise or comparison operator; not of `and`, `or`, `in`, `@`.
Number known_binary(syntax::BinaryOp op, const Number& a, const Number& b, Span span);
/// Whether known_binary raises because an integer would be divided by zero.
bool divides_by_zero(syntax::BinaryOp op, const Number& a, const Number& b);
/// The negation of a number that is not a bool.
Number known_negate(const Number& n, Span span);
Number known_bit_not(const Number& n);

} // namespace pm::stage
