#include "compiler/ops/complex/functions.hpp"
#include "compiler/ops/core/combinators.hpp"

#include <cmath>

// sin, cos, tan, asin, acos, atan, atan2. Angles are in radians. Results outside of the domain are NaN.

namespace pm::ops {
namespace {

struct Sin {
    template <Float T>
    static T apply(T x) {
        return through_double(std::sin, x);
    }
};
struct Cos {
    template <Float T>
    static T apply(T x) {
        return through_double(std::cos, x);
    }
};
struct Tan {
    template <Float T>
    static T apply(T x) {
        return through_double(std::tan, x);
    }
};
struct Asin {
    template <Float T>
    static T apply(T x) {
        return through_double(std::asin, x);
    }
};
struct Acos {
    template <Float T>
    static T apply(T x) {
        return through_double(std::acos, x);
    }
};
struct Atan {
    template <Float T>
    static T apply(T x) {
        return through_double(std::atan, x);
    }
};
struct Atan2 {
    template <Float T>
    static T apply(T y, T x) {
        return static_cast<T>(std::atan2(static_cast<double>(y), static_cast<double>(x)));
    }
};

Value square(JvpContext& c, Value v) { return c.b.mul(v, v); }
/// 1 / sqrt((1 - x) (1 + x)). The form 1 - x^2 would lose digits near 1.
Value slope_asin(JvpContext& c) {
    return c.b.unary(Op::rsqrt, c.b.mul(c.b.sub(one(c), c.in(0)), c.b.add(one(c), c.in(0))));
}

Value d_sin(JvpContext& c, Value g) { return c.b.mul(g, c.b.unary(Op::cos, c.in(0))); }
Value d_cos(JvpContext& c, Value g) { return c.b.neg(c.b.mul(g, c.b.unary(Op::sin, c.in(0)))); }
Value d_tan(JvpContext& c, Value g) { return c.b.mul(g, c.b.add(one(c), square(c, c.out()))); }
Value d_asin(JvpContext& c, Value g) { return c.b.mul(g, slope_asin(c)); }
Value d_acos(JvpContext& c, Value g) { return c.b.neg(c.b.mul(g, slope_asin(c))); }
Value d_atan(JvpContext& c, Value g) {
    const Value x = c.in(0);
    if (runtime::is_complex(c.b.dtype(g))) return c.b.div(g, c.b.add(one(c), square(c, x)));
    const Value s = square_scale(c.b, c.b.unary(Op::abs, x), false);
    return c.b.mul(s, c.b.div(c.b.mul(g, s), c.b.add(square(c, s), square(c, c.b.mul(x, s)))));
}

/// x / (x^2 + y^2)
Value over_square(JvpContext& c, Value x, Value y) {
    const Value most = c.b.binary(Op::max, c.b.unary(Op::abs, x), c.b.unary(Op::abs, y));
    const Value s = square_scale(c.b, most, true);
    const Value scaled = c.b.mul(x, s);
    return c.b.mul(s, c.b.div(scaled, c.b.add(square(c, scaled), square(c, c.b.mul(y, s)))));
}
Value d_atan2_y(JvpContext& c, Value g) { return c.b.mul(g, over_square(c, c.in(1), c.in(0))); }
Value d_atan2_x(JvpContext& c, Value g) { return c.b.neg(c.b.mul(g, over_square(c, c.in(0), c.in(1)))); }

} // namespace

const OpRules rule::sin = analytic_rules<Op::sin, Sin, d_sin>(
                              ScalarOp::sin, parts::function<parts::rotated<parts::hyperbolic_sine>>, 16, "The sine.")
                              .with_nans({.made = makes_nans})
                              .with_pole({.operand = 0, .away = 0, .complex_only = true});
const OpRules rule::cos =
    analytic_rules<Op::cos, Cos, d_cos>(ScalarOp::cos, parts::function<parts::cosine>, 16, "The cosine.")
        .with_nans({.made = makes_nans})
        .with_pole({.operand = 0, .away = 0, .complex_only = true});
const OpRules rule::tan =
    analytic_rules<Op::tan, Tan, d_tan>(ScalarOp::tan, parts::function<parts::rotated<parts::hyperbolic_tangent>>, 30,
                                        "The tangent.")
        .with_nans({.made = makes_nans});
const OpRules rule::asin =
    analytic_rules<Op::asin, Asin, d_asin, Domain::unit_open>(
        ScalarOp::asin, parts::function<parts::inverse_sine, parts::AtReals::complex>, 30, "The inverse of the sine.")
        .with_nans({.made = makes_nans, .repair = choose_0})
        .with_pole({0, 0.5});
const OpRules rule::acos = analytic_rules<Op::acos, Acos, d_acos, Domain::unit_open>(
                               ScalarOp::acos, parts::function<parts::inverse_cosine, parts::AtReals::complex>, 30,
                               "The inverse of the cosine.")
                               .with_nans({.made = makes_nans, .repair = choose_0})
                               .with_pole({0, 0.5});
const OpRules rule::atan = analytic_rules<Op::atan, Atan, d_atan>(
                               ScalarOp::atan, parts::function<parts::rotated<parts::inverse_hyperbolic_tangent>>, 30,
                               "The inverse of the tangent.")
                               .with_pole({.operand = 0, .away = 0, .complex_only = true});

const OpRules rule::atan2 = checked<Op::atan2>({.type = type_same<floats>,
                                                .eval = eval_binary<Atan2>,
                                                .jvp = jvp_binary<d_atan2_y, d_atan2_x>,
                                                .transpose = none,
                                                .batch = batch_elementwise,
                                                .lower = LowerScalar{ScalarOp::atan2},
                                                .samples = samples_elementwise<2, floats, Domain::any>,
                                                .doc = "The angle of the point (x, y) for atan2(y, x).",
                                                .cost = 30,
                                                .pole = Pole{0, 1}});

} // namespace pm::ops
