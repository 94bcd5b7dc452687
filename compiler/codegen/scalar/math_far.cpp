#include "compiler/codegen/scalar/pair.hpp"

#include <array>

// Functions that need all digits of numbers of very different size: reduction of any angle, and remainders.

namespace pm::codegen {
namespace {

/// 64 zeros and the first 1216 binary digits of 2 / pi. These 160 bytes are read only for angles of 2^20 and more.
constexpr std::array<std::uint64_t, 20> two_over_pi{
    0x0000000000000000, 0xA2F9836E4E441529, 0xFC2757D1F534DDC0, 0xDB6295993C439041, 0xFE5163ABDEBBC561,
    0xB7246E3A424DD2E0, 0x06492EEA09D1921C, 0xFE1DEB1CB129A73E, 0xE88235F52EBB4484, 0xE99C7026B45F7E41,
    0x3991D639835339F4, 0x9C845F8BBDF9283B, 0x1FF897FFDE05980F, 0xEF2F118B5A0A6D1F, 0x6D367ECF27CB09B7,
    0x4F463F669E5FEA2D, 0x7527BAC7EBE5F17B, 0x3D0739F78A5292EA, 0x6BFB5FB11F8D5D08, 0x56033046FC7B6BAB};

constexpr std::int64_t digit = 0xFFFFFFFF;

/// An integer below 2^32 as a float.
Real real_of_digit(Real like, Word w) { return from_bits(like, w | w.like(0x4330000000000000)) - 0x1p52; }

} // namespace

/// The method of M. Payne and R. Hanek, "Radian reduction for trigonometric functions" (1983). Let x = m 2^e. In
/// integers, m is multiplied by those digits of 2 / pi that affect the product modulo 4.
Reduced reduce_far_angle(Real x) {
    const Word w = bits(x);
    const Word mantissa = (w & 0xFFFFFFFFFFFFF) + (std::int64_t{1} << 52);
    // `place` is e + 62, the index in two_over_pi of the digit of weight 2^(1 - e). The index also counts the 64 zeros.
    // Lanes with smaller angles do not use the index.
    const Word place = (w >> 52) - (1075 - 62);
    const Word from = select(place < 0, 0, place);
    const Word shift = from & 63;
    std::array<Word, 4> words{w, w, w, w};
    for (int i = 0; i < 4; ++i)
        words[static_cast<std::size_t>(i)] = looked_up("math.two_over_pi", two_over_pi, (from >> 6) + i);
    std::array<Word, 6> window{w, w, w, w, w, w}; // 192 digits in words of 32, the lowest first
    for (std::size_t i = 0; i < 3; ++i) {
        const Word joined = (words[i] << shift) | ((words[i + 1] >> 1) >> (63 - shift));
        window[5 - 2 * i] = joined >> 32;
        window[4 - 2 * i] = joined & digit;
    }
    const Word m0 = mantissa & digit;
    const Word m1 = mantissa >> 32;
    std::array<Word, 6> product = window;
    Word carry = w.like(0);
    for (std::size_t i = 0; i < 6; ++i) {
        const Word t = m0 * window[i] + carry;
        product[i] = t & digit;
        carry = t >> 32;
    }
    carry = w.like(0);
    for (std::size_t i = 1; i < 6; ++i) {
        const Word t = m1 * window[i - 1] + product[i] + carry;
        product[i] = t & digit;
        carry = t >> 32;
    }
    // The two highest digits of the product are the number of quarters of a full circle. If the rest is above half a
    // quarter, the next quarter is used, and the rest becomes negative.
    const Word above = (product[5] >> 29) & 1;
    const Word quarter = (product[5] >> 30) + above;
    const Word flip = (0 - above) & digit;
    std::array<Real, 5> part{x, x, x, x, x};
    double unit = 0x1p-30;
    for (std::size_t i = 0; i < 5; ++i) {
        const Word p = (product[5 - i] ^ flip) & (i == 0 ? 0x3FFFFFFF : digit);
        part[i] = real_of_digit(x, p) * unit;
        unit *= 0x1p-32;
    }
    const Pair upper = fast_sum(part[0], part[1]);
    const Pair lower = fast_sum(part[2], part[3]);
    const Pair middle = exact_sum(upper.low, lower.high);
    const Pair sum = fast_sum(upper.high, middle.high);
    const Real low = sum.low + (middle.low + (lower.low + part[4]));
    const Pair angle = exact_product(sum.high, x.like(1.5707963267948966));
    const Real angle_low = fma(sum.high, 6.123233995736766e-17, fma(low, 1.5707963267948966, angle.low));
    const Pair r = fast_sum(angle.high, angle_low);
    const Word sign = above << 63;
    return {from_bits(x, bits(r.high) ^ sign), from_bits(x, bits(r.low) ^ sign), quarter};
}

/// Computes x - n y exactly, where n is x / y rounded towards zero. In each iteration the quotient by y 2^e has at most
/// 53 (f32: 24) digits. The truncated quotient is thus too large by at most one, and the remainder is short enough to
/// be exact.
Real remainder(Real x, Real y) {
    const bool wide = x.is_double();
    const int digits = wide ? 52 : 23;
    const Real a = abs(x);
    const Real b = abs(y);
    const double least = wide ? 0x1p-1022 : 0x1p-126;
    const Truth tiny = b < least;
    const int lift = digits + 2;
    const Word place = bits(select(tiny, b * (wide ? 0x1p54 : 0x1p25), b)) >> digits;
    // The greatest exponent that one iteration can reduce.
    const Word exponent = select(tiny, place - lift, place) + digits;
    const Truth proper = (a < infinity) && (b > 0);
    const auto excess = [&](Real r) {
        const Word e = (bits(r) >> digits) - exponent;
        return select(proper && (e > 0), e, 0);
    };
    const auto step = [&](Real r, Real divisor) {
        const Real next = fma(-trunc(r / divisor), divisor, r);
        return select(next < 0, next + divisor, next);
    };
    const Word most = excess(a);
    // At most 41 (f32: 11) iterations: each iteration reduces the excess of the exponent by `digits`.
    const Real left = where_rare(most > 0, a, [&] {
        const Word iterations = ((most + (digits - 1)) * (wide ? 1261 : 2850)) >> 16;
        return repeated(iterations, a, [&](Real r) {
            const Word e = excess(r);
            const Word half = e >> 1;
            return step(r, b * power_of_two(b, half) * power_of_two(b, e - half));
        });
    });
    const Real result = step(left, b);
    return copysign(select((a < infinity) && (b == infinity), a, result), x);
}

} // namespace pm::codegen
