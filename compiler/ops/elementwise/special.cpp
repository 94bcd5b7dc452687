#include "compiler/ops/core/combinators.hpp"
#include "compiler/ops/elementwise/special_functions.hpp"

#include <cmath>
#include <numbers>

// erf, erfc, erf_inv, lgamma, digamma. special_functions.hpp names the algorithms and their sources. erf and erfc call
// libm.

namespace pm::ops {
namespace {

struct Erf {
    template <Float T>
    static T apply(T x) {
        return through_double(std::erf, x);
    }
};
struct Erfc {
    template <Float T>
    static T apply(T x) {
        return through_double(std::erfc, x);
    }
};
struct ErfInv {
    template <Float T>
    static T apply(T x) {
        return erf_inv(x);
    }
};
struct Lgamma {
    template <Float T>
    static T apply(T x) {
        return through_double(log_gamma, x);
    }
};
struct Digamma {
    template <Float T>
    static T apply(T x) {
        return through_double(pm::ops::digamma, x);
    }
};

Value bell(JvpContext& c, Value x, double factor) { // factor * exp(-x^2)
    return c.b.scale(c.b.unary(Op::exp, c.b.neg(c.b.mul(x, x))), factor);
}
Value d_erf(JvpContext& c, Value g) { return c.b.mul(g, bell(c, c.in(0), 2 * std::numbers::inv_sqrtpi)); }
Value d_erfc(JvpContext& c, Value g) { return c.b.mul(g, bell(c, c.in(0), -2 * std::numbers::inv_sqrtpi)); }
Value d_erf_inv(JvpContext& c, Value g) {
    const Value growth = c.b.unary(Op::exp, c.b.mul(c.out(), c.out()));
    return c.b.mul(g, c.b.scale(growth, 0.5 / std::numbers::inv_sqrtpi));
}
Value d_lgamma(JvpContext& c, Value g) { return c.b.mul(g, c.b.unary(Op::digamma, c.in(0))); }

/// The derivative of digamma, computed by operations that have derivatives themselves. The algorithm: reflection below
/// 1/2, ten steps of the recurrence, then the asymptotic series (Abramowitz and Stegun 6.4.7, 6.4.6, 6.4.12). The error
/// for f64 is about 1e-15.
Value trigamma(Build& b, Value x) {
    const DType given = b.dtype(x);
    if (given == DType::f16 || given == DType::bf16) return b.convert(trigamma(b, b.convert(x, DType::f32)), given);
    const auto number = [&](double v) { return b.like(x, v); };
    const Value one = number(1);
    const Value low = b.compare(Op::less, x, number(0.5));
    const Value start = b.select(low, b.sub(one, x), x);
    Value sum = number(0);
    for (int k = 0; k < 10; ++k) {
        const Value step = b.add(start, number(k));
        sum = b.add(sum, b.div(one, b.mul(step, step)));
    }
    const Value z = b.add(start, number(10));
    const Value r = b.div(one, b.mul(z, z));
    Value series = number(-691.0 / 2730);
    for (double coefficient : {5.0 / 66, -1.0 / 30, 1.0 / 42, -1.0 / 30, 1.0 / 6})
        series = b.add(number(coefficient), b.mul(r, series));
    const Value tail = b.add(b.div(one, z), b.mul(r, b.add(number(0.5), b.div(series, z))));
    const Value right = b.add(sum, tail);
    // pi^2 / sin^2(pi x); x is first reduced to [-1/2, 1/2]. Where this value is not used, x is replaced by 1/2, so
    // that the value is finite.
    const Value part = b.select(low, b.sub(x, b.unary(Op::round, x)), number(0.5));
    const Value sine = b.unary(Op::sin, b.scale(part, std::numbers::pi));
    const Value mirror = b.div(number(std::numbers::pi * std::numbers::pi), b.mul(sine, sine));
    return b.select(low, b.sub(mirror, right), right);
}
Value d_digamma(JvpContext& c, Value g) { return c.b.mul(g, trigamma(c.b, c.in(0))); }

} // namespace

const OpRules rule::erf = function_rules<Op::erf, Erf, d_erf>(ScalarOp::erf, 16, "The error function.");
const OpRules rule::erfc =
    function_rules<Op::erfc, Erfc, d_erfc>(ScalarOp::erfc, 30, "1 - erf(x), accurate where that is small.")
        .with_size(8);
const OpRules rule::erf_inv = function_rules<Op::erf_inv, ErfInv, d_erf_inv, Domain::unit_open>(
                                  ScalarOp::erf_inv, 30, "The inverse of erf, infinite at -1 and 1.")
                                  .with_nans({.made = makes_nans, .repair = choose_0})
                                  .with_size(8)
                                  .with_pole({0, 0.5});
const OpRules rule::lgamma =
    function_rules<Op::lgamma, Lgamma, d_lgamma, Domain::positive>(ScalarOp::lgamma, 60, "The logarithm of |gamma(x)|.")
        .with_size(8)
        .with_pole({0, 1});
const OpRules rule::digamma = function_rules<Op::digamma, Digamma, d_digamma, Domain::positive>(
                                  ScalarOp::digamma, 60, "The derivative of lgamma; NaN at 0, -1, -2 ...")
                                  .with_nans({.made = makes_nans, .repair = choose_1})
                                  .with_size(8)
                                  .with_pole({0, 1});

} // namespace pm::ops
