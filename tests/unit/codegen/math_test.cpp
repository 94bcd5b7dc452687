#include "tests/unit/codegen/harness.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>

using namespace pm;
using namespace pm::codegen::test;
using nest::ScalarOp;

namespace {

long double digamma(long double x) {
    if (x <= 0 && std::floor(x) == x) return std::numeric_limits<long double>::quiet_NaN();
    if (x < 0.5L) return digamma(1 - x) - M_PIl / std::tan(M_PIl * x);
    long double sum = 0;
    for (; x < 30; x += 1) sum -= 1 / x;
    const long double r = 1 / (x * x);
    return sum + std::log(x) - 0.5L / x -
           r * (1.0L / 12 - r * (1.0L / 120 - r * (1.0L / 252 - r * (1.0L / 240 - r / 132))));
}

long double reference(ScalarOp op, long double x, long double y) {
    switch (op) {
    case ScalarOp::exp: return std::exp(x);
    case ScalarOp::expm1: return std::expm1(x);
    case ScalarOp::log: return std::log(x);
    case ScalarOp::log1p: return std::log1p(x);
    case ScalarOp::cbrt: return std::cbrt(x);
    case ScalarOp::sin: return std::sin(x);
    case ScalarOp::cos: return std::cos(x);
    case ScalarOp::tan: return std::tan(x);
    case ScalarOp::asin: return std::asin(x);
    case ScalarOp::acos: return std::acos(x);
    case ScalarOp::atan: return std::atan(x);
    case ScalarOp::sinh: return std::sinh(x);
    case ScalarOp::cosh: return std::cosh(x);
    case ScalarOp::tanh: return std::tanh(x);
    case ScalarOp::asinh: return std::asinh(x);
    case ScalarOp::acosh: return std::acosh(x);
    case ScalarOp::atanh: return std::atanh(x);
    case ScalarOp::logistic: return 1 / (1 + std::exp(-x));
    case ScalarOp::erf: return std::erf(x);
    case ScalarOp::erfc: return std::erfc(x);
    case ScalarOp::lgamma: return std::lgamma(x);
    case ScalarOp::digamma: return digamma(x);
    case ScalarOp::pow: return std::pow(x, y);
    case ScalarOp::atan2: return std::atan2(x, y);
    case ScalarOp::rem: return std::fmod(x, y);
    default: return 0;
    }
}

/// The error in units in the last place of the exact result; 0 if the difference is at most `absolute`.
template <class T>
double ulps(T got, long double exact, double absolute) {
    const T rounded = static_cast<T>(exact);
    if (std::isnan(exact)) return std::isnan(got) ? 0 : inf;
    if (std::isnan(got)) return inf;
    if (std::isinf(rounded) || std::isinf(got))
        return got == rounded ||
                       std::fabs(exact) > 0.9999999L * std::numeric_limits<T>::max() * (std::isinf(got) ? 1 : 2)
                   ? 0
                   : inf;
    if (rounded == 0 && got == 0) return std::signbit(rounded) == std::signbit(got) ? 0 : inf;
    const long double difference = std::fabs(static_cast<long double>(got) - exact);
    if (difference <= absolute) return 0;
    int exponent = 0;
    std::frexp(static_cast<double>(std::max<long double>(std::fabs(exact), std::numeric_limits<T>::min())), &exponent);
    return static_cast<double>(difference / std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits));
}

struct Case {
    ScalarOp op;
    double low, high;
    double single; ///< the error bound in f32, in units in the last place
    double wide;   ///< the error bound in f64, in units in the last place
    double absolute = 0;
};

