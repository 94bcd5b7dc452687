#include "compiler/ops/complex/functions.hpp"
#include "compiler/ops/core/combinators.hpp"

#include <cmath>

// sinh, cosh, tanh, asinh, acosh, atanh. Results outside of the domain are NaN.

namespace pm::ops {
namespace {

struct Sinh {
    template <Float T>
    static T apply(T x) {
        return through_double(std::sinh, x);
    }
};
struct Cosh {
    template <Float T>
    static T apply(T x) {
        return through_double(std::cosh, x);
    }
};
struct Tanh {
    template <Float T>
    static T apply(T x) {
        return through_double(std::tanh, x);
    }
};
struct Asinh {
    template <Float T>
    static T apply(T x) {
        return through_double(std::asinh, x);
    }
};
struct Acosh {
    template <Float T>
    static T apply(T x) {
        return through_double(std::acosh, x);
    }
};
struct Atanh {
    template <Float T>
    static T apply(T x) {
        return through_double(std::atanh, x);
    }
};

Value d_sinh(JvpContext& c, Value g) { return c.b.mul(g, c.b.unary(Op::cosh, c.in(0))); }
Value d_cosh(JvpContext& c, Value g) { return c.b.mul(g, c.b.unary(Op::sinh, c.in(0))); }
Value d_tanh(JvpContext& c, Value g) { return c.b.mul(g, c.b.sub(one(c), c.b.mul(c.out(), c.out()))); }
Value d_asinh(JvpContext& c, Value g) {
    const Value x = c.in(0);
    if (runtime::is_complex(c.b.dtype(g))) return c.b.mul(g, c.b.unary(Op::rsqrt, c.b.add(c.b.mul(x, x), one(c))));
    const Value s = square_scale(c.b, c.b.unary(Op::abs, x), false);
    const Value scaled = c.b.mul(x, s);
    const Value root = c.b.unary(Op::rsqrt, c.b.add(c.b.mul(scaled, scaled), c.b.mul(s, s)));
    return c.b.mul(g, c.b.mul(s, root));
}
Value d_acosh(JvpContext& c, Value g) { // computed from two factors, because x^2 - 1 would lose digits near 1
    const Value less = c.b.sub(c.in(0), one(c));
    const Value more = c.b.add(c.in(0), one(c));
    // For complex numbers left of the imaginary axis, the root of a product is minus the product of the roots.
    if (runtime::is_complex(c.b.dtype(g)))
        return c.b.mul(g, c.b.mul(c.b.unary(Op::rsqrt, less), c.b.unary(Op::rsqrt, more)));
    const Value s = square_scale(c.b, c.b.unary(Op::abs, c.in(0)), false);
    return c.b.mul(g, c.b.mul(s, c.b.unary(Op::rsqrt, c.b.mul(c.b.mul(less, s), c.b.mul(more, s)))));
}
Value d_atanh(JvpContext& c, Value g) {
    return c.b.div(g, c.b.mul(c.b.sub(one(c), c.in(0)), c.b.add(one(c), c.in(0))));
}

} // namespace

const OpRules rule::sinh = analytic_rules<Op::sinh, Sinh, d_sinh>(
                               ScalarOp::sinh, parts::function<parts::hyperbolic_sine>, 30, "The hyperbolic sine.")
                               .with_pole({0, 0});
const OpRules rule::cosh = analytic_rules<Op::cosh, Cosh, d_cosh>(
                               ScalarOp::cosh, parts::function<parts::hyperbolic_cosine>, 30, "The hyperbolic cosine.")
                               .with_pole({0, 0});
const OpRules rule::tanh = analytic_rules<Op::tanh, Tanh, d_tanh>(
    ScalarOp::tanh, parts::function<parts::hyperbolic_tangent>, 12, "The hyperbolic tangent.");
const OpRules rule::asinh =
    analytic_rules<Op::asinh, Asinh, d_asinh>(ScalarOp::asinh, parts::function<parts::rotated<parts::inverse_sine>>, 30,
                                              "The inverse of the hyperbolic sine.")
        .with_pole({.operand = 0, .away = 0, .complex_only = true});
const OpRules rule::acosh =
    analytic_rules<Op::acosh, Acosh, d_acosh, Domain::above_one>(
        ScalarOp::acosh, parts::function<parts::inverse_hyperbolic_cosine, parts::AtReals::complex>, 30,
        "The inverse of the hyperbolic cosine.")
        .with_nans({.made = makes_nans, .repair = choose_1})
        .with_pole({0, 2});
const OpRules rule::atanh =
    analytic_rules<Op::atanh, Atanh, d_atanh, Domain::unit_open>(
        ScalarOp::atanh, parts::function<parts::inverse_hyperbolic_tangent, parts::AtReals::complex>, 30,
        "The inverse of the hyperbolic tangent.")
        .with_nans({.made = makes_nans, .repair = choose_0})
        .with_pole({0, 0.5});

} // namespace pm::ops
