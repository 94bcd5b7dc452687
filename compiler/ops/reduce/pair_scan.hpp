#pragma once
#include "compiler/ops/core/build.hpp"

namespace pm::ops {

/// Two arrays of one shape that are scanned together: elements and tangents, real and imaginary parts.
struct Pair {
    Value x;
    Value t;
};
using Combine = Pair(Build&, const Pair& before, const Pair& after);

/// even[0], odd[0], even[1], ... along an axis; `even` has as many elements as `odd` or one more.
Value interleave(Build& b, Value even, Value odd, int axis);

/// The inclusive scan of `combine`, which is associative, along `axis`: O(n) work in O(log n) instructions
/// (Blelloch). The recursion, and with it the sharing of tangents among ties, is that of jax.lax.associative_scan.
Pair associative_scan(Build& b, const Pair& p, int axis, Combine* combine);

/// The same in f64 or c128, with each result rounded once to its dtype. Otherwise products of n factors have n
/// roundings.
Pair scan_in_f64(Build& b, const Pair& p, int axis, Combine* combine);
using Scan = decltype(scan_in_f64);

/// All elements over `axes`, at least one, combined into one: pairs, then pairs of those, in f64 or c128 too.
Pair pairwise_reduction(Build& b, Pair p, const ir::Integers& axes, Combine* combine);

/// Products of elements, each with its tangent. There is no division, so zeros are handled like other factors, in
/// derivatives of every order.
Pair multiply_with_tangents(Build& b, const Pair& before, const Pair& after);

/// Products of complex numbers.
Pair multiply_pairs(Build& b, const Pair& before, const Pair& after);

} // namespace pm::ops