template <class T>
Array sweep(DType d, const Case& c, unsigned seed) {
    // Edge values, then numbers uniform over the range, then numbers uniform over the exponents.
    std::vector<T> x{0,
                     T(-0.0),
                     1,
                     -1,
                     T(inf),
                     T(-inf),
                     std::numeric_limits<T>::quiet_NaN(),
                     std::numeric_limits<T>::denorm_min(),
                     -std::numeric_limits<T>::denorm_min(),
                     std::numeric_limits<T>::min(),
                     std::numeric_limits<T>::max(),
                     std::numeric_limits<T>::lowest(),
                     T(0.5),
                     T(-0.5),
                     T(2),
                     T(-2),
                     T(1e-5),
                     T(1.0000001),
                     T(0.9999999)};
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> flat(c.low, c.high);
    for (int i = 0; i < 40000; ++i) x.push_back(static_cast<T>(flat(engine)));
    std::uniform_real_distribution<double> exponents(-40, std::log2(std::max(1.0, c.high)));
    for (int i = 0; i < 20000; ++i)
        x.push_back(static_cast<T>(std::exp2(exponents(engine)) * (c.low < 0 && i % 2 == 0 ? -1 : 1)));
    return Array::from_values(d, {static_cast<std::int64_t>(x.size())}, x);
}

template <class T>
void check_function(DType d, const Case& c, double bound) {
    const Array x = sweep<T>(d, c, 1);
    const bool two = nest::operand_count(c.op) == 2;
    Case second = c;
    if (c.op == ScalarOp::pow) second.low = -8, second.high = 8;
    Array y = sweep<T>(d, second, 2);
    if (two) // all pairs of edge values
        for (std::int64_t i = 0; i < 361; ++i) {
            const std::int64_t at = 1000 + i;
            const_cast<Array&>(x).mutable_as<T>()[at] = x.as<T>()[i / 19];
            y.mutable_as<T>()[at] = y.as<T>()[i % 19];
        }
    const std::int64_t n = x.elements();
    const auto nest = two ? elementwise(c.op, d, {d, d}, n) : elementwise(c.op, d, {d}, n);
    std::vector<Shape> shapes(two ? 3 : 2, x.shape());
    const std::vector<Array> in = two ? std::vector<Array>{x, y} : std::vector<Array>{x};
    const Array wide = run(nest_program(nest, shapes), in, 512).results[0];
    const Array narrow = run(nest_program(nest, shapes), in, 128).results[0];
    CHECK_MESSAGE(std::memcmp(wide.data(), narrow.data(), static_cast<std::size_t>(wide.bytes())) == 0,
                  nest::name(c.op) << ": bits depend on the width");
    double worst = 0;
    T at = 0;
    T other = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        const double error = ulps<T>(wide.as<T>()[i], reference(c.op, x.as<T>()[i], y.as<T>()[i]), c.absolute);
        if (error > worst) worst = error, at = x.as<T>()[i], other = y.as<T>()[i];
    }
    MESSAGE(nest::name(c.op) << " " << runtime::name(d) << ": " << worst << " ulp at " << at);
    CHECK_MESSAGE(worst <= bound, nest::name(c.op)
                                      << " " << runtime::name(d) << ": " << worst << " ulp at " << at << ", " << other);
}

const std::vector<Case> cases{
    {ScalarOp::exp, -104, 89, 1.1, 1},      {ScalarOp::expm1, -20, 88, 1, 1},
    {ScalarOp::log, 0, 1e3, 1.1, 1},        {ScalarOp::log1p, -1, 1e3, 1.6, 1},
    {ScalarOp::cbrt, -1e3, 1e3, 0.6, 0.51}, {ScalarOp::sin, -100, 100, 2, 1},
    {ScalarOp::cos, -100, 100, 2, 1},       {ScalarOp::tan, -100, 100, 1, 1},
    {ScalarOp::asin, -1, 1, 1, 0.7},        {ScalarOp::acos, -1, 1, 1, 0.7},
    {ScalarOp::atan, -10, 10, 1, 0.9},      {ScalarOp::sinh, -80, 80, 1, 1.1},
    {ScalarOp::cosh, -80, 80, 1, 0.7},      {ScalarOp::tanh, -12, 12, 2, 2.2},
    {ScalarOp::asinh, -1e3, 1e3, 1, 1},     {ScalarOp::acosh, 1, 1e3, 1, 1},
    {ScalarOp::atanh, -1, 1, 1, 1},         {ScalarOp::logistic, -90, 90, 2.5, 2.5},
    {ScalarOp::erf, -4, 4, 2, 1.1},         {ScalarOp::erfc, -4, 10, 1, 3.2},
    {ScalarOp::lgamma, 0.01, 50, 1, 2},     {ScalarOp::digamma, 0.01, 50, 1, 16, 4e-18},
    {ScalarOp::pow, 0, 30, 1, 0.8},         {ScalarOp::atan2, -10, 10, 1, 0.9},
    {ScalarOp::rem, -1000, 1000, 0, 0},
};

