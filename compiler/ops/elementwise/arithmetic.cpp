#include "compiler/ops/complex/parts.hpp"
#include "compiler/ops/core/combinators.hpp"

#include <cmath>
#include <limits>

// neg, add, sub, mul, div, rem, fma. Integers wrap. x / 0 has all bits set (-1). x rem 0 is x. The least integer
// divided by -1 wraps. The quotient is rounded towards zero, and the remainder has the dividend's sign.

namespace pm::ops {
namespace {

/// Two's complement arithmetic that wraps: the low bits of the 64-bit result.
template <Integer T>
constexpr std::uint64_t wide(T x) {
    return static_cast<std::uint64_t>(x);
}

struct Neg {
    template <Float T>
    static T apply(T x) {
        return -x;
    }
    template <Integer T>
    static T apply(T x) {
        return static_cast<T>(0 - wide(x));
    }
};
struct Add {
    template <Float T>
    static T apply(T x, T y) {
        return x + y;
    }
    template <Integer T>
    static T apply(T x, T y) {
        return static_cast<T>(wide(x) + wide(y));
    }
};
struct Sub {
    template <Float T>
    static T apply(T x, T y) {
        return x - y;
    }
    template <Integer T>
    static T apply(T x, T y) {
        return static_cast<T>(wide(x) - wide(y));
    }
};
struct Mul {
    template <Float T>
    static T apply(T x, T y) {
        return x * y;
    }
    template <Integer T>
    static T apply(T x, T y) {
        return static_cast<T>(wide(x) * wide(y));
    }
};
struct Div {
    template <Float T>
    static T apply(T x, T y) {
        return x / y;
    }
    template <Integer T>
    static T apply(T x, T y) {
        if (y == 0) return static_cast<T>(-1);
        if constexpr (std::is_signed_v<T>) {
            if (y == -1) return Neg::apply(x);
        }
        return static_cast<T>(x / y);
    }
};
struct Rem {
    template <Float T>
    static T apply(T x, T y) {
        return std::fmod(x, y);
    }
    template <Integer T>
    static T apply(T x, T y) {
        if (y == 0) return x;
        if constexpr (std::is_signed_v<T>) {
            if (y == -1) return 0;
        }
        return static_cast<T>(x % y);
    }
};

Value keep(JvpContext&, Value g) { return g; }
Value negate(JvpContext& c, Value g) { return c.b.neg(g); }

void transpose_neg(TransposeContext& c) { c.add(0, c.b.neg(*c.ct())); }
void transpose_add(TransposeContext& c) {
    c.add(0, *c.ct());
    c.add(1, *c.ct());
}
void transpose_sub(TransposeContext& c) {
    c.add(0, *c.ct());
    if (c.linear(1)) c.add(1, c.b.neg(*c.ct()));
}

Value d_mul_first(JvpContext& c, Value g) { return c.b.mul(g, c.in(1)); }
Value d_mul_second(JvpContext& c, Value g) { return c.b.mul(c.in(0), g); }
void transpose_mul(TransposeContext& c) {
    PM_CHECK(c.linear(0) != c.linear(1), "a product is linear in one operand at a time");
    if (c.linear(0))
        c.add(0, c.b.mul(*c.ct(), c.in(1)));
    else
        c.add(1, c.b.mul(c.in(0), *c.ct()));
}

Value d_div_first(JvpContext& c, Value g) { return c.b.div(g, c.in(1)); }
Value d_div_second(JvpContext& c, Value g) { return c.b.mul(c.b.neg(g), c.b.div(c.out(), c.in(1))); }
void transpose_div(TransposeContext& c) {
    PM_CHECK(!c.linear(1), "a quotient is not linear in its divisor");
    c.add(0, c.b.div(*c.ct(), c.in(1)));
}

/// The derivative of x rem y with respect to y is -q, where x = q y + remainder. q is computed from the remainder. The
/// integer part of the rounded quotient x / y may differ from q.
Value d_rem_second(JvpContext& c, Value g) {
    const Value quotient = c.b.div(c.b.sub(c.in(0), c.out()), c.in(1));
    return c.b.mul(c.b.neg(g), c.b.unary(Op::round, quotient));
}

Tangents jvp_fma(JvpContext& c) {
    Tangent first;
    Tangent second;
    if (c.tangent(0)) first = c.b.mul(*c.tangent(0), c.in(1));
    if (c.tangent(1)) second = c.b.mul(c.in(0), *c.tangent(1));
    return {add_tangents(c.b, add_tangents(c.b, first, second), c.tangent(2))};
}

/// The result is rounded once for f32 and f64. For f16 and bf16, the product is exact in f32. Then the sum is rounded
/// twice: to f32, and from f32 to the result's dtype.
std::vector<Array> eval_fma(EvalContext& c) {
    Array out = new_result(c);
    visit_dtype(out.dtype(), [&](auto e) {
        using E = decltype(e);
        using S = typename E::Stored;
        if constexpr (Float<typename E::Value>) {
            auto* y = out.template mutable_as<S>();
            for (std::int64_t i = 0; i < out.elements(); ++i) {
                y[i] = E::store(std::fma(E::load(c.in[0].template as<S>()[i]), E::load(c.in[1].template as<S>()[i]),
                                         E::load(c.in[2].template as<S>()[i])));
            }
        } else {
            PM_UNREACHABLE();
        }
    });
    return {std::move(out)};
}

constexpr std::string_view keep_divisor = "keep the divisor away from 0, where(y == 0, 1, y), and both sides finite";

} // namespace

const OpRules rule::neg = checked<Op::neg>({.type = type_same<fields>,
                                            .eval = eval_unary<Neg>,
                                            .jvp = jvp_unary<negate>,
                                            .transpose = transpose_neg,
                                            .batch = batch_elementwise,
                                            .lower = LowerScalar{ScalarOp::neg},
                                            .samples = samples_elementwise<1, numbers, Domain::any>,
                                            .doc = "-x; integers wrap.",
                                            .name = "-",
                                            .parts = parts::unary<parts::negate>,
                                            .keeps_parts = true,
                                            .wraps = 1});

const OpRules rule::add = checked<Op::add>({.type = type_same<fields>,
                                            .eval = eval_binary<Add>,
                                            .jvp = jvp_binary<keep, keep>,
                                            .transpose = transpose_add,
                                            .batch = batch_elementwise,
                                            .lower = LowerScalar{ScalarOp::add},
                                            .samples = samples_elementwise<2, numbers, Domain::any>,
                                            .doc = "x + y; integers wrap.",
                                            .name = "+",
                                            .nans = {.made = makes_nans},
                                            .parts = parts::binary<parts::add>,
                                            .wraps = 2});

const OpRules rule::sub = checked<Op::sub>({.type = type_same<fields>,
                                            .eval = eval_binary<Sub>,
                                            .jvp = jvp_binary<keep, negate>,
                                            .transpose = transpose_sub,
                                            .batch = batch_elementwise,
                                            .lower = LowerScalar{ScalarOp::sub},
                                            .samples = samples_elementwise<2, numbers, Domain::any>,
                                            .doc = "x - y; integers wrap.",
                                            .name = "-",
                                            .nans = {.made = makes_nans},
                                            .parts = parts::binary<parts::subtract>,
                                            .wraps = 2});

const OpRules rule::mul = checked<Op::mul>({.type = type_same<fields>,
                                            .eval = eval_binary<Mul>,
                                            .jvp = jvp_binary<d_mul_first, d_mul_second>,
                                            .transpose = transpose_mul,
                                            .batch = batch_elementwise,
                                            .lower = LowerScalar{ScalarOp::mul},
                                            .samples = samples_elementwise<2, numbers, Domain::any>,
                                            .doc = "x * y; integers wrap.",
                                            .name = "*",
                                            .nans = {.made = makes_nans},
                                            .parts = parts::binary<parts::multiply>,
                                            .wraps = 2});

const OpRules rule::div = checked<Op::div>({.type = type_same<fields>,
                                            .eval = eval_binary<Div>,
                                            .jvp = jvp_binary<d_div_first, d_div_second>,
                                            .transpose = transpose_div,
                                            .batch = batch_elementwise,
                                            .lower = LowerScalar{ScalarOp::div},
                                            .samples = samples_elementwise<2, numbers, Domain::any, Domain::any>,
                                            .doc = "x / y; integers go towards zero, and x / 0 has all bits set.",
                                            .name = "/",
                                            .nans = {.made = makes_nans, .repair = keep_divisor},
                                            .parts = parts::binary<parts::divide>,
                                            .cost = 4,
                                            .wraps = 2,
                                            .pole = Pole{1, 1}});

const OpRules rule::rem = checked<Op::rem>({.type = type_same<numbers>,
                                            .eval = eval_binary<Rem>,
                                            .jvp = jvp_binary<keep, d_rem_second>,
                                            .transpose = none,
                                            .batch = batch_elementwise,
                                            .lower = LowerScalar{ScalarOp::rem},
                                            .samples = samples_elementwise<2, numbers, Domain::any>,
                                            .doc = "x - y * trunc(x / y), exactly; integers: x rem 0 is x.",
                                            .name = "%",
                                            .nans = {.made = makes_nans, .repair = keep_divisor},
                                            .cost = 4,
                                            .pole = Pole{1, 1}});

const OpRules rule::fma = checked<Op::fma>({.type = type_same<floats>,
                                            .eval = eval_fma,
                                            .jvp = jvp_fma,
                                            .transpose = none,
                                            .batch = batch_elementwise,
                                            .lower = LowerScalar{ScalarOp::fma},
                                            .samples = samples_elementwise<3, floats, Domain::any>,
                                            .doc = "x * y + z, rounded once.",
                                            .name = "+",
                                            .nans = {.made = makes_nans}});

} // namespace pm::ops
