// Functions of one operand, element by element. Numbers known while staging stay known, weak ones computed in f64, so
// that they can be sizes.
#include "compiler/ops/special_functions.hpp"
#include "compiler/stage/library/numbers.hpp"

#include "compiler/base/check.hpp"

#include <bit>
#include <cmath>
#include <numbers>

namespace pm::stage::library {
namespace {

using ir::Op;
using syntax::BinaryOp;
using syntax::UnaryOp;

DType dtype_of(const Value& v) { return numeric_type(v).type.dtype; }

/// A function of floats; integers become floats.
template <Op op, double (*known)(double)>
Value real_function(Stager& s, Arguments& a) {
    if (const Number* n = a[0].number()) return number(known(n->as_f64()), float_dtype(*n));
    return s.elementwise_float(op, a[0], a.spans[0]);
}

/// Rounding: integers are whole already.
template <Op op, double (*known)(double)>
Value rounding(Stager& s, Arguments& a) {
    const Value& x = need_numeric(a[0], a.spans[0], ir::info(op).name);
    if (!runtime::is_inexact(dtype_of(x))) return x;
    if (const Number* n = x.number()) return number(known(n->f), n->dtype);
    return s.elementwise(op, {x}, a.span);
}

double half_to_even(double x) { return std::nearbyint(x); }

Value round(Stager& s, Arguments& a) {
    const std::int64_t decimals = s.need_integer(a[1], a.spans[1], "`decimals`");
    if (decimals == 0) return rounding<Op::round, half_to_even>(s, a);
    const Value& x = need_numeric(a[0], a.spans[0], "`round`");
    const bool whole = !runtime::is_inexact(dtype_of(x));
    if (whole && decimals > 0) return x;
    const Value factor = Value::floating(std::pow(10.0, static_cast<double>(decimals)));
    Arguments scaled = a;
    scaled.values[0] = s.binary(BinaryOp::multiply, x, factor, a.span);
    const Value rounded = s.binary(BinaryOp::divide, rounding<Op::round, half_to_even>(s, scaled), factor, a.span);
    return whole ? s.cast(rounded, dtype_of(x), a.span) : rounded;
}

/// jnp.rint gives floats for integers too, other roundings leave them.
Value rint(Stager& s, Arguments& a) {
    const Value& x = need_numeric(a[0], a.spans[0], "`rint`");
    if (runtime::is_inexact(dtype_of(x)) || (x.number() && x.number()->weak()))
        return rounding<Op::round, half_to_even>(s, a);
    return s.cast(x, float_of(dtype_of(x)), a.span);
}

Value abs(Stager& s, Arguments& a) {
    const Value& x = need_numeric(a[0], a.spans[0], "`abs`");
    if (dtype_of(x) == DType::b1) return x;
    if (const Number* n = x.number()) {
        if (n->kind == Number::Kind::floating) return number(std::fabs(n->f), n->dtype);
        return n->i < 0 ? s.unary(UnaryOp::negate, x, a.span) : x;
    }
    return s.elementwise(Op::abs, {x}, a.span);
}

Value sign(Stager& s, Arguments& a) {
    const Value& x = need_numeric(a[0], a.spans[0], "`sign`");
    if (const Number* n = x.number(); n && n->kind != Number::Kind::boolean) {
        if (n->kind == Number::Kind::integer) return number(std::int64_t{n->i > 0} - std::int64_t{n->i < 0}, n->dtype);
        if (std::isnan(n->f) || n->f == 0) return x;
        return number(n->f < 0 ? -1.0 : 1.0, n->dtype);
    }
    return s.elementwise(Op::sign, {x}, a.span);
}

Value square(Stager& s, Arguments& a) {
    const Value& x = need_numeric(a[0], a.spans[0], "`square`");
    if (x.number() || dtype_of(x) == DType::b1) return s.binary(BinaryOp::multiply, x, x, a.span);
    return s.binary(BinaryOp::power, x, Value::integer(2), a.span);
}

Value reciprocal(Stager& s, Arguments& a) {
    return s.binary(BinaryOp::divide, Value::floating(1), need_numeric(a[0], a.spans[0], "`reciprocal`"), a.span);
}

Value exp2(Stager& s, Arguments& a) {
    if (const Number* n = a[0].number()) return number(std::exp2(n->as_f64()), float_dtype(*n));
    return s.binary(BinaryOp::power, Value::floating(2), need_numeric(a[0], a.spans[0], "`exp2`"), a.span);
}

/// The logarithm to another base: a quotient, so that powers of the base come out whole.
template <double (*known)(double), int base>
Value log_to(Stager& s, Arguments& a) {
    if (const Number* n = a[0].number()) return number(known(n->as_f64()), float_dtype(*n));
    return s.array_work(a.span, [&] {
        const Value log = s.elementwise_float(Op::log, a[0], a.spans[0]);
        return s.binary(BinaryOp::divide, log, Value::floating(std::log(static_cast<double>(base))), a.span);
    });
}

Value deg2rad(Stager& s, Arguments& a) {
    return s.binary(BinaryOp::multiply, need_numeric(a[0], a.spans[0], "`deg2rad`"),
                    Value::floating(std::numbers::pi / 180), a.span);
}
Value rad2deg(Stager& s, Arguments& a) {
    return s.binary(BinaryOp::multiply, need_numeric(a[0], a.spans[0], "`rad2deg`"),
                    Value::floating(180 / std::numbers::pi), a.span);
}

// ---- tests

/// The same answer for every element.
Value everywhere(Stager& s, const Value& x, bool answer, Span span) {
    const Shape shape = numeric_type(x).type.shape;
    if (x.number()) return Value::boolean(answer);
    return s.array_work(span, [&] { return s.wrap(s.build().constant_i(DType::b1, answer ? 1 : 0, shape)); });
}

Value isnan(Stager& s, Arguments& a) {
    const Value& x = need_numeric(a[0], a.spans[0], "`isnan`");
    if (const Number* n = x.number()) return Value::boolean(std::isnan(n->as_f64()));
    if (!runtime::is_inexact(dtype_of(x))) return everywhere(s, x, false, a.span);
    return s.elementwise(Op::not_equal, {x, x}, a.span);
}

Value isfinite(Stager& s, Arguments& a) {
    const Value& x = need_numeric(a[0], a.spans[0], "`isfinite`");
    if (const Number* n = x.number()) return Value::boolean(std::isfinite(n->as_f64()));
    if (!runtime::is_inexact(dtype_of(x))) return everywhere(s, x, true, a.span);
    return s.elementwise(Op::is_finite, {x}, a.span);
}

Value isinf(Stager& s, Arguments& a) {
    const Value& x = need_numeric(a[0], a.spans[0], "`isinf`");
    if (const Number* n = x.number()) return Value::boolean(std::isinf(n->as_f64()));
    if (!runtime::is_inexact(dtype_of(x))) return everywhere(s, x, false, a.span);
    return s.array_work(a.span, [&] {
        return s.elementwise(Op::equal, {s.elementwise(Op::abs, {x}, a.span), Value::floating(INFINITY)}, a.span);
    });
}

Value signbit(Stager& s, Arguments& a) {
    const Value& x = need_numeric(a[0], a.spans[0], "`signbit`");
    if (const Number* n = x.number())
        return Value::boolean(n->kind == Number::Kind::floating ? std::signbit(n->f) : n->i < 0);
    if (!runtime::is_inexact(dtype_of(x))) return s.binary(BinaryOp::less, x, Value::integer(0), a.span);
    return s.array_work(a.span, [&] {
        constexpr DType integers[] = {DType::i8, DType::i16, DType::i32, DType::i64};
        const DType bits = integers[std::countr_zero(runtime::size_of(dtype_of(x)))];
        const ir::Value v = s.build().emit1(Op::bitcast, {s.use(x)}, {{ir::Attr::dtype, bits}});
        return s.wrap(s.build().compare(Op::less, v, s.build().zeros_like(v)));
    });
}

// ---- bits and signs

Value logical_not(Stager& s, Arguments& a) {
    return s.unary(UnaryOp::logical_not, truth(s, need_numeric(a[0], a.spans[0], "`logical_not`"), a.span), a.span);
}
Value bitwise_not(Stager& s, Arguments& a) { return s.unary(UnaryOp::bit_not, a[0], a.span); }
Value negative(Stager& s, Arguments& a) { return s.unary(UnaryOp::negate, a[0], a.span); }
Value same(Stager&, Arguments& a) { return need_numeric(a[0], a.spans[0], "this function"); }

Value imag(Stager& s, Arguments& a) {
    const Value& x = need_numeric(a[0], a.spans[0], "`imag`");
    if (const Number* n = x.number()) return number(0.0, n->dtype);
    return s.array_work(a.span, [&] { return s.wrap(s.build().zeros(numeric_type(x).type)); });
}

Value population_count(Stager& s, Arguments& a) {
    const Value& x = need_numeric(a[0], a.spans[0], "`population_count`");
    if (!runtime::is_integer(dtype_of(x)))
        raise(diagnose(Diag::wrong_kind, a.spans[0], "`population_count`", "integers", describe(x)));
    return s.elementwise(Op::population_count, {x}, a.span);
}

// ---- what known numbers are computed by

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
constexpr Native list[] = {
    {"abs", "x", K::known, abs, "abs(x): the absolute value."},
    {"sign", "x", K::known, sign, "sign(x): -1, 0 or 1; NaN for NaN."},
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
    {"real", "x", K::known, same, "real(x): the real part."},
    {"imag", "x", K::known, imag, "imag(x): the imaginary part."},
    {"conj", "x", K::known, same, "conj(x): the complex conjugate."},
    {"conjugate", "x", K::known, same, "conjugate(x): the complex conjugate."},
};

} // namespace

std::span<const Native> elementwise() { return list; }

} // namespace pm::stage::library
