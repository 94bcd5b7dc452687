#include "runtime/element.hpp"
#include "runtime/half.hpp"
#include "tests/unit/codegen/harness.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>

using namespace pm;
using namespace pm::codegen::test;
using nest::ScalarOp;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

bool half(DType d) { return d == DType::f16 || d == DType::bf16; }

/// The edge values of the tests; each pair of them is a pair of operands.
std::vector<double> real_points() {
    return {0.0, -0.0, 1,     -1,    0.5,   1.5,   2.5,  -2.5, 3,    -7.25, 1e-3,
            1e4, 1e30, -1e30, 1e-42, 65504, 65520, 5e-8, inf,  -inf, nan};
}
std::vector<std::int64_t> whole_points(DType d) {
    const int bits = d == DType::b1 ? 1 : static_cast<int>(8 * runtime::size_of(d));
    if (d == DType::b1) return {0, 1};
    const std::uint64_t top = bits == 64 ? ~0ULL : (1ULL << bits) - 1;
    std::vector<std::int64_t> points{0, 1, 2, 3, 5, 7, 31, 63, 100, -1, -2, -3, -100};
    points.push_back(static_cast<std::int64_t>(top));
    points.push_back(static_cast<std::int64_t>(top >> 1));
    points.push_back(static_cast<std::int64_t>((top >> 1) + 1));
    points.push_back(static_cast<std::int64_t>((top >> 1) - 6));
    return points;
}

Array points(DType d, bool second) {
    std::vector<double> reals = real_points();
    std::vector<std::int64_t> wholes = whole_points(d);
    const std::size_t count = runtime::is_float(d) ? reals.size() : wholes.size();
    Array made = Array::empty(d, {static_cast<std::int64_t>(count * count)});
    for (std::size_t i = 0; i < count * count; ++i) {
        const std::size_t at = second ? i % count : i / count;
        if (runtime::is_float(d))
            runtime::write_f64(d, made.mutable_data(), static_cast<std::int64_t>(i), reals[at]);
        else
            runtime::write_i64(d, made.mutable_data(), static_cast<std::int64_t>(i), wholes[at]);
    }
    return made;
}

template <class T>
T real_reference(ScalarOp op, T a, T c) {
    switch (op) {
    case ScalarOp::neg: return -a;
    case ScalarOp::abs: return std::fabs(a);
    case ScalarOp::sign: return a > 0 ? T(1) : a < 0 ? T(-1) : a;
    case ScalarOp::floor: return std::floor(a);
    case ScalarOp::ceil: return std::ceil(a);
    case ScalarOp::round: return std::nearbyint(a);
    case ScalarOp::trunc: return std::trunc(a);
    case ScalarOp::sqrt: return std::sqrt(a);
    case ScalarOp::rsqrt: return T(1) / std::sqrt(a);
    case ScalarOp::add: return a + c;
    case ScalarOp::sub: return a - c;
    case ScalarOp::mul: return a * c;
    case ScalarOp::div: return a / c;
    case ScalarOp::rem: return std::fmod(a, c);
    case ScalarOp::max:
        return std::isnan(a) || std::isnan(c) ? a + c : a == c ? (std::signbit(a) ? c : a) : std::max(a, c);
    case ScalarOp::min:
        return std::isnan(a) || std::isnan(c) ? a + c : a == c ? (std::signbit(a) ? a : c) : std::min(a, c);
    case ScalarOp::nextafter: return std::nextafter(a, c);
    default: return T(0);
    }
}

