#include "compiler/ops/complex/parts.hpp"

#include "runtime/dtype.hpp"

namespace pm::ops::parts {

Value imaginary(Build& b, const Parts& z) { return z.im ? *z.im : b.zeros_like(z.re); }

Parts whole(Build& b, const Parts& z) { return {z.re, imaginary(b, z)}; }

Value interleaved(Build& b, const Parts& z) {
    ir::Shape shape = b.shape(z.re);
    const auto last = static_cast<int>(shape.size());
    shape.push_back(1);
    return b.concatenate({b.reshape(z.re, shape), b.reshape(imaginary(b, z), shape)}, last);
}

Parts taken_apart(Build& b, Value pairs) {
    ir::Shape shape = b.shape(pairs);
    const int last = b.rank(pairs) - 1;
    shape.pop_back();
    return {b.reshape(b.slice_axis(pairs, last, 0, 1), shape), b.reshape(b.slice_axis(pairs, last, 1, 2), shape)};
}

std::vector<Parts> gathered(const Values& made, std::span<const Type> types) {
    std::vector<Parts> results;
    std::size_t next = 0;
    for (const Type& type : types) {
        Parts parts{made.at(next++), {}};
        if (runtime::is_complex(type.dtype)) parts.im = made.at(next++);
        results.push_back(parts);
    }
    return results;
}

// ---- arithmetic

Parts negate(Build& b, const Parts& x) {
    Parts made{b.neg(x.re), {}};
    if (x.im) made.im = b.neg(*x.im);
    return made;
}

Parts add(Build& b, const Parts& x, const Parts& y) {
    Parts made{b.add(x.re, y.re), x.im ? x.im : y.im};
    if (x.im && y.im) made.im = b.add(*x.im, *y.im);
    return made;
}

Parts subtract(Build& b, const Parts& x, const Parts& y) {
    Parts made{b.sub(x.re, y.re), x.im};
    if (y.im) made.im = x.im ? b.sub(*x.im, *y.im) : b.neg(*y.im);
    return made;
}

Parts multiply(Build& b, const Parts& x, const Parts& y) {
    if (!x.im && !y.im) return {b.mul(x.re, y.re), {}};
    if (!x.im) return {b.mul(x.re, y.re), b.mul(x.re, *y.im)};
    if (!y.im) return {b.mul(x.re, y.re), b.mul(*x.im, y.re)};
    return {b.sub(b.mul(x.re, y.re), b.mul(*x.im, *y.im)), b.add(b.mul(x.re, *y.im), b.mul(*x.im, y.re))};
}

/// Uses four real products. The alternative with three products needs sums of the operands. For fewer than a few
/// hundred rows, the memory traffic of these sums costs as much as the fourth product. The sums also lose digits if the
/// magnitudes of the parts differ much.
Parts dot(Build& b, const Inst& inst, const Parts& x, const Parts& y) {
    const auto product = [&](Value p, Value q) { return b.copy(inst, {p, q}).at(0); };
    if (!x.im && !y.im) return {product(x.re, y.re), {}};
    if (!x.im) return {product(x.re, y.re), product(x.re, *y.im)};
    if (!y.im) return {product(x.re, y.re), product(*x.im, y.re)};
    return {b.sub(product(x.re, y.re), product(*x.im, *y.im)), b.add(product(x.re, *y.im), product(*x.im, y.re))};
}

// ---- rules

std::vector<Parts> each(PartsContext& c) {
    const auto& [b, inst, in, types, out] = c;
    Values re, im;
    bool real = true; // true if no operand has an imaginary part
    for (const Parts& z : in) real = real && !z.im;
    for (std::size_t i = 0; i < in.size(); ++i) {
        re.push_back(in[i].re);
        if (!real) im.push_back(runtime::is_complex(types[i].dtype) ? imaginary(b, in[i]) : in[i].re);
    }
    Parts made{b.copy(inst, std::move(re)).at(0), {}};
    if (!real) made.im = b.copy(inst, std::move(im)).at(0);
    return {made};
}

} // namespace pm::ops::parts
