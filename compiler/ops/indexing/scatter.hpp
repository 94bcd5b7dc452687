#pragma once
#include "compiler/ir/ir.hpp"
#include "runtime/array.hpp"

namespace pm::ops {

/// True if a scatter into an array of type `x`, by index arrays of shape `indices`, computes its sums or products in
/// f64 and rounds them once. It does so for narrower floats, if there are no fewer updates than places, and 16 or
/// more. Otherwise the result is rounded after each update, which avoids a conversion of all places.
bool scatters_in_f64(const ir::Inst& inst, const ir::Type& x, const runtime::Shape& indices);

} // namespace pm::ops