std::int64_t whole_reference(ScalarOp op, DType d, std::int64_t a, std::int64_t c) {
    const bool is_signed = runtime::is_signed_integer(d);
    const int bits = d == DType::b1 ? 1 : static_cast<int>(8 * runtime::size_of(d));
    const auto ua = static_cast<std::uint64_t>(a);
    const auto uc = static_cast<std::uint64_t>(c);
    const bool boolean = d == DType::b1;
    switch (op) {
    case ScalarOp::neg: return static_cast<std::int64_t>(0 - ua);
    case ScalarOp::abs: return is_signed && a < 0 ? static_cast<std::int64_t>(0 - ua) : a;
    case ScalarOp::sign: return is_signed ? (a > 0) - (a < 0) : a != 0;
    case ScalarOp::not_: return boolean ? a == 0 : ~a;
    case ScalarOp::population_count: return std::popcount(bits == 64 ? ua : ua & ((1ULL << bits) - 1));
    case ScalarOp::add: return static_cast<std::int64_t>(ua + uc);
    case ScalarOp::sub: return static_cast<std::int64_t>(ua - uc);
    case ScalarOp::mul: return static_cast<std::int64_t>(ua * uc);
    case ScalarOp::div:
        if (c == 0) return -1;
        if (is_signed) return c == -1 ? static_cast<std::int64_t>(0 - ua) : a / c;
        return static_cast<std::int64_t>(ua / uc);
    case ScalarOp::rem:
        if (c == 0) return a;
        if (is_signed) return c == -1 ? 0 : a % c;
        return static_cast<std::int64_t>(ua % uc);
    case ScalarOp::max: return is_signed ? std::max(a, c) : static_cast<std::int64_t>(std::max(ua, uc));
    case ScalarOp::min: return is_signed ? std::min(a, c) : static_cast<std::int64_t>(std::min(ua, uc));
    case ScalarOp::and_: return a & c;
    case ScalarOp::or_: return a | c;
    case ScalarOp::xor_: return a ^ c;
    case ScalarOp::shift_left: return uc >= static_cast<std::uint64_t>(bits) ? 0 : static_cast<std::int64_t>(ua << uc);
    case ScalarOp::shift_right:
        if (uc >= static_cast<std::uint64_t>(bits)) return is_signed && a < 0 ? -1 : 0;
        return is_signed ? a >> c : static_cast<std::int64_t>(ua >> uc);
    default: return 0;
    }
}

/// Whether element i has the same bits in both arrays; all NaNs count as equal.
bool same(DType d, const void* a, const void* b, std::int64_t i) {
    if (runtime::is_float(d) && std::isnan(runtime::read_f64(d, a, i)) && std::isnan(runtime::read_f64(d, b, i)))
        return true;
    const std::size_t w = runtime::size_of(d);
    return std::memcmp(static_cast<const char*>(a) + static_cast<std::size_t>(i) * w,
                       static_cast<const char*>(b) + static_cast<std::size_t>(i) * w, w) == 0;
}

Array reference(ScalarOp op, DType d, const Array& a, const Array& c) {
    Array made = Array::empty(d, a.shape());
    for (std::int64_t i = 0; i < a.elements(); ++i) {
        if (!runtime::is_float(d)) {
            runtime::write_i64(d, made.mutable_data(), i, whole_reference(op, d, a.as_i64(i), c.as_i64(i)));
        } else if (d == DType::f64) {
            runtime::write_f64(d, made.mutable_data(), i, real_reference<double>(op, a.as_f64(i), c.as_f64(i)));
        } else {
            runtime::write_f64(
                d, made.mutable_data(), i,
                real_reference<float>(op, static_cast<float>(a.as_f64(i)), static_cast<float>(c.as_f64(i))));
        }
    }
    return made;
}

void compare(const Array& got, const Array& expected, const std::string& what) {
    int wrong = 0;
    for (std::int64_t i = 0; i < got.elements(); ++i) {
        if (same(got.dtype(), got.data(), expected.data(), i) || ++wrong > 3) continue;
        FAIL_CHECK(what << " element " << i << ": " << got.as_f64(i) << " instead of " << expected.as_f64(i));
    }
}

} // namespace

