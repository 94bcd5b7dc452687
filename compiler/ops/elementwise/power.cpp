#include "compiler/ops/complex/functions.hpp"
#include "compiler/ops/core/combinators.hpp"
#include "compiler/ops/elementwise/repeated_squaring.hpp"

#include <cmath>

// sqrt, rsqrt, cbrt, pow, integer_pow. Integer powers wrap. For a negative exponent -n, the result for integers is the
// integer quotient 1 / x^n. So 0^-1 has all bits set.

#include <limits>

namespace pm::ops {
namespace {

struct Sqrt {
    template <Float T>
    static T apply(T x) {
        return std::sqrt(x);
    }
};
struct Rsqrt {
    template <Float T>
    static T apply(T x) {
        return through_double([](double v) { return 1 / std::sqrt(v); }, x);
    }
};
struct Cbrt {
    template <Float T>
    static T apply(T x) {
        return through_double(std::cbrt, x);
    }
};

/// x^n in wrapping arithmetic.
template <Integer T>
T power(T x, std::uint64_t n) {
    std::uint64_t base = static_cast<std::uint64_t>(x);
    std::uint64_t result = 1;
    walk_power(n, [&] { base *= base; }, [&] { result *= base; });
    return static_cast<T>(result);
}
/// The integer quotient 1 / x. It has all bits set if x is 0.
template <Integer T>
T reciprocal(T x) {
    if (x == 0) return static_cast<T>(-1);
    if (x == 1) return 1;
    if constexpr (std::is_signed_v<T>) {
        if (x == -1) return static_cast<T>(-1);
    }
    return 0;
}

struct Pow {
    template <Float T>
    static T apply(T x, T y) {
        return static_cast<T>(std::pow(static_cast<double>(x), static_cast<double>(y)));
    }
    template <Integer T>
    static T apply(T x, T y) {
        if (y < 0) return reciprocal(power(x, 0 - static_cast<std::uint64_t>(y)));
        return power(x, static_cast<std::uint64_t>(y));
    }
};

/// For integers, emits one multiplication and one select for each bit of the exponent.
nest::Ref element_pow(ElementContext& c, const nest::Indices& at) {
    const DType dtype = c.result_type.dtype;
    const nest::Ref x = c.element(0, at);
    const nest::Ref y = c.element(1, at);
    if (runtime::is_float(dtype)) return c.n.op(ScalarOp::pow, dtype, {x, y});
    const auto op = [&](ScalarOp o, nest::Ref a, nest::Ref b) { return c.n.op(o, dtype, {a, b}); };
    const auto pick = [&](nest::Ref condition, nest::Ref a, nest::Ref b) {
        return c.n.op(ScalarOp::select, dtype, {condition, a, b});
    };
    const nest::Ref zero = c.n.constant(dtype, 0);
    const nest::Ref one = c.n.constant(dtype, 1);
    const bool has_sign = runtime::is_signed_integer(dtype);
    const nest::Ref negative = has_sign ? c.n.op(ScalarOp::less, DType::b1, {y, zero}) : nest::Ref{};
    const nest::Ref n = has_sign ? pick(negative, op(ScalarOp::sub, zero, y), y) : y;
    nest::Ref base = x;
    nest::Ref result = one;
    // Processes all bits, because the exponent is known only at run time.
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - 8 * runtime::size_of(dtype));
    std::uint64_t bit = 1;
    walk_power(
        all,
        [&] {
            base = op(ScalarOp::mul, base, base);
            bit <<= 1;
        },
        [&] {
            const nest::Ref masked = op(ScalarOp::and_, n, c.n.constant_bits(dtype, bit));
            const nest::Ref clear = c.n.op(ScalarOp::equal, DType::b1, {masked, zero});
            result = pick(clear, result, op(ScalarOp::mul, result, base));
        });
    return has_sign ? pick(negative, op(ScalarOp::div, one, result), result) : result;
}

std::vector<Sample> samples_pow() {
    std::vector<Sample> samples = elementwise_samples(2, floats, {Domain::positive, Domain::any});
    for (const Sample& sample : elementwise_samples(2, ints, {Domain::any, Domain::any})) samples.push_back(sample);
    return samples;
}

Value d_sqrt(JvpContext& c, Value g) { return c.b.mul(g, c.b.div(c.b.like(g, 0.5), c.out())); }
Value d_rsqrt(JvpContext& c, Value g) { return c.b.mul(g, c.b.scale(c.b.div(c.out(), c.in(0)), -0.5)); }
Value d_cbrt(JvpContext& c, Value g) { return c.b.mul(g, c.b.scale(c.b.integer_pow(c.out(), -2), 1.0 / 3.0)); }

/// y x^(y - 1)
Value d_pow_base(JvpContext& c, Value g) {
    const Value less = c.b.sub(c.in(1), c.b.ones_like(g));
    return c.b.mul(g, c.b.mul(c.in(1), c.b.binary(Op::pow, c.in(0), less)));
}
/// log(x) x^y. Where x is 0, the result is 0, unless x^y is infinite.
Value d_pow_exponent(JvpContext& c, Value g) {
    const Value zero = c.b.compare(Op::equal, c.in(0), c.b.zeros_like(g));
    const Value log = c.b.unary(Op::log, c.b.select(zero, c.b.ones_like(g), c.in(0)));
    return c.b.mul(g, c.b.mul(log, c.out()));
}

// ---- integer_pow: the expansion and eval compute the same products in the same order

std::vector<Array> eval_integer_pow(EvalContext& c) {
    const std::int64_t n = c.inst.attrs.integer(Attr::exponent);
    Array out = new_result(c);
    visit_dtype(out.dtype(), [&](auto e) {
        using E = decltype(e);
        using V = typename E::Value;
        const auto* x = c.in[0].template as<typename E::Stored>();
        auto* y = out.template mutable_as<typename E::Stored>();
        for (std::int64_t i = 0; i < out.elements(); ++i) {
            if constexpr (Float<V>) {
                const auto rounded = [](V v) { return E::load(E::store(v)); };
                V base = E::load(x[i]);
                V result = 1;
                bool first = true;
                walk_power(
                    magnitude(n), [&] { base = rounded(base * base); },
                    [&] {
                        result = first ? base : rounded(result * base);
                        first = false;
                    });
                y[i] = E::store(n < 0 ? V{1} / result : result);
            } else if constexpr (Integer<V>) {
                const V result = power(E::load(x[i]), magnitude(n));
                y[i] = n < 0 ? reciprocal(result) : result;
            } else {
                PM_UNREACHABLE();
            }
        }
    });
    return {std::move(out)};
}

Values expand_integer_pow(Build& b, const Inst& inst, const Values& operands) {
    const std::int64_t n = inst.attrs.integer(Attr::exponent);
    Value base = operands[0];
    Value result;
    walk_power(magnitude(n), [&] { base = b.mul(base, base); }, [&] { result = result ? b.mul(result, base) : base; });
    if (!result) result = b.ones_like(operands[0]);
    return {n < 0 ? b.div(b.ones_like(result), result) : result};
}

/// n x^(n - 1)
Tangents jvp_integer_pow(JvpContext& c) {
    const std::int64_t n = c.inst.attrs.integer(Attr::exponent);
    if (n == 0) return {std::nullopt};
    const Value g = *c.tangent(0);
    if (n == 1) return {g};
    // For the least n, n - 1 would overflow. So n is used instead of n - 1. A power with such an exponent is 0 or
    // infinite, except the powers of 1 and -1.
    const std::int64_t less = n == std::numeric_limits<std::int64_t>::min() ? n : n - 1;
    const Value power = n == 2 ? c.in(0) : c.b.integer_pow(c.in(0), less);
    return {c.b.mul(g, c.b.scale(power, static_cast<double>(n)))};
}

std::vector<Sample> samples_integer_pow() {
    std::vector<Sample> samples;
    for (std::int64_t n : {-3, -1, 0, 1, 2, 3, 10}) {
        for (Sample& sample : elementwise_samples(1, n == 3 ? numbers : floats | set_of(DType::i32), {Domain::any},
                                                  {{Attr::exponent, n}}))
            samples.push_back(std::move(sample));
    }
    return samples;
}

/// Uses repeated squaring, as in the expansion of the real operation.
std::vector<Parts> integer_power_parts(PartsContext& c) {
    Build& b = c.b;
    const Parts& x = c.in[0];
    const std::int64_t n = c.inst.attrs.integer(Attr::exponent);
    const Parts one{b.ones_like(x.re), {}};
    Parts base = x;
    std::optional<Parts> made;
    walk_power(
        magnitude(n), [&] { base = parts::multiply(b, base, base); },
        [&] { made = made ? parts::multiply(b, *made, base) : base; });
    if (!made) return {one};
    return {n < 0 ? parts::divide(b, one, *made) : *made};
}

} // namespace

