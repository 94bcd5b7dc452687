#pragma once
#include "compiler/ops/core/build.hpp"

namespace pm::ops {

/// The tangent of the product of `x` over `axes`. There must be at least one element along these axes. `x` is float or
/// complex, and `t` is the tangent of `x`. The result is computed in f64 or c128, like the product, and rounded once.
Value tangent_of_product(Build& b, Value x, Value t, const ir::Integers& axes);

} // namespace pm::ops
