#include "compiler/codegen/scalar/pair.hpp"

#include <cmath>

// exp, log, sin, cos, tanh and others for f32 and f64: range reduction and a minimax polynomial (Remez in 200 bits).
// The relative error of each polynomial is below a tenth of a unit in the last place of the result.

namespace pm::codegen {
namespace {

Real log_single(Real x) {
    const Split s = split(x);
    const Real f = s.m - 1;
    const Real p = polynomial(f, {0.333333317, -0.25000821, 0.200012278, -0.166233596, 0.142017458, -0.131601518,
                                  0.127616277, -0.0763462153});
    const Real tail = fma(s.k, 1.4286068203094173e-06, f * f * fma(f, p, -0.5));
    return log_edges(x, fma(s.k, 0.693145751953125, f + tail));
}

Real log_double(Real x) {
    const Split s = split(x);
    const Real f = s.m - 1;
    const Real half = f * f * 0.5;
    const Real low = fma(s.k, ln2_low, log_rest(f, half));
    return log_edges(x, fma(s.k, ln2_high, f - (half - low)));
}

/// sin and cos of |a| <= pi / 4 in f32.
Real sine_single(Real a) {
    const Real z = a * a;
    return fma(a * z, polynomial(z, {-0.166666549, 0.00833217583, -0.000195169759}), a);
}
Real cosine_single(Real a) {
    const Real z = a * a;
    return fma(z * z, polynomial(z, {0.0416666468, -0.00138873647, 2.443811e-5}), fma(z, -0.5, 1.0));
}

} // namespace

Split split(Real x) {
    const bool wide = x.is_double();
    const int mantissa = wide ? 52 : 23;
    const std::int64_t root = wide ? 0x3FE6A09E667F3BCD : 0x3F3504F3; // sqrt(1/2)
    const Truth tiny = x < std::ldexp(1.0, wide ? -1022 : -126);
    const Real y = select(tiny, x * std::ldexp(1.0, wide ? 54 : 24), x);
    const Word i = bits(y) - root;
    const Real k = to_real(x, signed_shift(i, mantissa));
    const Real m = from_bits(x, (i & ((std::int64_t{1} << mantissa) - 1)) + root);
    return {m, select(tiny, k - (wide ? 54 : 24), k)};
}

/// Replaces y, the computed log(x), for x = 0, infinity, x < 0 and NaN.
Real log_edges(Real x, Real y) {
    y = select(x == infinity, x, y);
    y = select(x == 0, -infinity, y);
    return select(x < 0, nan, select(is_nan(x), x, y));
}

Real log_rest(Real f, Real half) {
    const Real q = f / (f + 2);
    const Real z = q * q;
    const Real r =
        z * polynomial(z, {0.6666666666666734456, 0.399999999994143265, 0.2857142874247595274, 0.222221985632541321,
                           0.181835648822451809, 0.1531403538195311792, 0.1479611033138854643});
    return q * (half + r);
}

Reduced reduce_angle(Real x) {
    // The first step is exact: x and the product of k and the first part of pi / 2 are multiples of the same unit, and
    // their difference has few digits.
    const Rounded k = nearest(x, x.like(M_2_PI));
    if (!x.is_double()) {
        Real r = fma(k.real, -1.5707963705062866, x);
        r = fma(k.real, 4.371138828673793e-08, r);
        return {fma(k.real, 1.7151245100058819e-15, r), r, k.integer};
    }
    const Real r0 = fma(k.real, -1.5707963267948966, x);
    const Real r = fma(k.real, -6.123233995736766e-17, r0);
    const Real rest = fma(k.real, -6.123233995736766e-17, r0 - r);
    return {r, fma(k.real, 1.4973849048591698e-33, rest), k.integer};
}

Pair sine_pair(Reduced a) {
    const Real z = a.high * a.high;
    const Real p = polynomial(z, {-0.1666666666666663186, 0.008333333333322370015, -0.0001984126982977122196,
                                  2.755731367868949549e-6, -2.50507559653569168e-8, 1.589666673256930198e-10});
    return {a.high, fma(a.high * z, p, fma(z, a.low * -0.5, a.low))};
}

Pair cosine_pair(Reduced a) {
    const Real z = a.high * a.high;
    const Real p = polynomial(z, {0.04166666666666659915, -0.001388888888887406514, 0.00002480158728944364417,
                                  -2.755731434070665033e-7, 2.087572162998651262e-9, -1.135955964181185203e-11});
    const Real half = z * 0.5;
    const Real w = 1 - half;
    return {w, ((1 - w) - half) + fma(z * z, p, -(a.high * a.low))};
}

Real sine_of(Reduced r, bool cosine) {
    const bool wide = r.high.is_double();
    const Real s = wide ? sum(sine_pair(r)) : sine_single(r.high);
    const Real c = wide ? sum(cosine_pair(r)) : cosine_single(r.high);
    const Word quarter = cosine ? r.quarter + 1 : r.quarter;
    const Real size = select(!((quarter & 1) == 0), c, s);
    return from_bits(size, bits(size) ^ ((quarter & 2) << (wide ? 62 : 30)));
}

Real exp_series(Real r) {
    return polynomial(r, {0.5000000000000000043, 0.1666666666666668343, 0.04166666666666609959, 0.008333333333317029634,
                          0.00138888888891139232, 0.0001984126989638811224, 0.00002480158692914432649,
                          2.755723486267640222e-6, 2.755758012342244956e-7, 2.511203527135335223e-8,
                          2.082707437135986546e-9});
}

Real exp_real(Real x) {
    const bool wide = x.is_double();
    const double low = wide ? -746 : -104;
    const double high = wide ? 710 : 89;
    Real y = select(x < low, low, x);
    y = select(y > high, high, y); // a NaN does not change
    const Rounded k = nearest(y, y.like(M_LOG2E));
    Real r = fma(k.real, wide ? -ln2_high : -0.693145751953125, y);
    r = fma(k.real, wide ? -ln2_low : -1.4286068203094173e-06, r);
    const Real q =
        wide ? exp_series(r) : polynomial(r, {0.499999935, 0.166665207, 0.0416683875, 0.0083687115, 0.00138146108});
    return scale(fma(r * r, q, r) + 1, k);
}

Real log_real(Real x) { return x.is_double() ? log_double(x) : log_single(x); }

Real log1p_single(Real x) {
    const Real y = x + 1;
    const Real lost = x - (y - 1); // the exact rounding error of the sum
    const Real l = log_single(y);
    const Truth whole = (lost == 0) || is_nan(lost);
    return select(y == 1, x, select(whole, l, l + lost / y));
}

Real sine(Real x, bool cosine) {
    const bool wide = x.is_double();
    const Real a = abs(x);
    // The branch for near values is correct for NaN and for infinity (inf - inf).
    const Truth far = (a > (wide ? 0x1p20 : 0x1p16)) && (a < infinity);
    const Real size = where_rare(far, sine_of(reduce_angle(a), cosine), [&] {
        return wide ? sine_of(reduce_far_angle(a), cosine) : narrow(sine_of(reduce_far_angle(widen(a)), cosine));
    });
    return cosine ? size : from_bits(x, bits(size) ^ bits(x) ^ bits(a));
}

Real tanh_real(Real x) {
    const Real a = abs(x);
    const Real z = a * a;
    const bool wide = x.is_double();
    const Real p = wide ? polynomial(z, {-0.3333333333333252858, 0.133333333331192258, -0.0539682537734132761,
                                         0.0218694799504746429, -0.008863025755646190728, 0.003589128806473100961,
                                         -0.001430746267769483365, 0.0004747467681076486092})
                        : polynomial(z, {-0.333332839, 0.133314913, -0.0537434979, 0.0206505861, -0.00571704337});
    const Real small = fma(a * z, p, a);
    const Real large = 1 - 2 / (exp_real(a + a) + 1);
    return copysign(select(a < (wide ? 0.35 : 0.625), small, large), x);
}

Real logistic_real(Real x) {
    // exp(-|x|) does not overflow, so small results keep their digits.
    const Real up = exp_real(-abs(x));
    return select(x < 0, up, 1.0) / (up + 1);
}

Real erf_single(Real x) {
    const Real a = abs(x);
    const Real z = a * a;
    const Real small = fma(a,
                           polynomial(z, {0.128379167, -0.376126334, 0.112836888, -0.0268590031, 0.00520002413,
                                          -0.000813108929, 8.32057636e-5}),
                           a);
    const Real t = select(a > 4, 4.0, a);
    const Real q = polynomial(
        t, {0.128648495, 0.635151295, 0.106236917, -0.0237621, 0.00364247794, -0.000322808839, 1.12318355e-5});
    const Real large = 1 - exp_real(-fma(t, q, t));
    return copysign(select(a < 0.925, small, large), x);
}

/// M. Giles, "Approximating the erfinv function" (2010): the single and double precision versions.
Real erf_inverse(Real x) {
    const Real rest = fma(-x, x, x.like(1)); // rounded once, so the difference is accurate for |x| near 1
    const Truth end = abs(x) == 1;
    if (!x.is_double()) {
        const Real w = -log_real(rest);
        const Truth near = w < 5;
        const Real a = w - 2.5;
        const Real b = sqrt(w) - 3;
        const Real p = polynomial(a, {1.50140941, 0.246640727, -0.00417768164, -0.00125372503, 0.00021858087,
                                      -4.39150654e-06, -3.5233877e-06, 3.43273939e-07, 2.81022636e-08});
        const Real q = polynomial(b, {2.83297682, 1.00167406, 0.00943887047, -0.0076224613, 0.00573950773,
                                      -0.00367342844, 0.00134934322, 0.000100950558, -0.000200214257});
        return select(end, x * infinity, select(near, p, q) * x);
    }
    const Real w = -log_real(rest);
    const Real root = sqrt(w);
    const Real p = polynomial(
        w - 3.125,
        {1.6536545626831027356,      0.24015818242558961693,     -0.0060336708714301490533,  -0.00074070253416626697512,
         0.0001867342080340571352,   -1.3882523362786468719e-05, -1.3654692000834678645e-06, 4.2347877827932403518e-07,
         -2.9070369957882005086e-08, -4.1126339803469836976e-09, 1.051212273321532285e-09,   -5.4154120542946279317e-11,
         -1.2975133253453532498e-11, 2.6335093153082322977e-12,  -8.1519341976054721522e-14, -4.0545662729752068639e-14,
         6.6376381343583238325e-15,  2.0972767875968561637e-17,  -1.333171662854620906e-16,  1.115787767802518096e-17,
         1.2858480715256400167e-18,  -1.685059138182016589e-19,  -3.6444120640178196996e-21});
    const Real q = polynomial(
        root - 3.25,
        {3.0838856104922207635, 1.0052589676941592334, 0.005370914553590063617, -0.0037512085075692412107,
         0.0024914420961078508066, -0.0016882755560235047313, 0.00095328937973738049703, -0.0003550375203628474796,
         2.4031110387097893999e-05, 6.8284851459573175448e-05, -4.7318229009055733981e-05, 1.2475304481671778723e-05,
         2.9234449089955446044e-06, -4.013867526981545969e-06, 1.5027403968909827627e-06, 1.8239629214389227755e-08,
         -2.7517406297064545428e-07, 9.0756561938885390979e-08, 2.2137376921775787049e-09});
    const Real far =
        polynomial(root - 5, {4.8499064014085844221, 1.0103004648645343977, -0.00013871931833623122026,
                              -0.00021503011930044477347, 7.5995277030017761139e-05, -1.9681778105531670567e-05,
                              4.5260625972231537039e-06, -9.9298272942317002539e-07, 2.2900482228026654717e-07,
                              -6.7711997758452339498e-08, 2.9147953450901080826e-08, -1.4960026627149240478e-08,
                              7.6157012080783393804e-09, -3.7894654401267369937e-09, 1.5076572693500548083e-09,
                              -2.5556418169965252055e-10, -2.7109920616438573243e-11});
    const Real value = select(w < 6.25, p, select(w < 16, q, far));
    return select(end, x * infinity, value * x);
}

} // namespace pm::codegen
