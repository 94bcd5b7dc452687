#include "compiler/codegen/scalar/pair.hpp"

#include <cmath>

// tan and the inverse trigonometric functions for f64.

namespace pm::codegen {
namespace {

constexpr double pi_low = 1.2246467991473532e-16;
constexpr double half_pi_low = 6.123233995736766e-17;
constexpr double quarter_pi_low = 3.061616997868383e-17;
constexpr double three_quarters_pi = 2.356194490192345;
constexpr double three_quarters_pi_low = 9.184850993605148e-17;

/// The tangent of a reduced angle. If `rough` is true, the error may be 1e-15, which is enough for f32.
Real tangent_of(Reduced a, bool rough) {
    const Pair s = sine_pair(a);
    const Pair c = cosine_pair(a);
    const Truth odd = !((a.quarter & 1) == 0);
    const Pair above = select(odd, c, s);
    const Pair below = renormalized(select(odd, s, c));
    const Real size = rough ? sum(above) / below.high : sum(divided(renormalized(above), below, 1 / below.high));
    return select(odd, -size, size);
}

Real tangent(Real x, bool rough) {
    const Real a = abs(x);
    const Truth far = (a > 0x1p20) && (a < infinity);
    const Real size =
        where_rare(far, tangent_of(reduce_angle(a), rough), [&] { return tangent_of(reduce_far_angle(a), rough); });
    return from_bits(x, bits(size) ^ bits(x) ^ bits(a));
}

} // namespace

Real tan_double(Real x) { return tangent(x, false); }
Real tan_wide(Real x) { return tangent(x, true); }

Real arcus_sine_double(Real x, bool cosine) {
    const Real a = abs(x);
    const Truth small = a < 0.5;
    const Real z = select(small, a * a, (1 - a) * 0.5);
    const Real root = sqrt(z);
    const Real root_low = select(z == 0, 0.0, fma(-root, root, z) / (root + root));
    const Real s = select(small, a, root);
    const Real p =
        polynomial(z, {0.1666666666666675997, 0.07499999999970916289, 0.04464285717450899474, 0.03038194271237411808,
                       0.022372214867296516, 0.01735161402542225351, 0.01398079810957228346, 0.01139908290692493341,
                       0.01077936448083371556, 0.00370951916906582544, 0.02170044567456608735, -0.02098991796872836288,
                       0.03262336028039255999});
    const Real rest = (s * z) * p; // asin(s) = s + rest; beyond 1/2 the result is asin(1) - 2 asin(s)
    const Real twice_low = 2 * (root_low + rest);
    const Pair down = fast_sum(x.like(M_PI_2), -(s + s));
    if (!cosine) {
        const Real large = down.high + (down.low + (half_pi_low - twice_low));
        return copysign(select(small, s + rest, large), x);
    }
    const Pair near = fast_sum(x.like(M_PI_2), -x);
    const Real middle = near.high + (near.low + (half_pi_low - copysign(rest, x)));
    const Pair back = fast_sum(x.like(M_PI), -(s + s));
    const Real left = back.high + (back.low + (pi_low - twice_low));
    return select(small, middle, select(x < 0, left, (s + s) + twice_low));
}

Real arcus_tangent_double(Real y, Real x) {
    const Real a = abs(y);
    const Real c = abs(x);
    const Truth swapped = a > c;
    const Real least = select(swapped, c, a);
    const Real most = select(swapped, a, c);
    // The factor `unit` avoids overflow and loss of digits in sums and remainders. If both operands are 0, the quotient
    // is 0. If both operands are infinite, the quotient is 1.
    const Real unit = select(most > 0x1p1000, 0x1p-60, select(most < 0x1p-900, 0x1p100, most.like(1)));
    const Truth same = (least == most) && ((most == 0) || (most == infinity));
    const Real low = select(same, select(most == 0, most, 1.0), least * unit);
    const Real high = select(same, 1.0, most * unit);
    const Truth upper = low > high * 0.41421356237309503; // tan(pi / 8): atan(q) = pi / 4 + atan((q - 1) / (q + 1))
    const Pair above = select(upper, exact_sum(low, -high), {low, low.like(0)});
    const Pair below = select(upper, fast_sum(high, low), {high, high.like(0)});
    const Real t = above.high / below.high;
    const Real t_low = ((fma(-t, below.high, above.high) + above.low) - t * below.low) / below.high;
    const Real z = t * t;
    const Real p = polynomial(z, {-0.3333333333333332803, 0.1999999999999780883, -0.142857142854023785,
                                  0.1111111108894636447, -0.09090908169036067352, 0.07692283258628451278,
                                  -0.06666233521559241189, 0.05877083209553271335, -0.05218774411808299295,
                                  0.04504968773653359348, -0.03350583209735859327, 0.01522557632043742358});
    const Real rest = fma(t * z, p, select(high == infinity, 0.0, t_low));
    // The angle is a multiple of pi / 4, in two parts, plus or minus t + rest.
    const Truth left = is_negative(x);
    const auto base = [&](double none, double eighth, double quarter, double three, double half) {
        const Real up = select(upper, select(left, three, t.like(eighth)), select(swapped, quarter, t.like(none)));
        return select(!upper && !swapped && left, half, up);
    };
    const Real whole = base(0, M_PI_4, M_PI_2, three_quarters_pi, M_PI);
    const Real whole_low = base(0, quarter_pi_low, half_pi_low, three_quarters_pi_low, pi_low);
    const auto turned = [&](Real r) {
        const Real once = select(swapped, -r, r);
        return select(left, -once, once);
    };
    const Pair s = fast_sum(whole, turned(t));
    const Real angle = s.high + (s.low + (whole_low + turned(rest)));
    return select(is_nan(y), y, select(is_nan(x), x, copysign(angle, y)));
}

} // namespace pm::codegen
