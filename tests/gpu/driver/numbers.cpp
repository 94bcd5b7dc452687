#include "tests/gpu/driver/numbers.hpp"

#include <algorithm>
#include <bit>

namespace pm::ptx {

std::uint32_t narrow(double value, Format format, Rounding rounding) {
    const std::uint32_t infinity = ((1U << format.exponent) - 1) << format.fraction;
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const bool negative = bits >> 63 != 0;
    const std::uint32_t sign = static_cast<std::uint32_t>(negative) << (format.exponent + format.fraction);
    const auto exponent = static_cast<int>(bits >> 52 & 0x7FF);
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
    if (exponent == 0x7FF) return fraction != 0 ? infinity | ((1U << format.fraction) - 1) : sign | infinity;

    // The value is significand * 2^last. The last bit of the result is worth 2^unit.
    const std::uint64_t significand = exponent == 0 ? fraction : fraction | std::uint64_t{1} << 52;
    const int last = std::max(exponent, 1) - 1075;
    const int lowest = 2 - (1 << (format.exponent - 1)) - format.fraction;
    const int unit = std::max(last + static_cast<int>(std::bit_width(significand)) - 1 - format.fraction, lowest);
    const int shift = std::min(unit - last, 63);
    const std::uint64_t whole = significand >> shift;
    const std::uint64_t rest = significand & ((std::uint64_t{1} << shift) - 1);
    const std::uint64_t half = std::uint64_t{1} << (shift - 1);
    bool up = false;
    switch (rounding) {
    case Rounding::nearest: up = rest > half || (rest == half && whole % 2 == 1); break;
    case Rounding::away: up = rest >= half; break;
    case Rounding::zero: break;
    case Rounding::down: up = rest > 0 && negative; break;
    case Rounding::up: up = rest > 0 && !negative; break;
    }
    // Adding the hidden bit increments the exponent; a subnormal number has exponent 0, and a carry makes it normal.
    const std::uint32_t made = (static_cast<std::uint32_t>(unit - lowest) << format.fraction) +
                               static_cast<std::uint32_t>(whole) + (up ? 1 : 0);
    if (made < infinity) return sign | made;
    const bool to_infinity = rounding == Rounding::nearest || rounding == Rounding::away ||
                             rounding == (negative ? Rounding::down : Rounding::up);
    return sign | (to_infinity ? infinity : infinity - 1);
}

} // namespace pm::ptx
