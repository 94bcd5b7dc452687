#pragma once
#include <bit>
#include <cstdint>

// The 16-bit floating-point formats as bit patterns. All conversions round once, to nearest with ties to even.
// Subnormals, infinities and signed zeros are preserved. A NaN becomes a quiet NaN with the same sign.

namespace pm::runtime {

constexpr float f16_to_f32(std::uint16_t h) {
    const std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000U) << 16;
    std::uint32_t exponent = (h >> 10) & 0x1FU;
    std::uint32_t mantissa = h & 0x3FFU;
    if (exponent == 0x1F) {
        const std::uint32_t quiet = mantissa != 0 ? 0x400000U : 0U;
        return std::bit_cast<float>(sign | 0x7F800000U | quiet | (mantissa << 13));
    }
    if (exponent == 0) {
        if (mantissa == 0) return std::bit_cast<float>(sign);
        // m * 2^-24: shift the leading one to the position of the implicit bit.
        const auto shift = static_cast<std::uint32_t>(std::countl_zero(mantissa)) - 21U;
        mantissa = (mantissa << shift) & 0x3FFU;
        return std::bit_cast<float>(sign | ((113U - shift) << 23) | (mantissa << 13));
    }
    return std::bit_cast<float>(sign | ((exponent + 112U) << 23) | (mantissa << 13));
}

constexpr std::uint16_t f32_to_f16(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
    const std::uint32_t a = bits & 0x7FFFFFFFU;
    if (a > 0x7F800000U) return static_cast<std::uint16_t>(sign | 0x7E00U | ((a >> 13) & 0x3FFU));
    if (a >= 0x47800000U) return static_cast<std::uint16_t>(sign | 0x7C00U); // 65536 and above
    if (a >= 0x38800000U) // 2^-14 and above; a carry may reach infinity, which is right from 65520 on
        return static_cast<std::uint16_t>(sign | ((a - 0x38000000U + 0xFFFU + ((a >> 13) & 1U)) >> 13));
    if (a < 0x33000000U) return sign; // below half the least subnormal
    const std::uint32_t mantissa = (a & 0x7FFFFFU) | 0x800000U;
    const std::uint32_t shift = 126U - (a >> 23);
    const std::uint32_t rest = mantissa & ((1U << shift) - 1U);
    const std::uint32_t tie = 1U << (shift - 1U);
    std::uint32_t result = mantissa >> shift;
    if (rest > tie || (rest == tie && (result & 1U) != 0)) ++result;
    return static_cast<std::uint16_t>(sign | result);
}

constexpr float bf16_to_f32(std::uint16_t b) {
    std::uint32_t bits = static_cast<std::uint32_t>(b) << 16;
    if ((bits & 0x7FFFFFFFU) > 0x7F800000U) bits |= 0x400000U;
    return std::bit_cast<float>(bits);
}

constexpr std::uint16_t f32_to_bf16(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
    return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

/// Rounds to odd: rounding the result to at most 22 bits equals rounding `x` once.
constexpr float f64_to_f32_odd(double x) {
    const auto near = static_cast<float>(x);
    const double back = near;
    if (back == x || x != x) return near;
    const auto bits = std::bit_cast<std::uint32_t>(near);
    if ((bits & 0x7FFFFFFFU) == 0x7F800000U) // too large for f32: the largest finite f32, which is odd
        return std::bit_cast<float>((bits & 0x80000000U) | 0x7F7FFFFFU);
    if ((bits & 1U) != 0) return near;
    const bool away = (x < 0 ? -back : back) > (x < 0 ? -x : x);
    return std::bit_cast<float>(away ? bits - 1U : bits + 1U);
}

constexpr std::uint16_t f64_to_f16(double x) { return f32_to_f16(f64_to_f32_odd(x)); }
constexpr std::uint16_t f64_to_bf16(double x) { return f32_to_bf16(f64_to_f32_odd(x)); }

} // namespace pm::runtime
