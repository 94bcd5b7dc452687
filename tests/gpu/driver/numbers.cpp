#include "tests/gpu/driver/numbers.hpp"

#include <algorithm>

namespace pm::ptx {

std::uint32_t narrow(double value, Format format, Rounding rounding) {
    const std::uint32_t infinity = ((1U << format.exponent) - 1) << format.fraction;
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::uint32_t sign = static_cast<std::uint32_t>(bits >> 63) << (format.exponent + format.fraction);
    if (std::isnan(value)) return infinity | ((1U << format.fraction) - 1);
    if (std::isinf(value)) return sign | infinity;
    if (value == 0) return sign;

    int exponent = 0;
    std::frexp(value, &exponent); // value = 0.1... * 2^exponent
    const int bias = (1 << (format.exponent - 1)) - 1;
    const int lowest = 1 - bias - format.fraction;
    // The exponent of the last kept bit.
    const int unit = std::max(exponent - 1 - format.fraction, lowest);
    const double scaled = std::ldexp(std::fabs(value), -unit);
    double whole = std::floor(scaled);
    const double rest = scaled - whole;
    const bool negative = sign != 0;
    bool up = false;
    switch (rounding) {
    case Rounding::nearest: up = rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2) == 1); break;
    case Rounding::away: up = rest >= 0.5; break;
    case Rounding::zero: break;
    case Rounding::down: up = rest > 0 && negative; break;
    case Rounding::up: up = rest > 0 && !negative; break;
    }
    if (up) whole += 1;
    const double greatest = std::ldexp(2 - std::ldexp(1.0, -format.fraction), bias);
    if (std::ldexp(whole, unit) > greatest) {
        const bool to_infinity = rounding == Rounding::nearest || rounding == Rounding::away ||
                                 rounding == (negative ? Rounding::down : Rounding::up);
        return sign | (to_infinity ? infinity : infinity - 1);
    }
    // Adding the hidden bit increments the exponent; a subnormal number has exponent 0, and a carry makes it normal.
    const auto fraction = static_cast<std::uint32_t>(whole);
    const auto biased = static_cast<std::uint32_t>(unit - lowest);
    return sign | ((biased << format.fraction) + fraction);
}

} // namespace pm::ptx