/// Cases for f64 only: near overflow, with subnormal results, or near a zero of the function.
const std::vector<Case> wide_cases{
    {ScalarOp::exp, -746, 710, 0, 1},     {ScalarOp::expm1, 700, 710, 0, 1},
    {ScalarOp::sinh, -711, 711, 0, 1.1},  {ScalarOp::cosh, -711, 711, 0, 0.7},
    {ScalarOp::asinh, -1e14, 1e14, 0, 1}, {ScalarOp::acosh, 1, 1e14, 0, 1},
    {ScalarOp::acosh, 1, 1.001, 0, 1},    {ScalarOp::log1p, -0.3, -0.28, 0, 1},
    {ScalarOp::cbrt, 0, 1e-307, 0, 0.51}, {ScalarOp::tan, -1e6, 1e6, 0, 1},
    {ScalarOp::erfc, 10, 28, 0, 3},       {ScalarOp::lgamma, 50, 1e300, 0, 1},
    {ScalarOp::lgamma, -2, -1e-9, 0, 1},  {ScalarOp::lgamma, -50, -2, 0, 1, 1e-14},
    {ScalarOp::lgamma, 0.9, 2.1, 0, 2},   {ScalarOp::atan2, -1e300, 1e300, 0, 0.9},
    {ScalarOp::pow, 0, 1e60, 0, 0.8},     {ScalarOp::rem, -1e300, 1e300, 0, 0},
};

} // namespace

TEST_CASE("functions of f32 are within their error bounds and have the same bits at every vector width") {
    for (const Case& c : cases) check_function<float>(DType::f32, c, c.single);
}

TEST_CASE("functions of f64 are within their error bounds and have the same bits at every vector width") {
    for (const Case& c : cases) check_function<double>(DType::f64, c, c.wide);
}

TEST_CASE("functions of f64 are within their error bounds at the ends of their ranges") {
    for (const Case& c : wide_cases) check_function<double>(DType::f64, c, c.wide);
}

template <class T>
void check_large_angles(DType d, int exponents, double bound) {
    std::vector<T> x;
    std::mt19937 engine(3);
    for (int i = 0; i < 5000; ++i)
        x.push_back(std::ldexp(std::uniform_real_distribution<T>(1, 2)(engine),
                               static_cast<int>(engine() % static_cast<unsigned>(exponents))));
    if (d == DType::f64) x[0] = static_cast<T>(0x1.6ac5b262ca1ffp+849L); // 4.7e-19 from a multiple of pi / 2
    const Array in = Array::from_values(d, {5000}, x);
    for (const ScalarOp op : {ScalarOp::sin, ScalarOp::cos, ScalarOp::tan})
        for (const int bits : {512, 128}) {
            const Array got = run(nest_program(elementwise(op, d, {d}, 5000), {{5000}, {5000}}), {in}, bits).results[0];
            for (int i = 0; i < 5000; ++i)
                REQUIRE(ulps<T>(got.as<T>()[i], reference(op, x[static_cast<std::size_t>(i)], 0), 0) <= bound);
        }
}

TEST_CASE("sin, cos and tan of large angles are accurate") {
    check_large_angles<float>(DType::f32, 127, 2);
    check_large_angles<double>(DType::f64, 1024, 1.1);
}

