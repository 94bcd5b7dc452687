#include "compiler/codegen/scalar/pair.hpp"
#include "compiler/ops/elementwise/special_functions.hpp"

#include <cmath>

// Functions in f64 for results that are rounded to f32. Formulas that would lose bits in f32 are accurate enough in
// f64.

namespace pm::codegen {
namespace {

/// sin(pi x) and cos(pi x) up to a common sign, for x >= 0.
struct Turn {
    Real sine;
    Real cosine;
};
Turn half_turns(Real x) {
    const Real part = x - floor(x + 0.5); // exact; at most 1/2 in absolute value
    const Real rest = 0.5 - abs(part);    // exact if the cosine is small
    return {sine_of(reduce_angle(part * M_PI), false), sine_of(reduce_angle(rest * M_PI), false)};
}

Truth is_whole(Real x) { return floor(x) == x; }

} // namespace

Real arcus_sine_wide(Real x, bool cosine) {
    const Real a = abs(x);
    const Truth small = a < 0.5;
    const Real z = select(small, a * a, (1 - a) * 0.5);
    const Real s = select(small, a, sqrt(z));
    const Real p = polynomial(z, {0.166666666265727485, 0.07500005059364121459, 0.04464068117969893559,
                                  0.03042695834134359672, 0.02186191344073204659, 0.02066466681305127888,
                                  0.001933526583174430026, 0.03295773080075044168});
    const Real base = fma(s * z, p, s); // asin(s) for s <= 1/2; beyond 1/2 the result is asin(1) - 2 asin(s)
    if (!cosine) return copysign(select(small, base, M_PI_2 - (base + base)), x);
    const Real twice = base + base;
    return select(small, M_PI_2 - copysign(base, x), select(x < 0, M_PI - twice, twice));
}

Real arcus_tangent_wide(Real y, Real x) {
    const Real a = abs(y);
    const Real c = abs(x);
    const Truth swapped = a > c;
    const Real low = select(swapped, c, a);
    const Real high = select(swapped, a, c);
    // If both operands are 0, the quotient is 0. If both operands are infinite, the quotient is 1.
    const Real fraction = select(low == high, select(high == 0, high, 1.0), low / high);
    const Truth upper = fraction > 0.41421356237309503; // tan(pi / 8)
    const Real t = select(upper, (fraction - 1) / (fraction + 1), fraction);
    const Real z = t * t;
    const Real p =
        polynomial(z, {-0.3333333329622156978, 0.1999999437899198171, -0.1428542547775438433, 0.1110403380946622681,
                       -0.08997082992865279122, 0.06992180370697350234, -0.03793912950193678045});
    Real angle = fma(t * z, p, t);
    angle = select(upper, angle + M_PI_4, angle);
    angle = select(swapped, M_PI_2 - angle, angle);
    angle = select(is_negative(x), M_PI - angle, angle);
    angle = select(is_nan(x), x, angle);
    return copysign(select(is_nan(y), y, angle), y);
}

Real expm1_wide(Real x) {
    const Real series = fma(x * x, polynomial(x, {1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120}), x);
    return select(abs(x) < 1e-3, select(x == 0, x, series), exp_real(x) - 1);
}

Real log1p_wide(Real x) {
    const Real series = fma(x * x, polynomial(x, {-1.0 / 2, 1.0 / 3, -1.0 / 4, 1.0 / 5}), x);
    return select(abs(x) < 1e-3, series, log_real(x + 1));
}

Real erfc_wide(Real x) {
    const Real a = abs(x);
    const Real z = a * a;
    const Real small =
        a * polynomial(z, {1.128379167095419858, -0.3761263889926831427, 0.1128379141740842263, -0.02686610946363110313,
                           0.005223274558127021825, -0.0008506712197314407521, 0.0001082195960915333019});
    const Real c = select(a > 10.2, 10.2, a);
    const Real t = 2 / (c + 2);
    const Real g =
        polynomial(t, {3.697249012545669406e-6, 0.2819805238557969668, 0.283637313837311679, 0.2348708117688469593,
                       0.235187357938995352, -0.1074456589328481036, 0.4052147140508045408, -0.6097747435606790672,
                       0.3505692615476076392, -0.07425093620424724359}); // erfc(c) exp(c c), to 1.5e-9
    const Real tail = exp_real(-(c * c)) * g;
    const Real positive = select(a < 0.5, 1 - small, tail);
    const Real negative = select(a < 0.5, 1 + small, 2 - tail);
    return select(is_nan(x), x, select(x < 0, negative, positive));
}

/// Lanczos' approximation with g = 7 and nine terms. Below 1/2, the function uses the reflection formula.
Real lgamma_wide(Real x) {
    const Truth reflected = x < 0.5;
    const Real z = select(reflected, -x, x - 1);
    constexpr double terms[] = {676.520368121885098567,    -1259.13921672240287047,  771.323428777653078849,
                                -176.615029162140599066,   12.5073432786869048145,   -0.138571095265720116896,
                                9.98436957801957085956e-6, 1.50563273514931155834e-7};
    Real sum = z.like(0.99999999999980993227684700473478);
    for (int i = 0; i < 8; ++i) sum = sum + terms[i] / (z + (i + 1));
    const Real t = z + 7.5;
    const Real direct = (z + 0.5) * log_real(t) - t + log_real(sum * 2.506628274631000502);
    const Real mirrored = log_real(M_PI / abs(half_turns(abs(x)).sine)) - direct;
    const Real value = select(reflected, mirrored, direct);
    return select(abs(x) == infinity, infinity, value);
}

Real digamma_near_zero(Real x) {
    using Near = ops::DigammaNearZero;
    return (x - Near::zero - Near::rest) * polynomial(x - 1.5, Near::series);
}

/// The step psi(x) = psi(x + 1) - 1 / x, ten times, then the asymptotic series. Below 1/2, the function uses the
/// reflection formula. The result is NaN at the poles.
Real digamma_wide(Real x) {
    const Truth reflected = x < 0.5;
    const Real first = select(reflected, 1 - x, x);
    Real y = first;
    Real sum = y.like(0);
    for (int i = 0; i < 10; ++i) {
        sum = sum - 1 / y;
        y = y + 1;
    }
    const Real r = 1 / (y * y);
    const Real series =
        r * polynomial(r, {-1.0 / 12, 1.0 / 120, -1.0 / 252, 1.0 / 240, -1.0 / 132, 691.0 / 32760, -1.0 / 12});
    const Real far = log_real(y) - 0.5 / y + series + sum;
    const Real direct = select((first > 1) && (first < 2), digamma_near_zero(first), far);
    const Turn turn = half_turns(abs(x));
    const Real tangent = select(x < 0, -(turn.sine / turn.cosine), turn.sine / turn.cosine);
    const Real mirrored = direct - M_PI / tangent;
    const Truth pole = is_whole(x) && !(x > 0);
    return select(pole, nan, select(reflected, mirrored, direct));
}

Real power_wide(Real x, Real y) { return power_edges(x, y, exp_real(y * log_real(abs(x)))); }

Real power_edges(Real x, Real y, Real size) {
    size = select(abs(x) == 1, 1.0, size);
    const Truth whole = is_whole(y);
    const Truth odd = whole && !is_whole(y * 0.5) && (abs(y) < infinity);
    Real result = select(is_negative(x) && odd, -size, size);
    const Truth undefined = (x < 0) && (x > -infinity) && !whole;
    result = select(undefined, nan, result);
    result = select(is_nan(y), y, select(is_nan(x), x, result));
    return select((x == 1) || (y == 0), 1.0, result);
}

} // namespace pm::codegen
