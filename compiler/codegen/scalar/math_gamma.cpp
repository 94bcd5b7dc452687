#include "compiler/codegen/scalar/pair.hpp"

#include <cmath>

// erf, erfc and lgamma for f64.

namespace pm::codegen {
namespace {

/// erf(x) / x - 1 for z = x^2 <= 1.
Real erf_series(Real z) {
    return polynomial(z, {0.1283791670955125739, -0.3761263890318375238, 0.1128379167095512036, -0.02686617064512986815,
                          0.005223977625423610396, -0.0008548327021956025035, 0.0001205533290381260112,
                          -0.00001492564759449785383, 1.646204598055763138e-6, -1.63646495514651601e-7,
                          1.479246964452012902e-8, -1.216496861716556107e-9, 8.710465336650472742e-11,
                          -4.233129528679580635e-12});
}

/// erfc(a) = exp(-a^2) t P(t) with t = 1 / (a + 2), for 1/2 <= a <= 28.
Real erfc_tail(Real a) {
    const Pair square = exact_product(a, a);
    const ExpParts parts = exp_parts({-square.high, -square.low});
    const Pair e = parts.scaled();
    const Pair d = exact_sum(a, a.like(2));
    const Real t = 1 / d.high;
    const Real t_low = t * (fma(-t, d.high, 1.0) - t * d.low);
    const Real p = polynomial(
        t - 0.21875, {0.9399781523570392669, 2.476641970845548868,  4.222830232008388293,  2.948654783132661887,
                      -4.302112085133448349, -8.654952232688137927, 8.525091252199985506,  23.67576822286857037,
                      -33.75594946455575928, -60.86484103625822988, 167.9440281827968451,  72.84818810641293562,
                      -761.8447432871029235, 679.1732210251211406,  2393.127649237601636,  -6997.579121445605492,
                      574.3552172970090252,  35786.02884577207696,  -70276.06500504871701, -92540.56357515521083,
                      490497.4290668949939,  28634.76068017713987,  -1463714.436869613396});
    const Pair g = exact_product(t, p);
    return scale(fma(g.high, e.high, fma(g.high, e.low, fma(t_low, p, g.low) * e.high)), parts.k);
}

/// sin(pi x) for 0 <= x <= 1/2.
Pair sine_of_half_turns(Real x) {
    const Truth steep = x > 0.25;
    const Real part = select(steep, 0.5 - x, x);
    const Pair angle = exact_product(part, part.like(M_PI));
    const Reduced reduced{angle.high, fma(part, 1.2246467991473532e-16, angle.low), bits(x)};
    return renormalized(select(steep, cosine_pair(reduced), sine_pair(reduced)));
}

} // namespace

Real erf_double(Real x) {
    const Real a = abs(x);
    const Real small = fma(a, erf_series(a * a), a);
    const Real large = 1 - erfc_tail(select(a > 6, 6.0, a));
    return copysign(select(a < 1, small, large), x);
}

Real erfc_double(Real x) {
    const Real a = abs(x);
    const Pair near = fast_sum(x.like(1), -x);
    const Real small = near.high + (near.low - x * erf_series(x * x));
    const Real tail = erfc_tail(select(a > 28, 28.0, a));
    return select(a < 0.5, small, select(x < 0, 2 - tail, tail));
}

/// lgamma(2 + t) = t P(t) for |t| <= 1/2. The recurrence lgamma(x + 1) = lgamma(x) + log(x) extends this formula up to
/// x = 8. Above 8 the function uses Stirling's series. Below -1/2 it uses the reflection formula.
Real lgamma_double(Real x) {
    const Real y = abs(x);
    const Truth mirrored = x < -0.5;
    const Truth large = y > 8;
    const Truth first = !(y > 0.5);
    const Real c = select(large, 2.0, y);
    const Real steps = select(first, 0.0, floor(c + 0.5)); // c = t + steps, if |x| > 1/2
    const Real t = select(first, x, c - steps);
    // `product` is the argument of the logarithm. It is |x (x + 1)| if |x| <= 1/2. Otherwise it is c if steps = 1, 1 if
    // steps = 2, and (c - 1) (c - 2) ... (2 + t) if steps > 2.
    Pair product = {select(steps == 1, c, 1.0), c.like(0)};
    product = select(first, select(x < 0, fast_sum(c, -(c * c)), fast_sum(c, c * c)), product);
    const Real lost = fma(c, c, -(c * c));
    product.low = select(first, product.low + select(x < 0, -lost, lost), product.low);
    for (int i = 1; i <= 6; ++i) {
        const Pair longer = product * (c - i);
        product = select(steps > i + 1.5, longer, product);
    }
    const Pair argument = select(large, {y, y.like(0)}, product);
    const Real inverse = 1 / select(argument.high < 1e-290, 1e-290, argument.high);
    const Pair l = log_pair(argument, inverse);

    const Real rest = polynomial(t, {0.3224670334241132361, -0.06735230105319817641, 0.0205808084277802908,
                                     -0.007385551028664194027, 0.0028905103310392774, -0.001192753912163958889,
                                     0.0005096695152853287924, -0.0002231547473877489797, 0.00009945767524374029364,
                                     -0.00004492638995625113802, 0.00002050557798996040944, -9.438194668897912725e-6,
                                     4.384759459060388725e-6, -2.04596583565711343e-6, 9.199268256374688841e-7,
                                     -4.28123004135298212e-7, 2.78859462638477901e-7, -1.361145980308264511e-7});
    Pair core = exact_product(t, t.like(0.42278433509846713));
    core.low = fma(t * t, rest, core.low); // 1 - Euler's constant; the second part of this number is 1e-17
    const Truth below = steps < 2;         // true if the logarithm is subtracted
    const Real l_high = select(below, -l.high, l.high);
    const Pair s = exact_sum(l_high, core.high);
    const Pair near{s.high, s.low + (core.low + select(below, -l.low, l.low))};

    const Real r = 1 / y;
    const Real series =
        r * polynomial(r * r, {0.08333333333333333332, -0.002777777777777678661, 0.0007936507935157012912,
                               -0.0005952380249474430591, 0.0008417328033744818207, -0.001914991792132342961,
                               0.006209338242716387599, -0.02087774270882075212});
    const Pair factor = fast_sum(l.high, l.high.like(-1));
    const Pair stirling = Pair{factor.high, factor.low + l.low} * y;
    const Pair lifted = fast_sum(stirling.high, y.like(0.41893853320467274178));
    const Pair far{lifted.high, lifted.low + (fma(factor.high, -0.5, stirling.low) + series)};
    const Pair value = select(large, far, near);

    const Real plain = select(stirling.high == infinity && large, infinity, sum(value));
    const Real result = where_rare(mirrored, plain, [&] {
        const Real part = abs(y - floor(y + 0.5)); // exact
        const Pair angle = sine_of_half_turns(part);
        const Pair m = log_pair(angle * y, 1 / (angle.high * y)); // log(y sin(pi y))
        const Pair a = exact_sum(m.high, value.high);
        const Pair b = exact_sum(y.like(1.1447298858494002), -a.high);
        const Real low = b.low - (a.low + (m.low + value.low)) + 1.0265951162707826e-17;
        return select(part == 0, infinity, b.high + low);
    });
    return select((x == 0) || (y == infinity), infinity, select(is_nan(x), x, result));
}

} // namespace pm::codegen