const OpRules rule::sqrt = analytic_rules<Op::sqrt, Sqrt, d_sqrt, Domain::positive>(
                               ScalarOp::sqrt, parts::function<parts::root, parts::AtReals::complex>, 4,
                               "The square root; its slope at 0 is infinite.")
                               .with_nans({.made = makes_nans, .repair = choose_1})
                               .with_pole({0, 1});
const OpRules rule::rsqrt =
    analytic_rules<Op::rsqrt, Rsqrt, d_rsqrt, Domain::positive>(
        ScalarOp::rsqrt, parts::function<parts::inverse_root, parts::AtReals::complex>, 4, "1 / sqrt(x).")
        .with_nans({.made = makes_nans, .repair = choose_1})
        .with_pole({0, 1});
const OpRules rule::cbrt =
    function_rules<Op::cbrt, Cbrt, d_cbrt>(ScalarOp::cbrt, 16, "The cube root, with the sign of x.").with_pole({0, 1});

const OpRules rule::pow = checked<Op::pow>(
    {.type = type_same<fields>,
     .eval = eval_binary<Pow>,
     .jvp = jvp_binary<d_pow_base, d_pow_exponent>,
     .transpose = none,
     .batch = batch_elementwise,
     .lower = LowerElement{element_pow},
     .samples = samples_pow,
     .doc = "x to the power y; integers wrap.",
     .name = "**",
     .nans = {.made = makes_nans, .repair = "the base of a power that is not whole may not be negative"},
     .parts = parts::binary<parts::power>,
     .cost = 30,
     .size = 8,
     .wraps = 2,
     .pole = Pole{0, 1}});

const OpRules rule::integer_pow =
    checked<Op::integer_pow>({.type = type_same<fields>,
                              .eval = eval_integer_pow,
                              .jvp = jvp_integer_pow,
                              .transpose = none,
                              .batch = batch_elementwise,
                              .lower = LowerExpand{expand_integer_pow},
                              .samples = samples_integer_pow,
                              .doc = "x to a whole power known beforehand, by repeated squaring.",
                              .name = "**",
                              .parts = integer_power_parts,
                              .wraps = 1,
                              .pole = Pole{0, 1}});

} // namespace pm::ops
