#pragma once

#include "tests/gpu/driver/types.hpp"

#include <cfenv>
#include <cmath>

namespace pm::ptx {

enum class Rounding { nearest, zero, down, up, away };

/// A floating-point format of at most 32 bits: its numbers of exponent and fraction bits.
struct Format {
    int exponent = 0;
    int fraction = 0;
};
constexpr Format f16_format{5, 10};
constexpr Format bf16_format{8, 7};
constexpr Format tf32_format{8, 10};

/// The bits of `value` in the format, rounded once. Every NaN becomes the one with all bits set below the sign.
std::uint32_t narrow(double value, Format format, Rounding rounding = Rounding::nearest);

/// 2^exponent, for -1022 to 1023.
inline double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

inline double widen(std::uint32_t bits, Format format) {
    const int bias = (1 << (format.exponent - 1)) - 1;
    const auto exponent = static_cast<int>(bits >> format.fraction & ((1U << format.exponent) - 1));
    const std::uint32_t fraction = bits & ((1U << format.fraction) - 1);
    const bool negative = bits >> (format.exponent + format.fraction) & 1;
    double value = 0;
    if (exponent == (1 << format.exponent) - 1)
        value = fraction ? std::nan("") : HUGE_VAL;
    else if (exponent == 0)
        value = fraction * power_of_two(1 - bias - format.fraction);
    else
        value = (fraction | 1U << format.fraction) * power_of_two(exponent - bias - format.fraction);
    return negative ? -value : value;
}

inline double to_double(F16 value) { return widen(value.bits, f16_format); }
inline double to_double(BF16 value) { return widen(value.bits, bf16_format); }
inline double to_double(float value) { return value; }
inline double to_double(double value) { return value; }

template <class T>
T from_double(double value) {
    if constexpr (std::is_same_v<T, F16>) {
        return {static_cast<std::uint16_t>(narrow(value, f16_format))};
    } else if constexpr (std::is_same_v<T, BF16>) {
        return {static_cast<std::uint16_t>(narrow(value, bf16_format))};
    } else {
        return static_cast<T>(value);
    }
}

/// a * b + c of 16-bit numbers, rounded to odd: a further rounding equals one rounding of the exact value.
inline double fma_to_odd(double a, double b, double c) {
    const double product = a * b; // exact: at most 22 bits
    const double sum = product + c;
    if (!std::isfinite(sum)) return sum;
    const double taken = sum - product;
    const double rest = (product - (sum - taken)) + (c - taken);
    const bool even = (std::bit_cast<std::uint64_t>(sum) & 1) == 0;
    return rest != 0 && even ? std::nextafter(sum, rest > 0 ? HUGE_VAL : -HUGE_VAL) : sum;
}

#if defined(__x86_64__)
/// Whether the processor has an instruction for a * b + c. Functions that use it have target("fma").
inline bool has_fma() { return __builtin_cpu_supports("fma"); }
#define PM_WITH_FMA __attribute__((target("fma")))
#else
inline bool has_fma() { return false; }
#define PM_WITH_FMA
#endif

/// Sets the processor's rounding mode for the life of the object.
class RoundingMode {
  public:
    explicit RoundingMode(Rounding rounding) {
        static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
        std::fesetround(modes[static_cast<int>(rounding)]);
    }
    RoundingMode(const RoundingMode&) = delete;
    RoundingMode& operator=(const RoundingMode&) = delete;
    ~RoundingMode() { std::fesetround(FE_TONEAREST); }
};

/// Replaces a NaN by the NaN that a device returns in f32. In f64 the NaN is the processor's.
inline float canonical(float value) { return value == value ? value : std::bit_cast<float>(0x7FFF'FFFFU); }
inline double canonical(double value) { return value; }

} // namespace pm::ptx
