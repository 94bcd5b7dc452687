#pragma once
#include "compiler/ops/core/build.hpp"

namespace pm::ops {

/// Two arrays of one shape that are scanned together: elements and tangents, or real and imaginary parts.
struct Pair {
    Value x;
    Value t;
};
using Combine = Pair(Build&, const Pair& before, const Pair& after);

/// Interleaves two arrays along an axis: even[0], odd[0], even[1], odd[1] and so on. `even` has as many elements as
/// `odd`, or one more.
Value interleave(Build& b, Value even, Value odd, int axis);

/// The inclusive scan of `combine` along `axis`. `combine` must be associative. The scan does O(n) work in O(log n)
/// instructions (Blelloch). The recursion is that of jax.lax.associative_scan, so equal elements share tangents as in
/// JAX.
Pair associative_scan(Build& b, const Pair& p, int axis, Combine* combine);

/// Like associative_scan, but computed in f64 or c128. Each result is rounded once to its dtype. In the narrower dtype,
/// a product of n factors would be rounded after each factor.
Pair scan_in_f64(Build& b, const Pair& p, int axis, Combine* combine);
using Scan = decltype(scan_in_f64);

/// Reduces `axes`. There must be at least one element along these axes. The function combines pairs of elements, then
/// pairs of the results, and so on. Like scan_in_f64, it computes in f64 or c128.
Pair pairwise_reduction(Build& b, Pair p, const ir::Integers& axes, Combine* combine);

/// Multiplies elements that have tangents. Zero factors need no special case, because no division is used. Derivatives
/// of every order need no special case either.
Pair multiply_with_tangents(Build& b, const Pair& before, const Pair& after);

/// Multiplies complex numbers, given as (real part, imaginary part).
Pair multiply_pairs(Build& b, const Pair& before, const Pair& after);

} // namespace pm::ops
