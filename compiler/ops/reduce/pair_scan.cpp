#include "compiler/ops/reduce/pair_scan.hpp"
#include "compiler/ops/complex/parts.hpp"
#include "compiler/ops/core/axes.hpp"

namespace pm::ops {
namespace {

Pair every_second(Build& b, const Pair& p, int axis, std::int64_t first, std::int64_t limit) {
    return {b.slice_axis(p.x, axis, first, limit, 2), b.slice_axis(p.t, axis, first, limit, 2)};
}

/// The elements [begin, end) of both arrays of `p` along `axis`.
Pair part(Build& b, const Pair& p, int axis, std::int64_t begin, std::int64_t end) {
    return {b.slice_axis(p.x, axis, begin, end), b.slice_axis(p.t, axis, begin, end)};
}

Pair converted(Build& b, const Pair& p, DType dtype) { return {b.convert(p.x, dtype), b.convert(p.t, dtype)}; }
Pair widened(Build& b, const Pair& p) {
    return converted(b, p, runtime::is_complex(b.dtype(p.x)) ? DType::c128 : DType::f64);
}

} // namespace

Value interleave(Build& b, Value even, Value odd, int axis) {
    const auto at = static_cast<std::size_t>(axis);
    const std::int64_t evens = b.shape(even)[at];
    const std::int64_t pairs = b.shape(odd)[at];
    Shape split = b.shape(odd);
    split.insert(split.begin() + axis + 1, 1);
    Shape both = b.shape(odd);
    both[at] = 2 * pairs;
    const Value first = b.reshape(b.slice_axis(even, axis, 0, pairs), split);
    const Value woven = b.reshape(b.concatenate({first, b.reshape(odd, split)}, axis + 1), both);
    if (evens == pairs) return woven;
    return b.concatenate({woven, b.slice_axis(even, axis, pairs, evens)}, axis);
}

Pair associative_scan(Build& b, const Pair& p, int axis, Combine* combine) {
    const auto at = static_cast<std::size_t>(axis);
    const std::int64_t n = b.shape(p.x)[at];
    if (n < 2) return p;
    const Pair halves = combine(b, every_second(b, p, axis, 0, n - 1), every_second(b, p, axis, 1, n));
    const Pair odd = associative_scan(b, halves, axis, combine);
    Pair even = every_second(b, p, axis, 0, 1);
    if (n > 2) {
        const Pair rest = combine(b, part(b, odd, axis, 0, (n - 1) / 2), every_second(b, p, axis, 2, n));
        even = {b.concatenate({even.x, rest.x}, axis), b.concatenate({even.t, rest.t}, axis)};
    }
    return {interleave(b, even.x, odd.x, axis), interleave(b, even.t, odd.t, axis)};
}

Pair scan_in_f64(Build& b, const Pair& p, int axis, Combine* combine) {
    return converted(b, associative_scan(b, widened(b, p), axis, combine), b.dtype(p.x));
}

Pair pairwise_reduction(Build& b, Pair p, const Integers& axes, Combine* combine) {
    const DType dtype = b.dtype(p.x);
    const Shape shape = b.shape(p.x);
    const Integers kept = other_axes(shape.size(), axes);
    const Shape result = sizes_of(shape, kept);
    const auto last = static_cast<int>(kept.size());
    Shape flat = result;
    flat.push_back(ir::product(sizes_of(shape, axes)));
    const auto arranged = [&](Value v) { return b.reshape(b.transpose(v, joined(kept, axes)), flat); };
    p = widened(b, {arranged(p.x), arranged(p.t)});
    for (std::int64_t n = flat.back(); n > 1; n = (n + 1) / 2) {
        const std::int64_t half = n / 2;
        const Pair joined = combine(b, part(b, p, last, 0, half), part(b, p, last, half, 2 * half));
        const Pair rest = part(b, p, last, 2 * half, n);
        p = n % 2 == 0 ? joined
                       : Pair{b.concatenate({joined.x, rest.x}, last), b.concatenate({joined.t, rest.t}, last)};
    }
    return converted(b, {b.reshape(p.x, result), b.reshape(p.t, result)}, dtype);
}

Pair multiply_with_tangents(Build& b, const Pair& before, const Pair& after) {
    return {b.mul(before.x, after.x), b.add(b.mul(before.t, after.x), b.mul(before.x, after.t))};
}

Pair multiply_pairs(Build& b, const Pair& before, const Pair& after) {
    const Parts made = parts::multiply(b, {before.x, before.t}, {after.x, after.t});
    return {made.re, *made.im};
}

} // namespace pm::ops
