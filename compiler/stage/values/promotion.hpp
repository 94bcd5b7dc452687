#pragma once
#include "compiler/ir/type.hpp"

namespace pm::stage {
using ir::DType;

/// The result of JAX's type promotion. A weak type yields to each dtype that has its kind (bool, integer, float or
/// complex) or a higher kind.
struct Promoted {
    DType dtype;
    bool weak;
};
Promoted promote(DType a, bool a_weak, DType b, bool b_weak);
/// True for dtypes with numbers of 64 bits, and for c128, whose real and imaginary parts have 64 bits.
bool is_wide(DType dtype);
/// The float dtype to which an argument of a float function is converted. As in JAX, i64 and u64 become f64.
DType float_of(DType dtype);

} // namespace pm::stage
