#pragma once
#include "compiler/ir/type.hpp"

namespace pm::stage {
using ir::DType;

/// The result of JAX's type promotion. A weak type yields to every dtype of its kind or of a higher kind.
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