template <class T>
void check_remainders(DType d, int exponents) {
    std::vector<T> x;
    std::vector<T> y;
    std::mt19937 engine(4);
    const auto any = [&] {
        const int exponent = static_cast<int>(engine() % static_cast<unsigned>(exponents)) - exponents / 2;
        const T size = std::ldexp(std::uniform_real_distribution<T>(1, 2)(engine), exponent);
        return engine() % 2 == 0 ? size : -size;
    };
    for (int i = 0; i < 8000; ++i) {
        y.push_back(any());
        x.push_back(i % 4 == 0 ? y.back() * static_cast<T>(engine() % 1000000) : any());
    }
    const Array a = Array::from_values(d, {8000}, x);
    const Array c = Array::from_values(d, {8000}, y);
    for (const int bits : {512, 128}) {
        const Array got =
            run(nest_program(elementwise(ScalarOp::rem, d, {d, d}, 8000), {{8000}, {8000}, {8000}}), {a, c}, bits)
                .results[0];
        for (std::size_t i = 0; i < 8000; ++i) {
            const T exact = std::fmod(x[i], y[i]);
            INFO(x[i] << " by " << y[i] << " is " << exact << ", not " << got.as<T>()[i]);
            REQUIRE((std::isnan(exact) ? std::isnan(got.as<T>()[i])
                                       : std::memcmp(got.as<T>() + i, &exact, sizeof(T)) == 0));
        }
    }
}

TEST_CASE("remainders are exact, also if the quotient is large") {
    check_remainders<float>(DType::f32, 275);
    check_remainders<double>(DType::f64, 2096);
}

TEST_CASE("erf_inv is accurate next to 1") {
    // The values were computed by mpmath with 40 digits.
    const std::vector<double> x = {0.99999999, 0.99999999306, 1 - 0x1p-50, 1 - 0x1p-53, 1e-8};
    const std::vector<double> y = {4.0522372432687633554, 4.0958241754967482523, 5.6861284413103909801,
                                   5.8635847487551679272, 8.8622692545275805539e-9};
    const Array f64 = run(nest_program(elementwise(ScalarOp::erf_inv, DType::f64, {DType::f64}, 5), {{5}, {5}}),
                          {Array::from_values(DType::f64, {5}, x)})
                          .results[0];
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(std::fabs(f64.as<double>()[i] - y[i]) <= 4 * 0x1p-53 * y[i]);
    const std::vector<float> single = {0.9990000128746033F, 0.9999899864196777F, 1 - 0x1p-24F, 0.9700000286102295F};
    const std::vector<double> expected = {2.3267563268, 3.12320577117, 3.8325068569, 1.53448588888};
    const Array f32 = run(nest_program(elementwise(ScalarOp::erf_inv, DType::f32, {DType::f32}, 4), {{4}, {4}}),
                          {Array::from_values(DType::f32, {4}, single)})
                          .results[0];
    for (std::size_t i = 0; i < single.size(); ++i)
        CHECK(std::fabs(static_cast<double>(f32.as<float>()[i]) - expected[i]) <= 4 * 0x1p-24 * expected[i]);
}

TEST_CASE("erf_inv is the inverse of erf") {
    std::vector<double> x;
    for (int i = -9999; i <= 9999; ++i) x.push_back(i / 10000.0);
    const auto n = static_cast<std::int64_t>(x.size());
    const Array wide = Array::from_values(DType::f64, {n}, x);
    const Array single = wide.convert(DType::f32);
    const Array f64 =
        run(nest_program(elementwise(ScalarOp::erf_inv, DType::f64, {DType::f64}, n), {{n}, {n}}), {wide}).results[0];
    const Array f32 =
        run(nest_program(elementwise(ScalarOp::erf_inv, DType::f32, {DType::f32}, n), {{n}, {n}}), {single}).results[0];
    for (std::int64_t i = 0; i < n; ++i) {
        CHECK(std::erf(f64.as<double>()[i]) == doctest::Approx(x[static_cast<std::size_t>(i)]).epsilon(1e-14));
        // Near 1 the derivative of the f32 formula is large and amplifies the error. Elsewhere the relative error is
        // 2^-22.
        CHECK(std::fabs(f32.as<float>()[i] - f64.as<double>()[i]) <= 3e-7 * (1 + 60 * std::fabs(f64.as<double>()[i])));
    }
    const Array ends = Array::from_values(DType::f32, {3}, std::vector<float>{1, -1, 0});
    CHECK(
        values<float>(run(nest_program(elementwise(ScalarOp::erf_inv, DType::f32, {DType::f32}, 3), {{3}, {3}}), {ends})
                          .results[0]) == std::vector<float>{INFINITY, -INFINITY, 0});
}
