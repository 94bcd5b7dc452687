#pragma once
#include "compiler/codegen/scalar/emit.hpp"

namespace pm::codegen {

/// Total division of integers. x / 0 has all bits set, the least number / -1 is itself, x % 0 is x. Otherwise the
/// quotient is truncated and the remainder has the sign of the dividend. Vectors of at most 32-bit elements divide in
/// floating point, which is exact for them.
struct Division {
    Value* quotient;
    Value* remainder;
};
Division integer_divide(Emit& e, DType dtype, Value* a, Value* c);

/// Shifts left, or right (arithmetic for signed dtypes). A count, read as unsigned, that is at least the width shifts
/// out every bit.
Value* shift(Emit& e, DType dtype, Value* a, Value* count, bool left);

/// a to the power c by squaring. If c is negative, the result is 1 or -1 for a base of 1 or -1, otherwise 0.
Value* integer_power(Emit& e, DType dtype, Value* a, Value* c);

/// Converts between any two dtypes of registers. Floats to integers truncate and saturate, NaN becomes 0. Integers
/// wrap. Conversion to bool is x != 0. Conversion to a float rounds once to nearest even.
Value* convert(Emit& e, DType to, DType from, Value* x);

/// a / by for 0 <= a < 2^31 in i64 lanes and a constant 0 < by < 2^31, by a multiplication and a shift.
Value* divide_small(Emit& e, Value* a, std::int64_t by);

} // namespace pm::codegen
