#pragma once
#include "compiler/ops/core/build.hpp"

namespace pm::ops {

/// Two arrays of one shape that are scanned together: elements and tangents, or real and imaginary parts.
struct Pair {
    Value x;
    Value t;
};
using Combine = Pair(Build&, const Pair& before, const Pair& after);

/// even[0], odd[0], even[1], ... along an axis; `even` has as many elements as `odd` or one more.
Value interleave(Build& b, Value even, Value odd, int axis);

/// The inclusive scan of `combine`, which is associative, along `axis`: O(n) work in O(log n) instructions (Blelloch).
/// The recursion is that of jax.lax.associative_scan, so equal elements share tangents as in JAX.
Pair associative_scan(Build& b, const Pair& p, int axis, Combine* combine);

/// associative_scan, computed in f64 or c128, with each result rounded once to its dtype. In the narrower dtype, a
/// product of n factors would be rounded n times.
Pair scan_in_f64(Build& b, const Pair& p, int axis, Combine* combine);
using Scan = decltype(scan_in_f64);

/// Reduces `axes`, along which there must be at least one element. Combines pairs of elements, then pairs of the
/// results, and so on. Computes in f64 or c128, like scan_in_f64.
Pair pairwise_reduction(Build& b, Pair p, const ir::Integers& axes, Combine* combine);

/// Products of elements, each with its tangent. No division is used, so zero factors need no special case, in
/// derivatives of every order too.
Pair multiply_with_tangents(Build& b, const Pair& before, const Pair& after);

/// Products of complex numbers.
Pair multiply_pairs(Build& b, const Pair& before, const Pair& after);

} // namespace pm::ops
