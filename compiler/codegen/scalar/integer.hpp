#pragma once
#include "compiler/codegen/scalar/emit.hpp"

namespace pm::codegen {

/// Total division of integers. x / 0 has all bits set, the least number / -1 is itself, x % 0 is x. Otherwise the
/// quotient is truncated and the remainder has the dividend's sign. Vectors of up to 32 bits divide in floating point,
/// which is exact for them.
struct Division {
    Value* quotient;
    Value* remainder;
};
Division integer_divide(Emit& e, DType dtype, Value* a, Value* c);

/// Shifts left, or right (arithmetic for signed dtypes). A count, seen as unsigned, of at least the width shifts every
/// bit out.
Value* shift(Emit& e, DType dtype, Value* a, Value* count, bool left);

/// a to the power c by squaring. A negative power is that of the total division: of 1 or -1 it is 1 or -1, of others it
/// is 0.
Value* integer_power(Emit& e, DType dtype, Value* a, Value* c);

/// Converts between any two dtypes of registers. Floats to integers truncate and saturate, NaN becomes 0. Integers
/// wrap. To bool is "not zero". To floats rounds once to nearest even.
Value* convert(Emit& e, DType to, DType from, Value* x);

/// a / by for 0 <= a < 2^31 in i64 lanes and a constant 0 < by < 2^31, by a multiplication and a shift.
Value* divide_small(Emit& e, Value* a, std::int64_t by);

} // namespace pm::codegen
