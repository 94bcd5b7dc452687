#include "runtime/element.hpp"

#include "runtime/convert.hpp"
#include "runtime/half.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pm::runtime {
namespace {

// How each dtype is stored.
struct F16 {
    std::uint16_t bits;
};
struct BF16 {
    std::uint16_t bits;
};
struct Bool {
    std::uint8_t byte;
};

template <class F>
decltype(auto) with_type(DType dtype, F&& f) {
    switch (dtype) {
    case DType::b1: return f(Bool{});
    case DType::i8: return f(std::int8_t{});
    case DType::i16: return f(std::int16_t{});
    case DType::i32: return f(std::int32_t{});
    case DType::i64: return f(std::int64_t{});
    case DType::u8: return f(std::uint8_t{});
    case DType::u16: return f(std::uint16_t{});
    case DType::u32: return f(std::uint32_t{});
    case DType::u64:
    case DType::key:
    case DType::tape: return f(std::uint64_t{});
    case DType::f16: return f(F16{});
    case DType::bf16: return f(BF16{});
    case DType::f32: return f(float{});
    case DType::f64: return f(double{});
    case DType::c64: return f(std::complex<float>{});
    case DType::c128: return f(std::complex<double>{});
    }
    return f(std::uint8_t{});
}

// The value of a stored element, in a type that represents it exactly.
template <class T>
T value_of(T x) {
    return x;
}
std::uint8_t value_of(Bool x) { return x.byte != 0 ? 1 : 0; }
float value_of(F16 x) { return f16_to_f32(x.bits); }
float value_of(BF16 x) { return bf16_to_f32(x.bits); }

template <class T>
constexpr bool is_complex_value = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

template <class Integer>
Integer float_to_integer(double x) {
    using Limits = std::numeric_limits<Integer>;
    if (std::isnan(x)) return 0;
    // max() + 1 is a power of two, so f64 represents it exactly. f64 may not represent max() exactly.
    if (x >= std::ldexp(1.0, Limits::digits)) return Limits::max();
    if (x <= static_cast<double>(Limits::min())) return Limits::min();
    return static_cast<Integer>(x);
}

/// Converts a 64-bit integer to f64. If the result is later rounded to 11 bits or fewer, the final value is the integer
/// rounded once. For this purpose the lowest 12 bits of a large integer become a single sticky bit.
template <class Integer>
double integer_to_f64_sticky(Integer x) {
    const bool negative = x < 0;
    std::uint64_t magnitude = negative ? 0 - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
    if (magnitude >> 52 != 0 && (magnitude & 0xFFFU) != 0) magnitude = (magnitude & ~std::uint64_t{0xFFF}) | 0x1000U;
    const auto wide = static_cast<double>(magnitude);
    return negative ? -wide : wide;
}

// The stored form of a value; `from` is i64, u64, f64 or c128.
template <class To, class From>
To stored(From x) {
    if constexpr (is_complex_value<To>) {
        using Part = typename To::value_type;
        if constexpr (is_complex_value<From>)
            return To(static_cast<Part>(x.real()), static_cast<Part>(x.imag()));
        else
            return To(static_cast<Part>(x), Part{0});
    } else if constexpr (std::is_same_v<To, Bool>) {
        return Bool{static_cast<std::uint8_t>(x != From{} ? 1 : 0)};
    } else if constexpr (is_complex_value<From>) {
        return stored<To>(x.real());
    } else if constexpr (std::is_same_v<To, F16> || std::is_same_v<To, BF16>) {
        double wide;
        if constexpr (std::is_integral_v<From>)
            wide = integer_to_f64_sticky(x);
        else
            wide = x;
        return To{std::is_same_v<To, F16> ? f64_to_f16(wide) : f64_to_bf16(wide)};
    } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
        return float_to_integer<To>(x);
    } else {
        return static_cast<To>(x);
    }
}

