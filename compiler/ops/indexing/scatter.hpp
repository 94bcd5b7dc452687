#pragma once
#include "compiler/ir/ir.hpp"
#include "runtime/array.hpp"

namespace pm::ops {

/// True if a scatter computes its sums or products in f64 and rounds them once. `x` is the type of the array, and
/// `indices` is the shape of the index arrays. Three conditions must hold: x has a float dtype narrower than f64; there
/// are at least 16 updates; there are at least as many updates as elements along the indexed axes. If one of them does
/// not hold, the result is rounded after each update. This avoids a conversion of all elements.
bool scatters_in_f64(const ir::Inst& inst, const ir::Type& x, const runtime::Shape& indices);

} // namespace pm::ops
