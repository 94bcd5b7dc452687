#pragma once
#include "compiler/codegen/scalar/real.hpp"

namespace pm::codegen {

/// A number in two parts. The second part is at most about one unit in the last place of the first part. So a pair has
/// about twice the digits of a Real.
struct Pair {
    Real high;
    Real low;
};

/// a + b exactly, if |a| >= |b|, if the exponents are equal, or if a = 0.
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
/// a * b exactly, if nothing underflows.
inline Pair exact_product(Real a, Real b) {
    const Real product = a * b;
    return {product, fma(a, b, -product)};
}
inline Pair operator*(Pair a, Real b) {
    const Pair p = exact_product(a.high, b);
    return {p.high, fma(a.low, b, p.low)};
}
/// a / b with an error of one or two units of the second part. `inverse` is 1 / b.high.
inline Pair divided(Pair a, Pair b, Real inverse) {
    const Real q = a.high * inverse;
    return {q, ((fma(-q, b.high, a.high) + a.low) - q * b.low) * inverse};
}
inline Pair select(Truth c, Pair a, Pair b) { return {select(c, a.high, b.high), select(c, a.low, b.low)}; }
/// The number `a`, as a pair whose second part is below the last digit of the first part.
inline Pair renormalized(Pair a) { return fast_sum(a.high, a.low); }
inline Real sum(Pair a) { return a.high + a.low; }

// ln 2 in two parts. Multiples of the first part up to 2048 are exact.
inline constexpr double ln2_high = 0.6931471805598903;
inline constexpr double ln2_low = 5.497923018708371e-14;

/// exp(x) = 2^k (1 + r + p) with |r| <= ln 2 / 2. p includes the rounding error of r. p is below 0.08, so its own
/// rounding error is small.
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
/// log(x) for finite x > 0, with a relative error of 2^-68. `inverse` is 1 / x.high; the function multiplies x.low by
/// `inverse`.
Pair log_pair(Real x);
Pair log_pair(Pair x, Real inverse);
/// log(1 + x) + n ln 2; n = 1 if `doubled`, otherwise 0.
Real log1p_parts(Pair x, Truth doubled);

/// x - k pi/2 in `high` and `low`, and k modulo 4 in `quarter`. For f32, the difference is in `high` alone.
struct Reduced {
    Real high;
    Real low;
    Word quarter;
};
/// The reduced angle of x for 0 <= x <= 2^20 (f64) or 2^16 (f32).
Reduced reduce_angle(Real x);
/// The reduced angle of any finite x >= 2^20, f64.
Reduced reduce_far_angle(Real x);
/// sin and cos of a reduced angle |a| <= pi / 4 in f64. The second part is below a fifth of the first.
Pair sine_pair(Reduced a);
Pair cosine_pair(Reduced a);
/// sin or cos of x >= 0, from its reduced angle.
Real sine_of(Reduced x, bool cosine);

} // namespace pm::codegen
