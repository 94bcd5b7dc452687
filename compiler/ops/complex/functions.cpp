// Functions of complex numbers, computed from the real and imaginary parts. If a formula differs from the textbook, a
// comment states the reason. The reasons are cancellation of digits, squares that overflow, and branch cuts that depend
// on signed zeros. The formulas of the inverse functions are Kahan's ("Branch cuts for complex elementary functions",
// 1987).
#include "compiler/ops/complex/functions.hpp"

#include <cmath>
#include <numbers>

namespace pm::ops::parts {
namespace {

struct Extent {
    Value most;  ///< max(|re|, |im|)
    Value least; ///< min(|re|, |im|)
};
Extent extent(const Real& r, Value x, Value y) {
    const Value p = r.of(Op::abs, x);
    const Value q = r.of(Op::abs, y);
    return {r.b.binary(Op::max, p, q), r.b.binary(Op::min, p, q)};
}

/// least / most. If `most` is 0 or infinite, the result is 0: the quotient could be NaN, and callers do not need it.
Value ratio(const Real& r, const Extent& e) {
    const Value plain = r.b.binary(Op::or_, r.equal(e.most, 0), r.equal(e.most, INFINITY));
    return r.pick(plain, r.zero(e.most), r.div(e.least, r.pick(plain, r.one(e.most), e.most)));
}

Value length(const Real& r, Value x, Value y) {
    const Extent e = extent(r, x, y);
    return r.mul(e.most, r.of(Op::sqrt, r.add(r.one(x), r.square(ratio(r, e)))));
}

/// log |z|. Near |z| = 1, the logarithm of |z|^2 would lose all digits. So |z|^2 - 1 is computed as (most - 1) (most +
/// 1) + least^2.
Value log_length(const Real& r, Value x, Value y) {
    const Extent e = extent(r, x, y);
    const Value one = r.one(x);
    const Value excess = r.add(r.mul(r.sub(e.most, one), r.add(e.most, one)), r.square(e.least));
    const Value near_one = r.b.binary(Op::and_, r.above(e.most, 0.5), r.b.compare(Op::less, e.most, r.number(x, 2)));
    const Value far = r.add(r.of(Op::log, e.most), r.scale(r.of(Op::log1p, r.square(ratio(r, e))), 0.5));
    return r.pick(near_one, r.scale(r.of(Op::log1p, r.pick(near_one, excess, r.zero(x))), 0.5), far);
}

/// sqrt(1 - z) and sqrt(1 + z). The functions distinguish -0 and 0, because the sign determines on which side of a
/// branch cut z is.
struct Roots {
    Parts less, more;
};
Roots roots(const Real& r, const Parts& z) {
    const Value one = r.one(z.re);
    return {root(r, {r.sub(one, z.re), r.b.neg(*z.im)}), root(r, {r.add(one, z.re), z.im})};
}

/// True if |z| is very large. Then an inverse function is, after rounding, equal to the first term of its series around
/// infinity. The formulas for smaller z fail for such z. They contain squares, which overflow, and differences of
/// infinities.
Value is_far(const Real& r, const Parts& z) {
    return r.above(extent(r, z.re, *z.im).most, std::ldexp(1.0, r.wide(z.re) ? 60 : 30));
}
Value log_of_double(const Real& r, const Parts& z) {
    return r.add(log_length(r, z.re, *z.im), r.number(z.re, std::numbers::ln2));
}

} // namespace

Value modulus(Build& b, const Parts& z) { return z.im ? length(Real(b), z.re, *z.im) : b.unary(Op::abs, z.re); }

Parts sign(Build& b, const Parts& z) {
    if (!z.im) return {b.unary(Op::sign, z.re), {}};
    const Real r(b);
    const Value size = length(r, z.re, *z.im);
    const Value zero = r.equal(size, 0);
    const Value safe = r.pick(zero, r.one(size), size);
    return {r.div(z.re, safe), r.div(*z.im, safe)};
}

Parts divide(Build& b, const Parts& x, const Parts& y) {
    if (!y.im) {
        Parts made{b.div(x.re, y.re), {}};
        if (x.im) made.im = b.div(*x.im, y.re);
        return made;
    }
    const Real r(b);
    const Value most = extent(r, y.re, *y.im).most;
    // A power of two that scales the larger part of the divisor to 1..4. The power is computed from the exponent bits,
    // so it is exact and needs no division.
    const bool wide = r.wide(most);
    const std::int64_t step = std::int64_t{1} << (wide ? 52 : 23);
    const std::int64_t last = wide ? 2045 : 253; // the greatest exponent whose inverse is a normal number
    const Value pattern = r.bits(most);
    const Value exponent = b.binary(Op::min, b.binary(Op::and_, pattern, r.integer(pattern, (last + 2) * step)),
                                    r.integer(pattern, last * step));
    const Value scale = r.from_bits(b.sub(r.integer(pattern, (last + 1) * step), exponent));
    const Value c = r.mul(y.re, scale);
    const Value d = r.mul(*y.im, scale);
    const Value square = r.add(r.square(c), r.square(d));
    const Value zero = r.equal(most, 0);
    const Value infinite = r.equal(most, INFINITY);
    const Value below = r.pick(zero, y.re, r.pick(infinite, r.one(most), square));
    const auto quotient = [&](Value above, Value plain) {
        const Value small = r.pick(infinite, r.mul(plain, r.zero(plain)), above);
        return r.mul(r.div(r.pick(zero, plain, small), below), scale);
    };
    if (!x.im) return {quotient(r.mul(x.re, c), x.re), quotient(b.neg(r.mul(x.re, d)), r.zero(x.re))};
    return {quotient(r.add(r.mul(x.re, c), r.mul(*x.im, d)), x.re),
            quotient(r.sub(r.mul(*x.im, c), r.mul(x.re, d)), *x.im)};
}

/// x^y. Let y = c + i d, and let t be the angle of x. The result has the modulus |x|^c e^(-d t) and the angle d log|x|
/// + c t.
Parts power(Build& b, const Parts& given, const Parts& y) {
    const Real r(b);
    const Parts x = whole(b, given);
    const Value size = length(r, x.re, *x.im);
    const Value t = r.angle(*x.im, x.re);
    const Value zero = r.equal(size, 0);
    const Value plain = b.binary(Op::pow, size, y.re);
    Value grown = plain;
    Value iteration = r.mul(y.re, t);
    if (y.im) {
        grown = r.mul(plain, r.of(Op::exp, b.neg(r.mul(*y.im, t))));
        const Value log = r.pick(zero, r.zero(size), log_length(r, x.re, *x.im));
        iteration = r.add(iteration, r.mul(*y.im, log));
    }
    return {r.pick(zero, plain, r.mul(grown, r.of(Op::cos, iteration))),
            r.pick(zero, r.zero(size), r.mul(grown, r.of(Op::sin, iteration)))};
}

// ---- analytic functions

/// exp(x) (cos y + i sin y). For large x, exp(x) may overflow although a part of the result does not. Then the parts
/// are multiplied by exp(x / 2) twice.
Parts exponential(const Real& r, const Parts& z) {
    const Value large = r.above(z.re, r.wide(z.re) ? 700 : 88);
    const Value size = r.of(Op::exp, r.pick(large, r.scale(z.re, 0.5), z.re));
    const Value again = r.pick(large, size, r.one(size));
    return {r.mul(r.mul(size, r.of(Op::cos, *z.im)), again),
            r.times_or_zero(again, r.times_or_zero(size, r.of(Op::sin, *z.im)))};
}

/// exp(z) - 1, with cos(y) - 1 = -2 sin(y/2)^2.
Parts exponential_less_one(const Real& r, const Parts& z) {
    const Value half = r.of(Op::sin, r.scale(*z.im, 0.5));
    const Value re = r.sub(r.mul(r.of(Op::expm1, z.re), r.of(Op::cos, *z.im)), r.scale(r.square(half), 2));
    return {re, r.times_or_zero(r.of(Op::exp, z.re), r.of(Op::sin, *z.im))};
}

Parts logarithm(const Real& r, const Parts& z) { return {log_length(r, z.re, *z.im), r.angle(*z.im, z.re)}; }

/// log(1 + z). For small z, |1 + z|^2 - 1 is computed as x (2 + x) + y^2.
Parts logarithm_of_more(const Real& r, const Parts& z) {
    const Value x = z.re;
    const Value y = *z.im;
    const Value more = r.add(r.one(x), x);
    const Extent e = extent(r, x, y);
    const Value small = r.b.compare(Op::less, e.most, r.number(x, 0.25));
    const Value excess = r.add(r.mul(x, r.add(r.number(x, 2), x)), r.square(y));
    const Value near_one = r.scale(r.of(Op::log1p, r.pick(small, excess, r.zero(x))), 0.5);
    return {r.pick(small, near_one, log_length(r, more, y)), r.angle(y, more)};
}

/// The larger part of the result is the root of a sum of non-negative numbers. The other part is a quotient with the
/// larger part as its divisor.
Parts root(const Real& r, const Parts& z) {
    const Value y = *z.im;
    const Value half = r.add(r.scale(r.of(Op::abs, z.re), 0.5), r.scale(length(r, z.re, y), 0.5));
    const Value t = r.of(Op::sqrt, half);
    const Value zero = r.equal(t, 0);
    const Value s = r.pick(zero, y, r.div(r.scale(y, 0.5), r.pick(zero, r.one(t), t)));
    const Value right = r.b.compare(Op::less_equal, r.zero(t), z.re);
    const Value re = r.pick(right, t, r.of(Op::abs, s));
    const Value im = r.pick(right, s, r.with_sign(t, y));
    const Value infinite = r.equal(r.of(Op::abs, y), INFINITY);
    return {r.pick(infinite, r.of(Op::abs, y), re), r.pick(infinite, y, im)};
}

Parts hyperbolic_sine(const Real& r, const Parts& z) {
    return {r.mul(r.of(Op::sinh, z.re), r.of(Op::cos, *z.im)),
            r.times_or_zero(r.of(Op::cosh, z.re), r.of(Op::sin, *z.im))};
}
Parts hyperbolic_cosine(const Real& r, const Parts& z) {
    return {r.mul(r.of(Op::cosh, z.re), r.of(Op::cos, *z.im)),
            r.times_or_zero(r.of(Op::sinh, z.re), r.of(Op::sin, *z.im))};
}

/// For |x| above 20 (10 in f32), |sinh x| and cosh x are equal after rounding, and the squares of both may overflow.
/// Then the real part of the result is 1 with the sign of x. The imaginary part is 4 sin y cos y exp(-2 |x|).
Parts hyperbolic_tangent(const Real& r, const Parts& z) {
    const Value size = r.of(Op::abs, z.re);
    const Value beyond = r.above(size, r.wide(z.re) ? 20 : 10);
    const Value s = r.of(Op::sinh, r.pick(beyond, r.zero(size), z.re));
    const Value t = r.of(Op::tan, *z.im);
    const Value one = r.one(s);
    const Value beta = r.add(one, r.square(t));
    const Value below = r.add(one, r.mul(beta, r.square(s)));
    const Value re = r.div(r.mul(r.mul(beta, s), r.of(Op::sqrt, r.add(one, r.square(s)))), below);
    const Value im = r.div(t, below);
    const Value rotated = r.mul(r.of(Op::sin, *z.im), r.of(Op::cos, *z.im));
    const Value rest = r.mul(r.scale(rotated, 4), r.of(Op::exp, r.scale(size, -2)));
    return {r.pick(beyond, r.with_sign(one, z.re), re), r.pick(beyond, rest, im)};
}

/// For large |z|, the value is 1 / z, plus i pi / 2 with the sign of y.
Parts inverse_hyperbolic_tangent(const Real& r, const Parts& z) {
    const Value x = r.of(Op::abs, z.re);
    const Value y = *z.im;
    const Value one = r.one(x);
    const Value below = r.add(r.square(r.sub(one, x)), r.square(y));
    const Value size = r.scale(r.of(Op::log1p, r.div(r.scale(x, 4), below)), 0.25);
    const Value cosine = r.sub(r.mul(r.sub(one, x), r.add(one, x)), r.square(y));
    const Value far = is_far(r, z);
    const Value re = r.pick(far, divide(r.b, {one, {}}, z).re, size);
    const Value half = r.with_sign(r.number(y, std::numbers::pi / 2), y);
    return {r.with_sign(re, z.re), r.pick(far, half, r.scale(r.angle(r.scale(y, 2), cosine), 0.5))};
}

/// For large |z|, the real part is the angle of |y| + i x. The imaginary part is log |2 z| with the sign of y.
Parts inverse_sine(const Real& r, const Parts& z) {
    const auto [p, q] = roots(r, z);
    const Value cosine = r.sub(r.mul(p.re, q.re), r.mul(*p.im, *q.im));
    const Value im = r.of(Op::asinh, r.sub(r.mul(p.re, *q.im), r.mul(*p.im, q.re)));
    const Value far = is_far(r, z);
    return {r.angle(z.re, r.pick(far, r.of(Op::abs, *z.im), cosine)),
            r.pick(far, r.with_sign(log_of_double(r, z), *z.im), im)};
}

/// For large |z|, the real part is the angle of x + i |y|. The imaginary part is log |2 z| with the sign of -y.
Parts inverse_cosine(const Real& r, const Parts& z) {
    const auto [p, q] = roots(r, z);
    const Value im = r.of(Op::asinh, r.sub(r.mul(q.re, *p.im), r.mul(*q.im, p.re)));
    const Value far = is_far(r, z);
    return {r.pick(far, r.angle(r.of(Op::abs, *z.im), z.re), r.scale(r.angle(p.re, q.re), 2)),
            r.pick(far, r.with_sign(log_of_double(r, z), r.b.neg(*z.im)), im)};
}

/// For large |z|, the value is log(2 z).
Parts inverse_hyperbolic_cosine(const Real& r, const Parts& z) {
    const Value one = r.one(z.re);
    const Parts p = root(r, {r.sub(z.re, one), z.im});
    const Parts q = root(r, {r.add(z.re, one), z.im});
    const Value re = r.of(Op::asinh, r.add(r.mul(p.re, q.re), r.mul(*p.im, *q.im)));
    const Value far = is_far(r, z);
    return {r.pick(far, log_of_double(r, z), re), r.pick(far, r.angle(*z.im, z.re), r.scale(r.angle(*p.im, q.re), 2))};
}

Parts inverse_root(const Real& r, const Parts& z) {
    const Parts one{r.one(z.re), {}};
    return divide(r.b, one, root(r, z));
}

Parts logistic(const Real& r, const Parts& z) {
    const Parts one{r.one(z.re), {}};
    return divide(r.b, one, add(r.b, one, exponential(r, negate(r.b, z))));
}

Parts cosine(const Real& r, const Parts& z) { return hyperbolic_cosine(r, {r.b.neg(*z.im), z.re}); }

} // namespace pm::ops::parts
