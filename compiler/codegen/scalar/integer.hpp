#pragma once
#include "compiler/codegen/scalar/emit.hpp"

namespace pm::codegen {

/// Division of integers, defined for all operands. x / 0 has all bits set, and x % 0 is x. The least number divided by
/// -1 is the least number. For other operands the quotient is truncated, and the remainder has the sign of the
/// dividend. Vectors of elements of at most 32 bits are divided in floating point, with exact results.
struct Division {
    Value* quotient;
    Value* remainder;
};
Division integer_divide(Emit& e, DType dtype, Value* a, Value* c);

/// Shifts `a` left if `left` is true, otherwise right. A right shift of a signed dtype is arithmetic. The count is read
/// as unsigned. A count of at least the width of the dtype shifts out every bit.
Value* shift(Emit& e, DType dtype, Value* a, Value* count, bool left);

/// a to the power c by squaring. If c is negative, the result is 1 or -1 for a base of 1 or -1, and 0 for all other
/// bases.
Value* integer_power(Emit& e, DType dtype, Value* a, Value* c);

/// Converts between any two dtypes of registers. From float to integer, a value is truncated and saturated, and a NaN
/// becomes 0. From integer to integer, a value wraps. To bool, the result is x != 0. To float, a value is rounded once
/// to nearest even.
Value* convert(Emit& e, DType to, DType from, Value* x);

/// a / by, computed by a multiplication and a shift. The lanes of a are i64 with 0 <= a < 2^31, and 0 < by < 2^31.
Value* divide_small(Emit& e, Value* a, std::int64_t by);

} // namespace pm::codegen
