#pragma once
#include "compiler/codegen/scalar/emit.hpp"

namespace pm::codegen {

/// Division of integers, total: x / 0 has all bits set, the least number / -1 is itself, x % 0 is x; otherwise towards
/// zero, the remainder with the dividend's sign. Vectors of up to 32 bits divide in floating point, which is exact for
/// them.
struct Division {
    Value* quotient;
    Value* remainder;
};
Division integer_divide(Emit& e, DType dtype, Value* a, Value* c);

/// Left, or right (arithmetic for signed types). Counts of the width and above, seen as unsigned, move every bit out.
Value* shift(Emit& e, DType dtype, Value* a, Value* count, bool left);

/// a to the power c by squaring; negative powers are those of the total division: 1 and -1 have them, others give 0.
Value* integer_power(Emit& e, DType dtype, Value* a, Value* c);

/// Conversion between any two dtypes of registers: floats to integers go towards zero and stop at the type's ends, NaN
/// gives 0; integers wrap; to bool is "not zero"; to floats rounds once to nearest even.
Value* convert(Emit& e, DType to, DType from, Value* x);

/// a / by and a % by for 0 <= a < 2^31 held in i64 lanes and a constant 0 < by < 2^31, by a multiplication.
Value* divide_small(Emit& e, Value* a, std::int64_t by);

} // namespace pm::codegen
