#pragma once
#include "compiler/ops/reduce/pair_scan.hpp"
#include "runtime/dtype.hpp"

/// Derivatives of maxima and minima. The tangent is the mean of the tangents of those elements that are equal to the
/// result. If the result is NaN, the tangent is as in JAX. It is NaN for reductions. It is zero for max and min of two
/// numbers and for scatters.
namespace pm::ops {

/// The tangent of a reduction. `all` broadcasts a value from the result's shape to the operand's shape, and `sum`
/// reduces a value to the result's shape.
template <class All, class Sum>
Value mean_of_equals(Build& b, Value x, Value tangent, Value out, All&& all, Sum&& sum) {
    const Value repeated = all(out);
    const Value equal = b.compare(ir::Op::equal, x, repeated);
    // If the result is NaN, every element is treated as equal to the result. So all cotangents are NaN in reverse mode
    // too.
    const Value counts = b.binary(ir::Op::or_, equal, b.compare(ir::Op::not_equal, repeated, repeated));
    const Value total = sum(b.select(counts, tangent, b.zeros_like(tangent)));
    const Value count = sum(b.convert(counts, b.dtype(out)));
    return b.div(total, b.select(b.compare(ir::Op::equal, out, out), count, out));
}

/// The tangent of the greater or the lesser of two numbers. Where the numbers are equal, the tangent is the mean of
/// both tangents.
inline Value tangent_of_extremum(Build& b, Value out, const Pair& x, const Pair& y) {
    const Value only_x = b.compare(ir::Op::not_equal, y.x, out);
    const Value only_y = b.compare(ir::Op::not_equal, x.x, out);
    const Value mean = b.scale(b.add(x.t, y.t), 0.5);
    const Value of_x = b.select(only_y, b.zeros_like(out), x.t);
    return b.select(only_x, of_x, b.select(only_y, y.t, mean));
}

} // namespace pm::ops
