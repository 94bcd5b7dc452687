#include "compiler/codegen/scalar/pair.hpp"

#include <cmath>

// Functions for f64 that are computed from exp and log. The rounding error of a sum or product is kept as the second
// part of a pair. The error of each function is thus about a unit in the last place over its whole range.

namespace pm::codegen {
namespace {

/// min(x, most), or NaN if x is a NaN.
Real at_most(Real x, double most) { return select(x > most, most, x); }

/// 2^-(n k) for k >= -1, but at least 2^-1000. The callers add the result to numbers near 1, so any smaller value has
/// the same effect.
Real inverse_power(Real like, Word k, int n) {
    const Word most = select(k > 1000 / n, 1000 / n, k);
    return power_of_two(like, 0 - most * n);
}

/// The square root of x, for x.high > 0.
Pair root(Pair x) {
    const Real s = sqrt(x.high);
    return {s, (fma(-s, s, x.high) + x.low) / (s + s)};
}

/// (exp(a) - exp(-a)) / 2 for a >= 0 if `difference` is true, otherwise (exp(a) + exp(-a)) / 2.
Real half_sum(Real a, bool difference) {
    const ExpParts parts = exp_parts({at_most(a, 720), a.like(0)});
    const Pair e = parts.scaled();
    // If `a` < ln(2) / 2, the difference is computed as E - E^2 / (2 + 2 E) with E = expm1(a). `less` is E.
    const Truth small = a < 0.34;
    const Real less = parts.r + parts.p;
    const Real v = (difference ? select(small, less * less * 0.5, 1.0) : a.like(1)) / e.high;
    const Real lost = v * (fma(-v, e.high, 1.0) - v * e.low);
    const Real down = inverse_power(a, parts.k.integer, 2);
    const Pair s = fast_sum(e.high, difference ? -(v * down) : v * down);
    const Real rest = difference ? e.low - lost * down : fma(lost, down, e.low);
    const Real result = scale(s.high + (s.low + rest), {parts.k.real - 1, parts.k.integer - 1});
    return difference ? select(small, parts.r + (parts.p - v), result) : result;
}

/// The cube root. If `rough` is true, the error may be 1e-14, which is enough for f32.
Real cube_root(Real x, bool rough) {
    const Real a = abs(x);
    const Truth tiny = a < 0x1p-1022;
    const Word w = bits(select(tiny, a * 0x1p54, a));
    const Word exponent = w >> 52;
    const Word third = (exponent * 43691) >> 17; // exponent / 3, rounded down: the bias 1023 is divisible by 3
    const Real m = from_bits(x, (w & 0xFFFFFFFFFFFFF) + ((exponent - third * 3 + 1023) << 52)); // in [1, 8)
    // The reciprocal of the root: first with an error of 0.7 %, then refined by the series of (1 - h)^(-1/3).
    const Real y0 = polynomial(m, {1.337737315324233642, -0.4408859481863042201, 0.1085281998819059139,
                                   -0.01299070709362435269, 0.000585522538678575543});
    const Real h0 = fma(m * y0, -(y0 * y0), 1.0);
    const Real y1 = fma(y0 * h0, polynomial(h0, {1.0 / 3, 2.0 / 9, 14.0 / 81}), y0);
    const Real h1 = fma(m * y1, -(y1 * y1), 1.0);
    const Real y = fma(y1 * h1, polynomial(h1, {1.0 / 3, 2.0 / 9}), y1);
    const Real c = m * (y * y);
    Real size = c;
    if (!rough) {
        const Pair square = exact_product(c, c);
        const Real rest = fma(-square.high, c, m) - square.low * c;
        size = fma(rest, y * y * (1.0 / 3), c);
    }
    const Real result = from_bits(x, bits(size) + ((third - select(tiny, 341 + 18, third.like(341))) << 52));
    const Truth itself = (a == 0) || !(a < infinity);
    return select(itself, x, copysign(result, x));
}

} // namespace

ExpParts exp_parts(Pair x) {
    const Rounded k = nearest(x.high, x.high.like(M_LOG2E));
    const Real r0 = fma(k.real, -ln2_high, x.high);
    const Real r = fma(k.real, -ln2_low, r0);
    // x.low may be much larger than the last digit of r.
    const Pair s = exact_sum(r, fma(k.real, -ln2_low, r0 - r) + x.low);
    return {s.high, fma(s.high * s.high, exp_series(s.high), fma(s.low, s.high, s.low)), k};
}

Pair log_pair(Real x) {
    // log(m) = 2 s + s^3 (2/3 + 2/5 s^2 + s^4 Q(s^2)) with s = (m - 1) / (m + 1).
    const Split parts = split(x);
    const Real f = parts.m - 1;
    const Pair g = fast_sum(f.like(1), parts.m);
    const Pair s = divided({f, f.like(0)}, g, 1 / g.high);
    const Real z = s.high * s.high;
    const Real z_low = fma(s.high, s.high, -z) + 2 * (s.high * s.low);
    const Real q =
        polynomial(z, {0.2857142857142852073, 0.2222222222225251263, 0.1818181817451447341, 0.1538461632714810539,
                       0.1333326136890412124, 0.1176805924579518474, 0.1043282552824282657, 0.1094552531723978267});
    const Pair fifth = exact_product(z, z.like(0.4));
    const Real fifth_low = fifth.low + fma(z_low, 0.4, z * (z * q - 2.2204460492503132e-17));
    const Pair p = fast_sum(z.like(0.6666666666666666), fifth.high);
    const Real p_low = p.low + (fifth_low + 3.700743415417188e-17);
    const Pair cube = exact_product(z, s.high);
    const Real cube_low = cube.low + fma(z, s.low, z_low * s.high);
    const Pair t = exact_product(cube.high, p.high);
    const Real t_low = t.low + fma(cube.high, p_low, cube_low * p.high);
    const Pair a = fast_sum(parts.k * ln2_high, s.high + s.high);
    const Pair b = fast_sum(a.high, t.high);
    const Real tail = t_low + fma(parts.k, ln2_low, s.low + s.low);
    return fast_sum(b.high, a.low + b.low + tail);
}

Pair log_pair(Pair x, Real inverse) {
    const Pair l = log_pair(x.high);
    return {l.high, fma(x.low, inverse, l.low)};
}

Real log1p_parts(Pair x, Truth doubled) {
    const Pair y = exact_sum(x.high.like(1), x.high);
    const Split parts = split(y.high);
    const Real f = select(parts.k == 0, x.high, parts.m - 1);
    const Real lost = select(parts.k == 0, x.low, y.low + x.low) / y.high;
    const Real k = select(doubled, parts.k + 1, parts.k);
    const Real half = f * f * 0.5;
    const Real low = fma(k, ln2_low, log_rest(f, half)) + lost;
    return log_edges(y.high, fma(k, ln2_high, f - (half - low)));
}

Real log1p_double(Real x) {
    const Truth never = x < -infinity;
    return select(x == 0, x, log1p_parts({x, x.like(0)}, never));
}

Real expm1_double(Real x) {
    // 2^k (1 + r + p) - 1 = 2^k ((1 - 2^-k) + r + p)
    const ExpParts e = exp_parts({select(x < -50, -50.0, at_most(x, 720)), x.like(0)});
    const Pair less = fast_sum(x.like(1), -inverse_power(x, e.k.integer, 1));
    const Pair s = fast_sum(less.high, e.r);
    return copysign(scale(s.high + (s.low + less.low + e.p), e.k), x);
}

Real sinh_double(Real x) { return copysign(half_sum(abs(x), true), x); }
Real cosh_double(Real x) { return half_sum(abs(x), false); }

// The inverse hyperbolic functions are log(1 + u) with u in two parts. If |x| is so large that adding 1 has no effect,
// u is 2 x.

Real asinh_double(Real x) {
    const Real a = abs(x);
    const Truth big = a > 0x1p40;
    const Real c = select(big, 1.0, a);
    const Pair square = exact_product(c, c);
    const Pair t = exact_sum(square.high, c.like(1));
    const Pair s = root({t.high, t.low + square.low});
    const Pair u = fast_sum(c, s.high - 1);
    const Pair small{u.high, u.low + s.low};
    return copysign(log1p_parts(select(big, {a, a.like(-1)}, small), big), x);
}

Real acosh_double(Real x) {
    const Truth big = x > 0x1p40;
    const Real t = select(big, 1.0, x) - 1;
    const Pair square = exact_product(t, t);
    const Pair inner = exact_sum(t + t, square.high);
    const Pair s = root({inner.high, inner.low + square.low});
    const Pair u = exact_sum(s.high, t);
    const Pair small{u.high, u.low + select(inner.high == 0, 0.0, s.low)};
    return select(x < 1, nan, log1p_parts(select(big, {x, x.like(-1)}, small), big));
}

Real atanh_double(Real x) {
    const Real a = abs(x);
    const Pair below = exact_sum(a.like(1), -a);
    const Pair u = divided({a + a, a.like(0)}, below, 1 / below.high);
    return copysign(log1p_parts({u.high, select(below.high == 0, 0.0, u.low)}, a < 0) * 0.5, x);
}

Real cube_root_double(Real x) { return cube_root(x, false); }
Real cube_root_wide(Real x) { return cube_root(x, true); }

Real power_double(Real x, Real y) {
    const Real a = abs(x);
    const Pair l = log_pair(a);
    const Real high = y * l.high;
    const Real low = fma(y, l.high, -high) + y * l.low;
    const Truth within = abs(high) < 800;
    const ExpParts parts = exp_parts({select(within, high, copysign(high.like(800), high)), select(within, low, 0.0)});
    const Pair e = parts.scaled();
    Real size = scale(sum(e), parts.k);
    size = select(a == 0, select(y < 0, infinity, y.like(0)), size);
    size = select(a == infinity, select(y < 0, 0.0, y.like(infinity)), size);
    return power_edges(x, y, size);
}

} // namespace pm::codegen
