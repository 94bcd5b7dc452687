#pragma once
#include "compiler/ops/core/build.hpp"

namespace pm::ops {

/// The tangent of the product of `x`, floats or complex, over `axes`, along which there is at least one element. `t`
/// is the tangent of `x`. It is computed in f64 or c128, as the product is, and rounded once.
Value tangent_of_product(Build& b, Value x, Value t, const ir::Integers& axes);

} // namespace pm::ops
