#include "runtime/half.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

using namespace pm::runtime;

namespace {

/// The value of a 16-bit float, computed from the definition of the format.
double decode(std::uint32_t bits, int exponent_bits, int mantissa_bits) {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const auto mantissa = static_cast<double>(bits & ((1U << mantissa_bits) - 1U));
    const int exponent = static_cast<int>((bits >> mantissa_bits) & ((1U << exponent_bits) - 1U));
    const double sign = (bits >> (exponent_bits + mantissa_bits)) != 0 ? -1 : 1;
    if (exponent == (1 << exponent_bits) - 1)
        return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                             : sign * std::numeric_limits<double>::infinity();
    if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
    return sign * std::ldexp(mantissa + std::ldexp(1.0, mantissa_bits), exponent - bias - mantissa_bits);
}

/// Checks the rounding of the midpoint between any two neighbouring values, and of the numbers next to the midpoint.
template <class From64, class From32>
void check_rounding(int exponent_bits, int mantissa_bits, From64 from64, From32 from32) {
    const std::uint32_t largest = ((1U << exponent_bits) - 1U) << mantissa_bits; // the bits of infinity
    int wrong = 0;
    for (std::uint32_t bits = 0; bits < largest; ++bits) {
        const double low = decode(bits, exponent_bits, mantissa_bits);
        // For rounding, infinity counts as the finite number that would follow the largest one.
        const double high = bits + 1 == largest ? 2 * low - decode(bits - 1, exponent_bits, mantissa_bits)
                                                : decode(bits + 1, exponent_bits, mantissa_bits);
        const double middle = low + (high - low) / 2;
        const std::uint32_t even = (bits & 1U) == 0 ? bits : bits + 1;
        for (const std::uint32_t sign : {0U, 0x8000U}) {
            const double s = sign != 0 ? -1 : 1;
            wrong += from64(s * low) != (sign | bits);
            wrong += from64(s * middle) != (sign | even);
            wrong += from64(s * std::nextafter(middle, low)) != (sign | bits);
            wrong += from64(s * std::nextafter(middle, high)) != (sign | (bits + 1));
            const auto f = static_cast<float>(s);
            const auto middle32 = static_cast<float>(middle);
            if (middle32 != middle) continue;
            wrong += from32(f * static_cast<float>(low)) != (sign | bits);
            wrong += from32(f * middle32) != (sign | even);
            wrong += from32(f * std::nextafterf(middle32, 0)) != (sign | bits);
            wrong += from32(f * std::nextafterf(middle32, INFINITY)) != (sign | (bits + 1));
        }
    }
    CHECK(wrong == 0);
}

} // namespace

TEST_CASE("all 65536 values of f16 and bf16 are decoded as defined and encoded exactly") {
    int wrong = 0;
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
        const auto h = static_cast<std::uint16_t>(bits);
        const double want16 = decode(bits, 5, 10);
        const double want_b = decode(bits, 8, 7);
        const float got16 = f16_to_f32(h);
        const float got_b = bf16_to_f32(h);
        if (std::isnan(want16)) {
            wrong += !std::isnan(got16) || std::signbit(got16) != (bits >= 0x8000U);
            wrong += f32_to_f16(got16) != (h | 0x200U); // a quiet NaN with the same payload
        } else {
            wrong += static_cast<double>(got16) != want16 || std::signbit(got16) != (bits >= 0x8000U);
            wrong += f32_to_f16(got16) != h || f64_to_f16(want16) != h;
        }
        if (std::isnan(want_b)) {
            wrong += !std::isnan(got_b) || f32_to_bf16(got_b) != (h | 0x40U);
        } else {
            wrong += static_cast<double>(got_b) != want_b || std::signbit(got_b) != (bits >= 0x8000U);
            wrong += f32_to_bf16(got_b) != h || f64_to_bf16(want_b) != h;
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("rounding to f16 and bf16 is to nearest even at every boundary") {
    check_rounding(5, 10, [](double x) { return f64_to_f16(x); }, [](float x) { return f32_to_f16(x); });
    check_rounding(8, 7, [](double x) { return f64_to_bf16(x); }, [](float x) { return f32_to_bf16(x); });
}

TEST_CASE("values out of range and special values") {
    CHECK(f32_to_f16(65519.996F) == 0x7BFF);
    CHECK(f32_to_f16(65520.0F) == 0x7C00);
    CHECK(f32_to_f16(-1e30F) == 0xFC00);
    CHECK(f32_to_f16(std::ldexp(1.0F, -25)) == 0);
    CHECK(f32_to_f16(std::nextafterf(std::ldexp(1.0F, -25), 1.0F)) == 1);
    CHECK(f32_to_f16(-0.0F) == 0x8000);
    CHECK(f64_to_f16(1e300) == 0x7C00);
    CHECK(f64_to_bf16(1e300) == 0x7F80);
    CHECK(f64_to_bf16(-1e-300) == 0x8000);
    CHECK(std::isnan(f16_to_f32(f64_to_f16(std::nan("")))));
    CHECK(std::isnan(bf16_to_f32(f64_to_bf16(std::nan("")))));
    // The numbers are above a tie. If they were rounded to f32 first, they would become ties.
    CHECK(f64_to_f16(1.0 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40)) == 0x3C01);
    CHECK(f64_to_bf16(1.0 + std::ldexp(1.0, -8) + std::ldexp(1.0, -40)) == 0x3F81);
}
