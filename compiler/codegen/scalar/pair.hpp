#pragma once
#include "compiler/codegen/scalar/real.hpp"

namespace pm::codegen {

/// A number in two parts, the second below a unit in the last place of the first or so: about twice the digits.
struct Pair {
    Real high;
    Real low;
};

/// a + b exactly, for |a| >= |b|, for equal exponents, or for a = 0.
inline Pair fast_sum(Real a, Real b) {
    const Real sum = a + b;
    return {sum, b - (sum - a)};
}
/// a + b exactly.
inline Pair exact_sum(Real a, Real b) {
    const Real sum = a + b;
    const Real part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
}
/// a * b exactly, where nothing underflows.
inline Pair exact_product(Real a, Real b) {
    const Real product = a * b;
    return {product, fma(a, b, -product)};
}
inline Pair operator*(Pair a, Real b) {
    const Pair p = exact_product(a.high, b);
    return {p.high, fma(a.low, b, p.low)};
}
/// a / b given 1 / b.high, to a unit or two of the second part.
inline Pair divided(Pair a, Pair b, Real inverse) {
    const Real q = a.high * inverse;
    return {q, ((fma(-q, b.high, a.high) + a.low) - q * b.low) * inverse};
}
inline Pair select(Truth c, Pair a, Pair b) { return {select(c, a.high, b.high), select(c, a.low, b.low)}; }
/// The same number with a second part below the first's last digit.
inline Pair settled(Pair a) { return fast_sum(a.high, a.low); }
inline Real sum(Pair a) { return a.high + a.low; }

// ln 2: the multiples up to 2048 of the first part are exact.
inline constexpr double ln2_high = 0.6931471805598903;
inline constexpr double ln2_low = 5.497923018708371e-14;

/// exp(x) = 2^k (1 + r + p): |r| <= ln 2 / 2 to more than its digits, p as exact as a number below 0.08 is.
struct ExpParts {
    Real r;
    Real p;
    Rounded k;

    Pair scaled() const { ///< exp(x) / 2^k
        const Pair h = fast_sum(r.like(1), r);
        return fast_sum(h.high, h.low + p);
    }
};
ExpParts exp_parts(Pair x);
/// log(x) of x > 0 finite to 2^-68 of itself; 1 / x.high is given for what x.low adds.
Pair log_pair(Real x);
Pair log_pair(Pair x, Real inverse);
/// log(1 + x) + n ln 2, n = 1 where `doubled`, n = 0 elsewhere.
Real log1p_parts(Pair x, Truth doubled);

/// x - k pi/2, in two parts for f64, k modulo 4.
struct Reduced {
    Real high;
    Real low;
    Word quarter;
};
/// For 0 <= x <= 2^20 (f64) or 2^16 (f32).
Reduced reduce_angle(Real x);
/// For any finite x >= 2^20, f64.
Reduced reduce_far_angle(Real x);
/// sin and cos of the rest |a| <= pi / 4 in f64: the second part is below a fifth of the first.
Pair sine_pair(Reduced a);
Pair cosine_pair(Reduced a);
/// sin or cos of x >= 0 that is reduced.
Real sine_of(Reduced x, bool cosine);

} // namespace pm::codegen