TEST_CASE("arithmetic has the bits that its definition states, for every dtype and vector width") {
    const std::vector<ScalarOp> unary{ScalarOp::neg,
                                      ScalarOp::abs,
                                      ScalarOp::sign,
                                      ScalarOp::floor,
                                      ScalarOp::ceil,
                                      ScalarOp::round,
                                      ScalarOp::trunc,
                                      ScalarOp::sqrt,
                                      ScalarOp::rsqrt,
                                      ScalarOp::not_,
                                      ScalarOp::population_count};
    const std::vector<ScalarOp> binary{ScalarOp::add,        ScalarOp::sub, ScalarOp::mul,  ScalarOp::div,
                                       ScalarOp::rem,        ScalarOp::max, ScalarOp::min,  ScalarOp::nextafter,
                                       ScalarOp::and_,       ScalarOp::or_, ScalarOp::xor_, ScalarOp::shift_left,
                                       ScalarOp::shift_right};
    const auto sensible = [](ScalarOp op, DType d) {
        const bool real = runtime::is_float(d);
        switch (op) {
        case ScalarOp::floor:
        case ScalarOp::ceil:
        case ScalarOp::round:
        case ScalarOp::trunc:
        case ScalarOp::sqrt:
        case ScalarOp::rsqrt: return real;
        case ScalarOp::nextafter: return real && !half(d);
        case ScalarOp::not_:
        case ScalarOp::population_count:
        case ScalarOp::and_:
        case ScalarOp::or_:
        case ScalarOp::xor_: return !real;
        case ScalarOp::shift_left:
        case ScalarOp::shift_right: return !real && d != DType::b1;
        case ScalarOp::max:
        case ScalarOp::min: return true;
        default: return d != DType::b1;
        }
    };
    for (const DType d : {DType::b1, DType::i8, DType::i16, DType::i32, DType::i64, DType::u8, DType::u16, DType::u32,
                          DType::u64, DType::f16, DType::bf16, DType::f32, DType::f64}) {
        const Array a = points(d, false);
        const Array c = points(d, true);
        for (const int bits : {512, 128}) {
            for (const ScalarOp op : unary)
                if (sensible(op, d))
                    compare(run(nest_program(elementwise(op, d, {d}, a.elements()), {a.shape(), a.shape()}), {a}, bits)
                                .results[0],
                            reference(op, d, a, c), std::string(nest::name(op)) + " " + std::string(runtime::name(d)));
            for (const ScalarOp op : binary)
                if (sensible(op, d))
                    compare(
                        run(nest_program(elementwise(op, d, {d, d}, a.elements()), {a.shape(), a.shape(), a.shape()}),
                            {a, c}, bits)
                            .results[0],
                        reference(op, d, a, c), std::string(nest::name(op)) + " " + std::string(runtime::name(d)));
        }
    }
}

TEST_CASE("comparisons and finiteness") {
    for (const DType d : {DType::b1, DType::i32, DType::u8, DType::u64, DType::f16, DType::f32, DType::f64}) {
        const Array a = points(d, false);
        const Array c = points(d, true);
        for (const ScalarOp op : {ScalarOp::equal, ScalarOp::not_equal, ScalarOp::less, ScalarOp::less_equal}) {
            const Array got =
                run(nest_program(elementwise(op, DType::b1, {d, d}, a.elements()), {a.shape(), a.shape(), a.shape()}),
                    {a, c})
                    .results[0];
            for (std::int64_t i = 0; i < a.elements(); ++i) {
                const auto relation = [&](auto x, auto y) {
                    return op == ScalarOp::equal       ? x == y
                           : op == ScalarOp::not_equal ? x != y
                           : op == ScalarOp::less      ? x < y
                                                       : x <= y;
                };
                const bool expected = runtime::is_float(d)            ? relation(a.as_f64(i), c.as_f64(i))
                                      : runtime::is_signed_integer(d) ? relation(a.as_i64(i), c.as_i64(i))
                                                                      : relation(a.as_u64(i), c.as_u64(i));
                REQUIRE(got.as_bool(i) == expected);
            }
        }
        const Array finite =
            run(nest_program(elementwise(ScalarOp::is_finite, DType::b1, {d}, a.elements()), {a.shape(), a.shape()}),
                {a})
                .results[0];
        for (std::int64_t i = 0; i < a.elements(); ++i) REQUIRE(finite.as_bool(i) == std::isfinite(a.as_f64(i)));
    }
}

