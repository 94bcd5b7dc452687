#pragma once
#include "compiler/ops/reduce/pair_scan.hpp"
#include "runtime/dtype.hpp"

/// Derivatives of greatest and least elements: the mean of the tangents of the elements equal to the result. With a NaN
/// they are JAX's: the tangent is NaN for reductions, and zero for two numbers and for updates.
namespace pm::ops {

/// For reductions: `all` broadcasts a value of the result's shape to the operand's, `sum` reduces it again.
template <class All, class Sum>
Value mean_of_equals(Build& b, Value x, Value tangent, Value out, All&& all, Sum&& sum) {
    const Value repeated = all(out);
    const Value equal = b.compare(ir::Op::equal, x, repeated);
    // If the result is a NaN, every element counts, so that the NaN reaches all of them in reverse mode too.
    const Value counts = b.binary(ir::Op::or_, equal, b.compare(ir::Op::not_equal, repeated, repeated));
    const Value total = sum(b.select(counts, tangent, b.zeros_like(tangent)));
    const Value count = sum(b.convert(counts, b.dtype(out)));
    return b.div(total, b.select(b.compare(ir::Op::equal, out, out), count, out));
}

/// For the greater or lesser of two: the mean of both tangents where the numbers are equal.
inline Value tangent_of_extremum(Build& b, Value out, const Pair& x, const Pair& y) {
    const Value only_x = b.compare(ir::Op::not_equal, y.x, out);
    const Value only_y = b.compare(ir::Op::not_equal, x.x, out);
    const Value mean = b.scale(b.add(x.t, y.t), 0.5);
    const Value of_x = b.select(only_y, b.zeros_like(out), x.t);
    return b.select(only_x, of_x, b.select(only_y, y.t, mean));
}

} // namespace pm::ops
