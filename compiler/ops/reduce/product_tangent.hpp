#pragma once
#include "compiler/ops/core/build.hpp"

namespace pm::ops {

/// The tangent of the product of `x` over `axes`, along which there is at least one element. `x` is float or complex,
/// and `t` is its tangent. The result is computed in f64 or c128, like the product, and rounded once.
Value tangent_of_product(Build& b, Value x, Value t, const ir::Integers& axes);

} // namespace pm::ops
