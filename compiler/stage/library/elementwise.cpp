// Elementwise functions of one operand. For a known number, the result is a known number. Functions of weak numbers are
// computed in f64, so that the results are exact enough for sizes.
#include "compiler/ops/elementwise/special_functions.hpp"
#include "compiler/stage/known/arrays.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/known/known_arithmetic.hpp"
#include "compiler/stage/library/numbers.hpp"

#include "compiler/base/check.hpp"
#include "compiler/ops/core/display_name.hpp"
#include "compiler/stage/values/promotion.hpp"

#include <bit>
#include <cmath>
#include <numbers>

namespace pm::stage::library {
namespace {

using ir::Op;
using syntax::BinaryOp;
using syntax::UnaryOp;

DType dtype_of(const Value& v) { return numeric_type(v).type.dtype; }

/// A function of floats. Integer operands are converted to floats.
template <Op op, double (*known)(double)>
Value real_function(Stager& s, Arguments& a) {
    if (const Number* n = a[0].real_number()) return number(known(n->as_f64()), as_float(promoted(*n)));
    return elementwise_float(s, op, a[0], a.spans[0]);
}

/// A rounding function. Integers are returned unchanged.
template <Op op, double (*known)(double)>
Value rounding(Stager& s, Arguments& a) {
    const Value& x = need_numeric(a[0], a.spans[0], fmt::format("`{}`", ops::display_name(op)));
    if (!runtime::is_inexact(dtype_of(x))) return x;
    if (const Number* n = x.real_number()) return number(known(n->f), promoted(*n));
    return elementwise(s, op, {x}, a.span);
}

double half_to_even(double x) { return std::nearbyint(x); }

Value round(Stager& s, Arguments& a) {
    const std::int64_t decimals = need_integer(s, a[1], a.spans[1], "`decimals`");
    if (decimals == 0) return rounding<Op::round, half_to_even>(s, a);
    const Value& x = need_numeric(a[0], a.spans[0], "`round`");
    const bool whole = !runtime::is_inexact(dtype_of(x));
    if (whole && decimals > 0) return x;
    const Value factor = Value::floating(std::pow(10.0, static_cast<double>(decimals)));
    Arguments scaled = a;
    scaled.values[0] = binary(s, BinaryOp::multiply, x, factor, a.span);
    const Value rounded = binary(s, BinaryOp::divide, rounding<Op::round, half_to_even>(s, scaled), factor, a.span);
    return whole ? cast(s, rounded, dtype_of(x), a.span) : rounded;
}

/// The function rint. Like jnp.rint, it returns a float also for an integer. The other rounding functions return
/// integers unchanged.
Value rint(Stager& s, Arguments& a) {
    const Value& x = need_numeric(a[0], a.spans[0], "`rint`");
    if (runtime::is_inexact(dtype_of(x))) return rounding<Op::round, half_to_even>(s, a);
    if (const Number* n = x.number(); n && n->weak() && !n->computed)
        return number(n->as_f64(), as_float(promoted(*n)));
    return cast(s, x, float_of(dtype_of(x)), a.span);
}

Value abs(Stager& s, Arguments& a) {
    const Value& x = need_numeric(a[0], a.spans[0], "`abs`");
    if (dtype_of(x) == DType::b1) return x;
    if (const Number* n = x.number(); n && n->is_complex() && !n->computed) {
        return number(std::abs(n->as_c128()), {runtime::part_type(n->default_dtype()), n->weak()});
    } else if (n && n->kind == Number::Kind::floating) {
        Number made = *n;
        made.f = std::fabs(n->f);
        return made;
    } else if (n && !n->is_complex()) {
        return n->data() < 0 ? unary(s, UnaryOp::negate, x, a.span) : x;
    }
    return elementwise(s, Op::abs, {x}, a.span);
}

Value sign(Stager& s, Arguments& a) {
    const Value& x = need_numeric(a[0], a.spans[0], "`sign`");
    if (const Number* n = x.real_number(); n && n->kind != Number::Kind::boolean) {
        if (n->kind == Number::Kind::integer)
            return number(std::int64_t{n->i > 0} - std::int64_t{n->i < 0}, promoted(*n));
        if (std::isnan(n->f) || n->f == 0) return x;
        return number(n->f < 0 ? -1.0 : 1.0, promoted(*n));
    }
    return elementwise(s, Op::sign, {x}, a.span);
}

Value square(Stager& s, Arguments& a) {
    const Value& x = need_numeric(a[0], a.spans[0], "`square`");
    if (x.number() || dtype_of(x) == DType::b1) return binary(s, BinaryOp::multiply, x, x, a.span);
    return binary(s, BinaryOp::power, x, Value::integer(2), a.span);
}

Value reciprocal(Stager& s, Arguments& a) {
    return binary(s, BinaryOp::divide, Value::floating(1), need_numeric(a[0], a.spans[0], "`reciprocal`"), a.span);
}

Value exp2(Stager& s, Arguments& a) {
    if (const Number* n = a[0].real_number()) return number(std::exp2(n->as_f64()), as_float(promoted(*n)));
    return binary(s, BinaryOp::power, Value::floating(2), need_numeric(a[0], a.spans[0], "`exp2`"), a.span);
}

/// The logarithm to base `base`. It is computed as a quotient of logarithms, so the results for powers of the base are
/// whole numbers.
template <double (*known)(double), int base>
Value log_to(Stager& s, Arguments& a) {
    if (const Number* n = a[0].real_number()) return number(known(n->as_f64()), as_float(promoted(*n)));
    return s.array_work(a.span, [&] {
        const Value log = elementwise_float(s, Op::log, a[0], a.spans[0]);
        return binary(s, BinaryOp::divide, log, Value::floating(std::log(static_cast<double>(base))), a.span);
    });
}

Value deg2rad(Stager& s, Arguments& a) {
    return binary(s, BinaryOp::multiply, need_numeric(a[0], a.spans[0], "`deg2rad`"),
                  Value::floating(std::numbers::pi / 180), a.span);
}
Value rad2deg(Stager& s, Arguments& a) {
    return binary(s, BinaryOp::multiply, need_numeric(a[0], a.spans[0], "`rad2deg`"),
                  Value::floating(180 / std::numbers::pi), a.span);
}

// ---- tests

/// The result of a test that is `answer` for all elements of `x`.
Value everywhere(Stager& s, const Value& x, bool answer, Span span) {
    const Shape shape = numeric_type(x).type.shape;
    if (x.number()) return Value::boolean(answer);
    return s.array_work(span, [&] { return s.wrap(s.build().constant_i(DType::b1, answer ? 1 : 0, shape)); });
}

/// Applies a test of real numbers to `x`. For complex numbers, tests the real and the imaginary part, and combines the
/// two results by `joined`.
template <class Test>
Value by_parts(Stager& s, const Value& x, Op joined, Span span, const Test& test) {
    return s.array_work(span, [&] {
        if (!runtime::is_complex(dtype_of(x))) return test(x);
        return elementwise(s, joined, {test(complex_part(s, x, true, span)), test(complex_part(s, x, false, span))},
                           span);
    });
}

Value isnan(Stager& s, Arguments& a) {
    const Value& x = need_numeric(a[0], a.spans[0], "`isnan`");
    if (const Number* n = x.number()) return Value::boolean(std::isnan(n->as_f64()) || std::isnan(n->imaginary));
    if (!runtime::is_inexact(dtype_of(x))) return everywhere(s, x, false, a.span);
    return elementwise(s, Op::not_equal, {x, x}, a.span);
}

Value isfinite(Stager& s, Arguments& a) {
    const Value& x = need_numeric(a[0], a.spans[0], "`isfinite`");
    if (const Number* n = x.number()) return Value::boolean(std::isfinite(n->as_f64()) && std::isfinite(n->imaginary));
    if (!runtime::is_inexact(dtype_of(x))) return everywhere(s, x, true, a.span);
    return by_parts(s, x, Op::and_, a.span,
                    [&](const Value& part) { return elementwise(s, Op::is_finite, {part}, a.span); });
}

Value isinf(Stager& s, Arguments& a) {
    const Value& x = need_numeric(a[0], a.spans[0], "`isinf`");
    if (const Number* n = x.number()) return Value::boolean(std::isinf(n->as_f64()) || std::isinf(n->imaginary));
    if (!runtime::is_inexact(dtype_of(x))) return everywhere(s, x, false, a.span);
    return by_parts(s, x, Op::or_, a.span, [&](const Value& part) {
        return elementwise(s, Op::equal, {elementwise(s, Op::abs, {part}, a.span), Value::floating(INFINITY)}, a.span);
    });
}

Value signbit(Stager& s, Arguments& a) {
    const Value& x = need_numeric(a[0], a.spans[0], "`signbit`");
    if (const Number* n = x.real_number())
        return Value::boolean(n->kind == Number::Kind::floating ? std::signbit(n->f) : n->i < 0);
    if (runtime::is_complex(dtype_of(x)))
        raise(diagnose(Diag::wrong_kind, a.spans[0], "`signbit`", "real numbers", describe(x)));
    if (!runtime::is_inexact(dtype_of(x))) return binary(s, BinaryOp::less, x, Value::integer(0), a.span);
    return s.array_work(a.span, [&] {
        constexpr DType integers[] = {DType::i8, DType::i16, DType::i32, DType::i64};
        const DType bits = integers[std::countr_zero(runtime::size_of(dtype_of(x)))];
        const ir::Value v = s.build().emit1(Op::bitcast, {s.use(x)}, {{ir::Attr::dtype, bits}});
        return s.wrap(s.build().compare(Op::less, v, s.build().zeros_like(v)));
    });
}

// ---- bits and signs

Value logical_not(Stager& s, Arguments& a) {
    return unary(s, UnaryOp::logical_not, truth(s, need_numeric(a[0], a.spans[0], "`logical_not`"), a.span), a.span);
}
Value bitwise_not(Stager& s, Arguments& a) { return unary(s, UnaryOp::bit_not, a[0], a.span); }
Value negative(Stager& s, Arguments& a) { return unary(s, UnaryOp::negate, a[0], a.span); }
// ---- complex numbers

Value conj(Stager& s, Arguments& a) {
    const Value& x = need_numeric(a[0], a.spans[0], "`conj`");
    if (!runtime::is_complex(dtype_of(x))) return x;
    if (const Number* n = x.number()) {
        Number made = *n;
        made.imaginary = -made.imaginary;
        return made;
    }
    return elementwise(s, Op::conj, {x}, a.span);
}

template <bool first>
Value part(Stager& s, Arguments& a) {
    return complex_part(s, a[0], first, a.spans[0]);
}

/// The function complex, which makes a complex number of a real and an imaginary part. Both are converted to f32 or
/// f64, because f16 and bf16 have no complex dtype.
Value complex(Stager& s, Arguments& a) {
    for (const std::size_t i : {0U, 1U}) need_numeric(a[i], a.spans[i], "`complex`");
    const Promoted parts = promoted_type({a[0], a[1]}, a.span);
    if (runtime::is_complex(parts.dtype))
        raise(diagnose(Diag::wrong_kind, a.span, "`complex`", "real numbers", describe(a[0]))
                  .fix("add them: x + 1j * y"));
    const DType dtype = float_of(parts.dtype) == DType::f64 ? DType::f64 : DType::f32;
    const Number* x = a[0].real_number();
    const Number* y = a[1].real_number();
    if (x && y && parts.weak)
        return with_type(Number::of(std::complex<double>(x->as_f64(), y->as_f64())), {dtype, true});
    return s.array_work(a.span, [&] {
        const auto in = aligned(s, {a[0], a[1]}, a.span);
        auto& b = s.build();
        return s.wrap(b.binary(Op::complex, b.convert(in[0], dtype), b.convert(in[1], dtype)), parts.weak);
    });
}

template <bool imaginary>
Value has_part(Stager& s, Arguments& a) {
    const Value& x = need_numeric(a[0], a.spans[0], imaginary ? "`iscomplex`" : "`isreal`");
    if (!runtime::is_complex(dtype_of(x))) return everywhere(s, x, !imaginary, a.span);
    return s.array_work(a.span, [&] {
        const Value y = complex_part(s, x, false, a.span);
        return binary(s, imaginary ? BinaryOp::not_equal : BinaryOp::equal, y, Value::integer(0), a.span);
    });
}

/// The Fourier transform along one axis. The result is not divided by the size.
Value fft(Stager& s, Arguments& a) {
    const Value& x = need_numeric(a[0], a.spans[0], "a Fourier transform");
    const NumericType t = numeric_type(x);
    const std::int64_t inverse = need_bool(s, a[2], a.spans[2], "inverse") ? 1 : 0;
    const DType dtype = runtime::is_complex(t.type.dtype)      ? t.type.dtype
                        : float_of(t.type.dtype) == DType::f64 ? DType::c128
                                                               : DType::c64;
    return s.array_work(a.span, [&] {
        const ir::Value v = s.use(x, dtype);
        const std::int64_t axis = axis_of(s, a[1], t.type, a.spans[1]);
        return s.wrap(s.build().emit1(Op::fft, {v}, {{ir::Attr::axis, axis}, {ir::Attr::inverse, inverse}}));
    });
}

Value population_count(Stager& s, Arguments& a) {
    const Value& x = need_numeric(a[0], a.spans[0], "`population_count`");
    if (!runtime::is_integer(dtype_of(x)))
        raise(diagnose(Diag::wrong_kind, a.spans[0], "`population_count`", "integers", describe(x)));
    return elementwise(s, Op::population_count, {x}, a.span);
}

// ---- functions for known numbers

double rsqrt(double x) { return 1 / std::sqrt(x); }
double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double erf_inv(double x) { return ops::erf_inv(x); }
double log2(double x) { return std::log2(x); }
double log10(double x) { return std::log10(x); }
#define PM_KNOWN(name)                                                                                                 \
    double known_##name(double x) { return std::name(x); }
PM_KNOWN(floor)
PM_KNOWN(ceil)
PM_KNOWN(trunc)
PM_KNOWN(exp)
PM_KNOWN(expm1)
PM_KNOWN(log)
PM_KNOWN(log1p)
PM_KNOWN(sqrt)
PM_KNOWN(cbrt)
PM_KNOWN(sin)
PM_KNOWN(cos)
PM_KNOWN(tan)
PM_KNOWN(asin)
PM_KNOWN(acos)
PM_KNOWN(atan)
PM_KNOWN(sinh)
PM_KNOWN(cosh)
PM_KNOWN(tanh)
PM_KNOWN(asinh)
PM_KNOWN(acosh)
PM_KNOWN(atanh)
PM_KNOWN(erf)
PM_KNOWN(erfc)
#undef PM_KNOWN

using K = Native::Kind;
constexpr Native elementwise_natives[] = {
    {"abs", "x", K::known, abs, "abs(x): the absolute value; of complex x the distance from 0, a real number."},
    {"sign", "x", K::known, sign, "sign(x): -1, 0 or 1, NaN for NaN; x / abs(x) of complex x."},
    {"negative", "x", K::known, negative, "negative(x): -x."},
    {"neg", "x", K::known, negative, "neg(x): -x."},
    {"floor", "x", K::known, rounding<Op::floor, known_floor>,
     "floor(x): the greatest whole number not above x; integers stay."},
    {"ceil", "x", K::known, rounding<Op::ceil, known_ceil>,
     "ceil(x): the least whole number not below x; integers stay."},
    {"trunc", "x", K::known, rounding<Op::trunc, known_trunc>, "trunc(x): x without its fraction; integers stay."},
    {"rint", "x", K::known, rint, "rint(x): the nearest whole number, halves to even."},
    {"round", "x, decimals=0", K::known, round, "round(x, decimals): rounded, halves to even."},
    {"around", "x, decimals=0", K::known, round, "around(x, decimals): rounded, halves to even."},
    {"square", "x", K::known, square, "square(x): x * x."},
    {"reciprocal", "x", K::known, reciprocal, "reciprocal(x): 1 / x."},
    {"exp", "x", K::known, real_function<Op::exp, known_exp>,
     "exp(x): e to the power x, f[...] -> f[...]; integers become f32, 64-bit ones f64."},
    {"exp2", "x", K::known, exp2, "exp2(x): 2 to the power x."},
    {"expm1", "x", K::known, real_function<Op::expm1, known_expm1>, "expm1(x): exp(x) - 1, exact for small x."},
    {"log", "x", K::known, real_function<Op::log, known_log>,
     "log(x): the natural logarithm, f[...] -> f[...]; integers become f32, 64-bit ones f64. NaN below 0."},
    {"log2", "x", K::known, log_to<log2, 2>,
     "log2(x): the logarithm to base 2, f[...] -> f[...]; integers become f32, 64-bit ones f64. NaN below 0."},
    {"log10", "x", K::known, log_to<log10, 10>,
     "log10(x): the logarithm to base 10, f[...] -> f[...]; integers become f32, 64-bit ones f64. NaN below 0."},
    {"log1p", "x", K::known, real_function<Op::log1p, known_log1p>, "log1p(x): log(1 + x), exact for small x."},
    {"sqrt", "x", K::known, real_function<Op::sqrt, known_sqrt>,
     "sqrt(x): the square root, f[...] -> f[...]; integers become f32, 64-bit ones f64. NaN below 0."},
    {"rsqrt", "x", K::known, real_function<Op::rsqrt, rsqrt>, "rsqrt(x): 1 / sqrt(x)."},
    {"cbrt", "x", K::known, real_function<Op::cbrt, known_cbrt>, "cbrt(x): the cube root."},
    {"sin", "x", K::known, real_function<Op::sin, known_sin>,
     "sin(x): the sine of radians, f[...] -> f[...]; integers become f32, 64-bit ones f64."},
    {"cos", "x", K::known, real_function<Op::cos, known_cos>,
     "cos(x): the cosine of radians, f[...] -> f[...]; integers become f32, 64-bit ones f64."},
    {"tan", "x", K::known, real_function<Op::tan, known_tan>,
     "tan(x): the tangent of radians, f[...] -> f[...]; integers become f32, 64-bit ones f64."},
    {"asin", "x", K::known, real_function<Op::asin, known_asin>, "asin(x): the angle in -pi/2..pi/2 whose sine is x."},
    {"arcsin", "x", K::known, real_function<Op::asin, known_asin>,
     "arcsin(x): the angle in -pi/2..pi/2 whose sine is x."},
    {"acos", "x", K::known, real_function<Op::acos, known_acos>, "acos(x): the angle in 0..pi whose cosine is x."},
    {"arccos", "x", K::known, real_function<Op::acos, known_acos>, "arccos(x): the angle in 0..pi whose cosine is x."},
    {"atan", "x", K::known, real_function<Op::atan, known_atan>,
     "atan(x): the angle in -pi/2..pi/2 whose tangent is x."},
    {"arctan", "x", K::known, real_function<Op::atan, known_atan>,
     "arctan(x): the angle in -pi/2..pi/2 whose tangent is x."},
    {"sinh", "x", K::known, real_function<Op::sinh, known_sinh>,
     "sinh(x): the hyperbolic sine, f[...] -> f[...]; integers become f32, 64-bit ones f64."},
    {"cosh", "x", K::known, real_function<Op::cosh, known_cosh>,
     "cosh(x): the hyperbolic cosine, f[...] -> f[...]; integers become f32, 64-bit ones f64."},
    {"tanh", "x", K::known, real_function<Op::tanh, known_tanh>,
     "tanh(x): the hyperbolic tangent, f[...] -> f[...]; integers become f32, 64-bit ones f64."},
    {"asinh", "x", K::known, real_function<Op::asinh, known_asinh>, "asinh(x): the inverse of sinh."},
    {"arcsinh", "x", K::known, real_function<Op::asinh, known_asinh>, "arcsinh(x): the inverse of sinh."},
    {"acosh", "x", K::known, real_function<Op::acosh, known_acosh>, "acosh(x): the inverse of cosh."},
    {"arccosh", "x", K::known, real_function<Op::acosh, known_acosh>, "arccosh(x): the inverse of cosh."},
    {"atanh", "x", K::known, real_function<Op::atanh, known_atanh>, "atanh(x): the inverse of tanh."},
    {"arctanh", "x", K::known, real_function<Op::atanh, known_atanh>, "arctanh(x): the inverse of tanh."},
    {"sigmoid", "x", K::known, real_function<Op::logistic, logistic>, "sigmoid(x): 1 / (1 + exp(-x))."},
    {"logistic", "x", K::known, real_function<Op::logistic, logistic>, "logistic(x): 1 / (1 + exp(-x))."},
    {"erf", "x", K::known, real_function<Op::erf, known_erf>, "erf(x): the error function."},
    {"erfc", "x", K::known, real_function<Op::erfc, known_erfc>, "erfc(x): 1 - erf(x)."},
    {"erf_inv", "x", K::known, real_function<Op::erf_inv, erf_inv>, "erf_inv(x): the inverse of erf."},
    {"erfinv", "x", K::known, real_function<Op::erf_inv, erf_inv>, "erfinv(x): the inverse of erf."},
    {"lgamma", "x", K::known, real_function<Op::lgamma, ops::log_gamma>, "lgamma(x): log(abs(gamma(x)))."},
    {"digamma", "x", K::known, real_function<Op::digamma, ops::digamma>, "digamma(x): the derivative of lgamma."},
    {"deg2rad", "x", K::known, deg2rad, "deg2rad(x): degrees as radians."},
    {"rad2deg", "x", K::known, rad2deg, "rad2deg(x): radians as degrees."},
    {"isnan", "x", K::known, isnan, "isnan(x): which elements are NaN."},
    {"isfinite", "x", K::known, isfinite, "isfinite(x): which elements are neither infinite nor NaN."},
    {"is_finite", "x", K::known, isfinite, "is_finite(x): which elements are neither infinite nor NaN."},
    {"isinf", "x", K::known, isinf, "isinf(x): which elements are infinite."},
    {"signbit", "x", K::known, signbit, "signbit(x): which elements are negative; true for -0.0."},
    {"logical_not", "x", K::known, logical_not, "logical_not(x): true where x is false or zero."},
    {"bitwise_not", "x", K::known, bitwise_not, "bitwise_not(x): ~x."},
    {"bitwise_invert", "x", K::known, bitwise_not, "bitwise_invert(x): ~x."},
    {"invert", "x", K::known, bitwise_not, "invert(x): ~x."},
    {"population_count", "x", K::known, population_count, "population_count(x): the number of bits set."},
    {"real", "x", K::known, part<true>, "real(x): the real part."},
    {"imag", "x", K::known, part<false>, "imag(x): the imaginary part; zeros for real x."},
    {"conj", "x", K::known, conj, "conj(x): the complex conjugate; x itself when it is real."},
    {"conjugate", "x", K::known, conj, "conjugate(x): the complex conjugate; x itself when it is real."},
    {"complex", "x, y", K::known, complex, "complex(x, y): x + iy from real parts, c64, or c128 where one is f64."},
    {"iscomplex", "x", K::known, has_part<true>, "iscomplex(x): which elements have an imaginary part other than 0."},
    {"isreal", "x", K::known, has_part<false>, "isreal(x): which elements have the imaginary part 0."},
    {"_fft", "x, axis, inverse", K::array, fft,
     "_fft(x, axis, inverse): the discrete Fourier transform along an axis, not divided by its size."},
};

} // namespace

std::span<const Native> elementwise() { return elementwise_natives; }

} // namespace pm::stage::library
