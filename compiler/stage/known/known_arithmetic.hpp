#pragma once
#include "compiler/stage/core/value.hpp"
#include "compiler/syntax/ast.hpp"

namespace pm::stage {

// Arithmetic of known numbers. Weak ones compute in f64 and i64, where integers that overflow are an error. As soon as
// one is typed, both are converted to the promoted dtype and the result is what an operation on arrays of it gives.

/// Rounded down. b is not 0; the least number by -1 wraps.
std::int64_t floor_divide(std::int64_t a, std::int64_t b);
/// The number as the dtype holds it: rounded, wrapped.
Number rounded(const Number& n, DType dtype);
bool known_compare(syntax::BinaryOp op, const Number& a, const Number& b, Span span);
/// Arithmetic, bit operations and comparisons; not `and`, `or`, `in`, `@`.
Number known_binary(syntax::BinaryOp op, const Number& a, const Number& b, Span span);
/// Whether that raises because an integer would be divided by zero.
bool divides_by_zero(syntax::BinaryOp op, const Number& a, const Number& b);
/// Not of a bool.
Number known_negate(const Number& n, Span span);
Number known_bit_not(const Number& n);

} // namespace pm::stage