template <class From>
void write_as(DType dtype, void* data, std::int64_t i, From value) {
    with_type(dtype, [&](auto tag) { static_cast<decltype(tag)*>(data)[i] = stored<decltype(tag)>(value); });
}

template <class To>
To read_as(DType dtype, const void* data, std::int64_t i) {
    return with_type(dtype, [&](auto tag) -> To {
        const auto value = value_of(static_cast<const decltype(tag)*>(data)[i]);
        using Value = std::remove_cv_t<decltype(value)>;
        if constexpr (is_complex_value<To>) {
            return stored<To>(value);
        } else if constexpr (is_complex_value<Value>) {
            return stored<To>(static_cast<double>(value.real()));
        } else if constexpr (std::is_floating_point_v<Value>) {
            return stored<To>(static_cast<double>(value));
        } else {
            return static_cast<To>(value);
        }
    });
}

// Converts blocks of elements to the widest type of the source's kind, and then to the target type. So two loops per
// dtype suffice, instead of one loop per pair of dtypes.
template <class Wide>
void convert_through(DType from, const void* source, DType to, void* target, std::int64_t n) {
    constexpr std::int64_t block = 512;
    Wide wide[block];
    for (std::int64_t begin = 0; begin < n; begin += block) {
        const std::int64_t count = std::min(block, n - begin);
        with_type(from, [&](auto tag) {
            const auto* elements = static_cast<const decltype(tag)*>(source) + begin;
            for (std::int64_t i = 0; i < count; ++i) {
                const auto value = value_of(elements[i]);
                using Value = std::remove_cv_t<decltype(value)>;
                if constexpr (is_complex_value<Value> && !is_complex_value<Wide>)
                    wide[i] = static_cast<Wide>(value.real());
                else
                    wide[i] = static_cast<Wide>(value);
            }
        });
        with_type(to, [&](auto tag) {
            auto* elements = static_cast<decltype(tag)*>(target) + begin;
            for (std::int64_t i = 0; i < count; ++i) elements[i] = stored<decltype(tag)>(wide[i]);
        });
    }
}

} // namespace

double read_f64(DType dtype, const void* data, std::int64_t i) { return read_as<double>(dtype, data, i); }
std::int64_t read_i64(DType dtype, const void* data, std::int64_t i) { return read_as<std::int64_t>(dtype, data, i); }
std::uint64_t read_u64(DType dtype, const void* data, std::int64_t i) { return read_as<std::uint64_t>(dtype, data, i); }
std::complex<double> read_c128(DType dtype, const void* data, std::int64_t i) {
    return read_as<std::complex<double>>(dtype, data, i);
}
bool read_bool(DType dtype, const void* data, std::int64_t i) {
    return with_type(dtype, [&](auto tag) {
        const auto value = value_of(static_cast<const decltype(tag)*>(data)[i]);
        return value != std::remove_cv_t<decltype(value)>{};
    });
}

void write_f64(DType dtype, void* data, std::int64_t i, double value) { write_as(dtype, data, i, value); }
void write_i64(DType dtype, void* data, std::int64_t i, std::int64_t value) { write_as(dtype, data, i, value); }
void write_u64(DType dtype, void* data, std::int64_t i, std::uint64_t value) { write_as(dtype, data, i, value); }
void write_c128(DType dtype, void* data, std::int64_t i, std::complex<double> value) {
    write_as(dtype, data, i, value);
}

void convert_elements(DType from, const void* source, DType to, void* target, std::int64_t n) {
    if (is_complex(from))
        convert_through<std::complex<double>>(from, source, to, target, n);
    else if (is_float(from))
        convert_through<double>(from, source, to, target, n);
    else if (is_unsigned_integer(from) || from == DType::key || from == DType::tape)
        convert_through<std::uint64_t>(from, source, to, target, n);
    else
        convert_through<std::int64_t>(from, source, to, target, n);
}

} // namespace pm::runtime
