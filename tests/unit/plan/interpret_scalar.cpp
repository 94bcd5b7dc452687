#include "runtime/element.hpp"
#include "tests/unit/plan/interpret_nest.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>

namespace pm::plan::testing {
namespace {

using nest::DType;
using nest::ScalarOp;

template <class T>
T as(std::uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
template <class T>
std::uint64_t bits_of(T value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}

template <class T>
T greater(T a, T b) {
    if (a != a || b != b) return std::numeric_limits<T>::quiet_NaN();
    if (a == b) return std::signbit(a) ? b : a;
    return a < b ? b : a;
}
template <class T>
T lesser(T a, T b) {
    if (a != a || b != b) return std::numeric_limits<T>::quiet_NaN();
    if (a == b) return std::signbit(a) ? a : b;
    return a < b ? a : b;
}

template <class T>
T float_operation(ScalarOp op, T a, T b, T c) {
    switch (op) {
    case ScalarOp::neg: return -a;
    case ScalarOp::abs: return std::fabs(a);
    case ScalarOp::sign: return a > 0 ? T(1) : a < 0 ? T(-1) : a;
    case ScalarOp::floor: return std::floor(a);
    case ScalarOp::ceil: return std::ceil(a);
    case ScalarOp::round: return std::nearbyint(a);
    case ScalarOp::trunc: return std::trunc(a);
    case ScalarOp::exp: return static_cast<T>(std::exp(static_cast<double>(a)));
    case ScalarOp::expm1: return static_cast<T>(std::expm1(static_cast<double>(a)));
    case ScalarOp::log: return static_cast<T>(std::log(static_cast<double>(a)));
    case ScalarOp::log1p: return static_cast<T>(std::log1p(static_cast<double>(a)));
    case ScalarOp::sqrt: return std::sqrt(a);
    case ScalarOp::rsqrt: return T(1) / std::sqrt(a);
    case ScalarOp::cbrt: return std::cbrt(a);
    case ScalarOp::sin: return static_cast<T>(std::sin(static_cast<double>(a)));
    case ScalarOp::cos: return static_cast<T>(std::cos(static_cast<double>(a)));
    case ScalarOp::tan: return static_cast<T>(std::tan(static_cast<double>(a)));
    case ScalarOp::tanh: return static_cast<T>(std::tanh(static_cast<double>(a)));
    case ScalarOp::atan: return static_cast<T>(std::atan(static_cast<double>(a)));
    case ScalarOp::logistic: return static_cast<T>(1.0 / (1.0 + std::exp(-static_cast<double>(a))));
    case ScalarOp::erf: return static_cast<T>(std::erf(static_cast<double>(a)));
    case ScalarOp::erfc: return static_cast<T>(std::erfc(static_cast<double>(a)));
    case ScalarOp::add: return a + b;
    case ScalarOp::sub: return a - b;
    case ScalarOp::mul: return a * b;
    case ScalarOp::div: return a / b;
    case ScalarOp::rem: return std::fmod(a, b);
    case ScalarOp::pow: return static_cast<T>(std::pow(static_cast<double>(a), static_cast<double>(b)));
    case ScalarOp::atan2: return std::atan2(a, b);
    case ScalarOp::max: return greater(a, b);
    case ScalarOp::min: return lesser(a, b);
    case ScalarOp::fma: return std::fma(a, b, c);
    default: throw std::logic_error("no such operation on floats: " + std::string(nest::name(op)));
    }
}

template <class T>
T integer_operation(ScalarOp op, T a, T b) {
    using U = std::make_unsigned_t<T>;
    const U ua = static_cast<U>(a);
    const U ub = static_cast<U>(b);
    constexpr unsigned width = 8 * sizeof(T);
    switch (op) {
    case ScalarOp::neg: return static_cast<T>(U{0} - ua);
    case ScalarOp::abs: return a < 0 ? static_cast<T>(U{0} - ua) : a;
    case ScalarOp::sign: return a > 0 ? T(1) : a < 0 ? T(-1) : T(0);
    case ScalarOp::not_: return static_cast<T>(~ua);
    case ScalarOp::population_count: return static_cast<T>(std::popcount(ua));
    case ScalarOp::add: return static_cast<T>(ua + ub);
    case ScalarOp::sub: return static_cast<T>(ua - ub);
    case ScalarOp::mul: return static_cast<T>(static_cast<std::uint64_t>(ua) * static_cast<std::uint64_t>(ub));
    case ScalarOp::div:
        if (b == 0) return static_cast<T>(~U{0});
        if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(U{0} - ua);
        return static_cast<T>(a / b);
    case ScalarOp::rem:
        if (b == 0) return a;
        if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
        return static_cast<T>(a % b);
    case ScalarOp::max: return a < b ? b : a;
    case ScalarOp::min: return a < b ? a : b;
    case ScalarOp::and_: return static_cast<T>(ua & ub);
    case ScalarOp::or_: return static_cast<T>(ua | ub);
    case ScalarOp::xor_: return static_cast<T>(ua ^ ub);
    case ScalarOp::shift_left: return ub >= width ? T(0) : static_cast<T>(ua << ub);
    case ScalarOp::shift_right: return ub >= width ? static_cast<T>(a < 0 ? -1 : 0) : static_cast<T>(a >> ub);
    default: throw std::logic_error("no such operation on integers: " + std::string(nest::name(op)));
    }
}

template <class T>
bool compare(ScalarOp op, T a, T b) {
    switch (op) {
    case ScalarOp::equal: return a == b;
    case ScalarOp::not_equal: return a != b;
    case ScalarOp::less: return a < b;
    case ScalarOp::less_equal: return a <= b;
    default: throw std::logic_error("no comparison");
    }
}

/// Calls fn with a value of the C++ type in which elements of the dtype are computed.
template <class Fn>
auto with_type(DType dtype, Fn fn) {
    switch (dtype) {
    case DType::b1:
    case DType::u8: return fn(std::uint8_t{});
    case DType::i8: return fn(std::int8_t{});
    case DType::i16: return fn(std::int16_t{});
    case DType::i32: return fn(std::int32_t{});
    case DType::i64: return fn(std::int64_t{});
    case DType::u16: return fn(std::uint16_t{});
    case DType::u32: return fn(std::uint32_t{});
    case DType::u64:
    case DType::key:
    case DType::tape: return fn(std::uint64_t{});
    case DType::f16:
    case DType::bf16:
    case DType::f32: return fn(float{});
    case DType::f64: return fn(double{});
    case DType::c64:
    case DType::c128: break;
    }
    throw std::logic_error("no complex numbers here");
}

template <class T>
T decode(DType dtype, std::uint64_t bits) {
    if (is_half(dtype)) return static_cast<T>(runtime::read_f64(dtype, &bits, 0));
    return as<T>(bits);
}
template <class T>
std::uint64_t encode(DType dtype, T value) {
    if (!is_half(dtype)) return bits_of(value);
    std::uint64_t bits = 0;
    runtime::write_f64(dtype, &bits, 0, static_cast<double>(value));
    return bits;
}

std::uint64_t threefry(std::uint64_t key, std::uint64_t counter) {
    const auto k0 = static_cast<std::uint32_t>(key >> 32);
    const auto k1 = static_cast<std::uint32_t>(key);
    const std::uint32_t k[3] = {k0, k1, k0 ^ k1 ^ 0x1BD11BDAU};
    auto x = static_cast<std::uint32_t>(counter >> 32) + k0;
    auto y = static_cast<std::uint32_t>(counter) + k1;
    const int rotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
    for (std::uint32_t i = 0; i < 20; ++i) {
        x += y;
        y = std::rotl(y, rotations[i % 8]) ^ x;
        if (i % 4 != 3) continue;
        const std::uint32_t s = i / 4 + 1;
        x += k[s % 3];
        y += k[(s + 1) % 3] + s;
    }
    return (std::uint64_t{x} << 32) | y;
}

std::uint64_t convert(DType to, DType from, std::uint64_t bits) {
    std::uint64_t result = 0;
    if (to == DType::b1) return runtime::read_bool(from, &bits, 0) ? 1 : 0;
    if (runtime::is_float(from))
        runtime::write_f64(to, &result, 0, runtime::read_f64(from, &bits, 0));
    else if (runtime::is_unsigned_integer(from))
        runtime::write_u64(to, &result, 0, runtime::read_u64(from, &bits, 0));
    else
        runtime::write_i64(to, &result, 0, runtime::read_i64(from, &bits, 0));
    return result;
}

} // namespace

std::uint64_t scalar_operation(ScalarOp op, DType to, DType from, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    switch (op) {
    case ScalarOp::convert: return to == from ? a : convert(to, from, a);
    case ScalarOp::bitcast: return a;
    case ScalarOp::threefry: return threefry(a, b);
    case ScalarOp::select: return a != 0 ? b : c;
    case ScalarOp::equal:
    case ScalarOp::not_equal:
    case ScalarOp::less:
    case ScalarOp::less_equal:
        return with_type(from, [&](auto t) {
            return compare(op, decode<decltype(t)>(from, a), decode<decltype(t)>(from, b)) ? 1U : 0U;
        });
    case ScalarOp::is_finite: return std::isfinite(runtime::read_f64(from, &a, 0)) ? 1 : 0;
    case ScalarOp::not_:
        if (to == DType::b1) return a == 0 ? 1 : 0;
        break;
    default: break;
    }
    return with_type(to, [&](auto t) {
        using T = decltype(t);
        const T x = decode<T>(to, a);
        const T y = decode<T>(to, b);
        if constexpr (std::is_floating_point_v<T>)
            return encode<T>(to, float_operation(op, x, y, decode<T>(to, c)));
        else
            return encode<T>(to, integer_operation(op, x, y));
    });
}

std::uint64_t combine_elements(nest::Combine how, DType dtype, std::uint64_t a, std::uint64_t b) {
    const auto apply = [&](ScalarOp op) { return scalar_operation(op, dtype, dtype, a, b); };
    switch (how) {
    case nest::Combine::add: return apply(ScalarOp::add);
    case nest::Combine::mul: return apply(ScalarOp::mul);
    case nest::Combine::max: return apply(ScalarOp::max);
    case nest::Combine::min: return apply(ScalarOp::min);
    case nest::Combine::and_: return apply(ScalarOp::and_);
    case nest::Combine::or_: return apply(ScalarOp::or_);
    case nest::Combine::argmax:
    case nest::Combine::argmin: break;
    }
    throw std::logic_error("positions are not combined here");
}

} // namespace pm::plan::testing
