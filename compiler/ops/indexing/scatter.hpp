#pragma once
#include "compiler/ir/ir.hpp"
#include "runtime/array.hpp"

namespace pm::ops {

/// The sums or products of a scatter into an array of type `x`, by index arrays of shape `indices`, are taken in f64
/// and rounded once: of narrower floats, where there are no fewer updates than places, and 16 or more. Otherwise the
/// result is rounded after each update, which spares a conversion of all places.
bool scatters_in_f64(const ir::Inst& inst, const ir::Type& x, const runtime::Shape& indices);

} // namespace pm::ops
