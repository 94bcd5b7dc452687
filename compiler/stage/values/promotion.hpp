#pragma once
#include "compiler/ir/type.hpp"

namespace pm::stage {
using ir::DType;

/// JAX's promotion. Weak types yield to typed ones of their kind or above.
struct Promoted {
    DType dtype;
    bool weak;
};
Promoted promote(DType a, bool a_weak, DType b, bool b_weak);
/// Whether it is a dtype of numbers with 64 bits, or of complex numbers with two of them.
bool is_wide(DType dtype);
/// The float dtype that values of this dtype become as arguments of a float function: i64 and u64 need f64, as in JAX.
DType float_of(DType dtype);

} // namespace pm::stage
