#include "compiler/ops/complex/functions.hpp"
#include "compiler/ops/core/combinators.hpp"

#include <cmath>

// exp, expm1, log, log1p, logistic. At the edges of the domains, the results are those of IEEE 754 (log(0) = -inf,
// log(-1) = NaN).

namespace pm::ops {
namespace {

struct Exp {
    template <Float T>
    static T apply(T x) {
        return through_double(std::exp, x);
    }
};
struct Expm1 {
    template <Float T>
    static T apply(T x) {
        return through_double(std::expm1, x);
    }
};
struct Log {
    template <Float T>
    static T apply(T x) {
        return through_double(std::log, x);
    }
};
struct Log1p {
    template <Float T>
    static T apply(T x) {
        return through_double(std::log1p, x);
    }
};
struct Logistic {
    template <Float T>
    static T apply(T x) {
        return through_double([](double v) { return 1 / (1 + std::exp(-v)); }, x);
    }
};

Value d_exp(JvpContext& c, Value g) { return c.b.mul(g, c.out()); }
Value d_expm1(JvpContext& c, Value g) { return c.b.mul(g, c.b.add(c.out(), c.b.ones_like(g))); }
Value d_log(JvpContext& c, Value g) { return c.b.div(g, c.in(0)); }
Value d_log1p(JvpContext& c, Value g) { return c.b.div(g, c.b.add(c.in(0), c.b.ones_like(g))); }
Value d_logistic(JvpContext& c, Value g) { return c.b.mul(g, c.b.mul(c.out(), c.b.sub(c.b.ones_like(g), c.out()))); }

} // namespace

const OpRules rule::exp =
    analytic_rules<Op::exp, Exp, d_exp>(ScalarOp::exp, parts::function<parts::exponential>, 12, "e to the power x.")
        .with_pole({0, 0});
const OpRules rule::expm1 =
    analytic_rules<Op::expm1, Expm1, d_expm1>(ScalarOp::expm1, parts::function<parts::exponential_less_one>, 16,
                                              "exp(x) - 1, accurate near zero.")
        .with_pole({0, 0});
const OpRules rule::log =
    analytic_rules<Op::log, Log, d_log, Domain::positive>(
        ScalarOp::log, parts::function<parts::logarithm, parts::AtReals::complex>, 12, "The natural logarithm.")
        .with_nans({.made = makes_nans, .repair = choose_1})
        .with_pole({0, 1});
const OpRules rule::log1p = analytic_rules<Op::log1p, Log1p, d_log1p, Domain::positive>(
                                ScalarOp::log1p, parts::function<parts::logarithm_of_more, parts::AtReals::complex>, 16,
                                "log(1 + x), accurate near zero.")
                                .with_nans({.made = makes_nans, .repair = choose_1})
                                .with_pole({0, 1});
const OpRules rule::logistic = analytic_rules<Op::logistic, Logistic, d_logistic>(
    ScalarOp::logistic, parts::function<parts::logistic>, 12, "1 / (1 + exp(-x)).");

} // namespace pm::ops