TEST_CASE("conversions between any two dtypes agree with the runtime") {
    const std::vector<DType> all{DType::b1,  DType::i8,  DType::i16, DType::i32,  DType::i64, DType::u8, DType::u16,
                                 DType::u32, DType::u64, DType::f16, DType::bf16, DType::f32, DType::f64};
    for (const DType from : all) {
        Array x = points(from, false);
        if (from == DType::f64 || from == DType::f32) {
            // Values near ties of the 16-bit formats and near the ends of the integers.
            std::vector<double> more{
                2049.0,       2051.0,        1.00048828125, 1.00048828126, 1.00390625, 1.01171875, 1.0039062500001,
                127.5,        128,           -128.9,        -129,          255.99,     256,        2147483647.0,
                2147483648.0, -2147483649.0, 4294967295.5,  9.3e18,        -9.3e18,    1.85e19,    3e9,
                32767.5,      65535.9,       6.1e-5,        5.97e-8,       2.9e-8,     3.4e38,     3.39e38};
            for (std::size_t i = 0; i < more.size(); ++i)
                runtime::write_f64(from, x.mutable_data(), static_cast<std::int64_t>(i), more[i]);
        }
        for (const DType to : all)
            for (const int bits : {512, 128})
                compare(
                    run(nest_program(elementwise(ScalarOp::convert, to, {from}, x.elements()), {x.shape(), x.shape()}),
                        {x}, bits)
                        .results[0],
                    x.convert(to), std::string(runtime::name(from)) + " to " + std::string(runtime::name(to)));
    }
}

TEST_CASE("threefry has the published known answers") {
    const std::vector<std::uint64_t> key{0, ~0ULL, 0x13198a2e03707344};
    const std::vector<std::uint64_t> counter{0, ~0ULL, 0x243f6a8885a308d3};
    const Array k = Array::from_values(DType::key, {3}, key);
    const Array c = Array::from_values(DType::u64, {3}, counter);
    const Array got =
        run(nest_program(elementwise(ScalarOp::threefry, DType::u64, {DType::key, DType::u64}, 3), {{3}, {3}, {3}}),
            {k, c})
            .results[0];
    CHECK(values<std::uint64_t>(got) ==
          std::vector<std::uint64_t>{0x6b20015999ba4efe, 0x1cb996fcbb002be7, 0xc4923a9c483df7a0});
}

TEST_CASE("integer powers, select, fma and bitcast") {
    const Array base = Array::from_values(DType::i32, {8}, std::vector<std::int32_t>{2, -3, 0, 0, 1, -1, 7, -1});
    const Array power = Array::from_values(DType::i32, {8}, std::vector<std::int32_t>{10, 3, 0, -2, -5, -3, -1, 4});
    const Array raised =
        run(nest_program(elementwise(ScalarOp::pow, DType::i32, {DType::i32, DType::i32}, 8), {{8}, {8}, {8}}),
            {base, power})
            .results[0];
    CHECK(values<std::int32_t>(raised) == std::vector<std::int32_t>{1024, -27, 1, 0, 1, -1, 0, 1});
    const Array a = random_array(DType::f32, {100}, 1);
    const Array b = random_array(DType::f32, {100}, 2);
    const Array c = random_array(DType::f32, {100}, 3);
    const Array m = random_array(DType::b1, {100}, 4);
    const Array f = run(nest_program(elementwise(ScalarOp::fma, DType::f32, {DType::f32, DType::f32, DType::f32}, 100),
                                     {{100}, {100}, {100}, {100}}),
                        {a, b, c})
                        .results[0];
    const Array s =
        run(nest_program(elementwise(ScalarOp::select, DType::f32, {DType::b1, DType::f32, DType::f32}, 100),
                         {{100}, {100}, {100}, {100}}),
            {m, a, b})
            .results[0];
    const Array i =
        run(nest_program(elementwise(ScalarOp::bitcast, DType::i32, {DType::f32}, 100), {{100}, {100}}), {a})
            .results[0];
    for (int n = 0; n < 100; ++n) {
        CHECK(f.as<float>()[n] == std::fma(a.as<float>()[n], b.as<float>()[n], c.as<float>()[n]));
        CHECK(s.as<float>()[n] == (m.as_bool(n) ? a : b).as<float>()[n]);
        CHECK(i.as<std::int32_t>()[n] == std::bit_cast<std::int32_t>(a.as<float>()[n]));
    }
}
