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
/// Whether the dtype has numbers of 64 bits, or complex numbers with parts of 64 bits.
bool is_wide(DType dtype);
/// The float dtype that an argument of a float function is converted to: i64 and u64 become f64, as in JAX.
DType float_of(DType dtype);

} // namespace pm::stage
