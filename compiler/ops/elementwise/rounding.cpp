#include "compiler/ops/complex/functions.hpp"
#include "compiler/ops/core/combinators.hpp"

#include <cmath>
#include <limits>

// abs, sign, floor, ceil, round, trunc, is_finite, nextafter. The absolute value of the least integer is the least
// integer. sign returns zeros and NaN unchanged. Only abs and nextafter have a tangent. The slope of abs at zero is 1.
// The tangent of nextafter is the tangent of its first operand.

namespace pm::ops {
namespace {

struct Abs {
    template <Float T>
    static T apply(T x) {
        return std::fabs(x);
    }
    template <Integer T>
    static T apply(T x) {
        return x < 0 ? static_cast<T>(0 - static_cast<std::uint64_t>(x)) : x;
    }
};
struct Sign {
    template <Float T>
    static T apply(T x) {
        return x > 0 ? T{1} : x < 0 ? T{-1} : x;
    }
    template <Integer T>
    static T apply(T x) {
        return static_cast<T>((x > 0) - (x < 0));
    }
};
struct Floor {
    template <Float T>
    static T apply(T x) {
        return std::floor(x);
    }
};
struct Ceil {
    template <Float T>
    static T apply(T x) {
        return std::ceil(x);
    }
};
struct Round {
    template <Float T>
    static T apply(T x) {
        return std::nearbyint(x);
    } // rounds half to even, because the rounding mode is never changed
};
struct Trunc {
    template <Float T>
    static T apply(T x) {
        return std::trunc(x);
    }
};
struct IsFinite {
    template <Float T>
    static bool apply(T x) {
        return std::isfinite(x);
    }
};

/// For a complex number, the result is its modulus, a real number.
std::vector<Type> type_abs(const Inst& inst, std::span<const Type> operands) {
    require_dtype(inst, operands[0].dtype, fields);
    return {Type{runtime::part_type(operands[0].dtype), operands[0].shape}};
}

/// The derivative of |z| is Re(g conj(z)) / |z|. At z = 0 it is 0.
Value d_distance(JvpContext& c, Value g) {
    const Value zero = c.b.compare(Op::equal, c.out(), c.b.zeros_like(c.out()));
    const Value safe = c.b.select(zero, c.b.ones_like(c.out()), c.out());
    const Value direction = c.b.div(c.b.unary(Op::conj, c.in(0)), c.b.convert(safe, c.b.dtype(g)));
    return c.b.unary(Op::real, c.b.mul(g, direction));
}

Value d_abs(JvpContext& c, Value g) {
    if (runtime::is_complex(c.b.dtype(g))) return d_distance(c, g);
    return c.b.select(c.b.compare(Op::less_equal, c.b.like(c.in(0), 0), c.in(0)), g, c.b.neg(g));
}

/// nextafter for a 16-bit float format. The bit patterns of numbers of one sign have the same order as their
/// magnitudes.
template <class E>
typename E::Stored next_bits(typename E::Stored x, typename E::Stored y) {
    const float from = E::load(x);
    const float to = E::load(y);
    if (std::isnan(from)) return x;
    if (std::isnan(to) || from == to) return y;
    if (from == 0) return static_cast<typename E::Stored>(to < 0 ? 0x8001U : 0x0001U);
    const bool outward = (to > from) == (from > 0);
    return static_cast<typename E::Stored>(outward ? x + 1U : x - 1U);
}

std::vector<Array> eval_nextafter(EvalContext& c) {
    Array out = new_result(c);
    visit_dtype(out.dtype(), [&](auto e) {
        using E = decltype(e);
        using S = typename E::Stored;
        if constexpr (Float<typename E::Value>) {
            const auto* x = c.in[0].template as<S>();
            const auto* y = c.in[1].template as<S>();
            auto* z = out.template mutable_as<S>();
            for (std::int64_t i = 0; i < out.elements(); ++i) {
                if constexpr (std::is_floating_point_v<S>)
                    z[i] = std::nextafter(x[i], y[i]);
                else
                    z[i] = next_bits<E>(x[i], y[i]);
            }
        } else {
            PM_UNREACHABLE();
        }
    });
    return {std::move(out)};
}
Value d_nextafter(JvpContext&, Value g) { return g; }

/// The rules of an operation on floats whose derivative is zero wherever it is defined.
template <Op K, class F>
consteval OpRules rounding(ScalarOp op, std::string_view doc) {
    return checked<K>({.type = type_same<floats>,
                       .eval = eval_unary<F>,
                       .jvp = none,
                       .transpose = none,
                       .batch = batch_elementwise,
                       .lower = LowerScalar{op},
                       .samples = samples_elementwise<1, floats, Domain::any>,
                       .doc = doc});
}

std::vector<Parts> abs_parts(PartsContext& c) { return {{parts::modulus(c.b, c.in[0]), {}}}; }

} // namespace

const OpRules rule::abs = checked<Op::abs>({.type = type_abs,
                                            .eval = eval_unary<Abs>,
                                            .jvp = jvp_unary<d_abs>,
                                            .transpose = none,
                                            .batch = batch_elementwise,
                                            .lower = LowerScalar{ScalarOp::abs},
                                            .samples = samples_elementwise<1, numbers, Domain::any>,
                                            .doc = "|x|, real for complex x; the least integer is itself.",
                                            .parts = abs_parts,
                                            .wraps = 1});

const OpRules rule::sign = checked<Op::sign>({.type = type_same<fields>,
                                              .eval = eval_unary<Sign>,
                                              .jvp = none,
                                              .transpose = none,
                                              .batch = batch_elementwise,
                                              .lower = LowerScalar{ScalarOp::sign},
                                              .samples = samples_elementwise<1, numbers, Domain::any>,
                                              .doc = "-1, 0 or 1; zeros and NaN are kept. z / |z| for complex z.",
                                              .parts = parts::unary<parts::sign>});

const OpRules rule::floor = rounding<Op::floor, Floor>(ScalarOp::floor, "The greatest integer not above x.");
const OpRules rule::ceil = rounding<Op::ceil, Ceil>(ScalarOp::ceil, "The least integer not below x.");
const OpRules rule::round = rounding<Op::round, Round>(ScalarOp::round, "The nearest integer, a half to the even one.");
const OpRules rule::trunc = rounding<Op::trunc, Trunc>(ScalarOp::trunc, "The integer next to x towards zero.");

const OpRules rule::is_finite = checked<Op::is_finite>({.type = type_compare<floats>,
                                                        .eval = eval_unary<IsFinite>,
                                                        .jvp = none,
                                                        .transpose = none,
                                                        .batch = batch_elementwise,
                                                        .lower = LowerScalar{ScalarOp::is_finite},
                                                        .samples = samples_elementwise<1, floats, Domain::any>,
                                                        .doc = "Neither infinite nor NaN.",
                                                        .name = "isfinite"});

const OpRules rule::nextafter = checked<Op::nextafter>({.type = type_same<floats>,
                                                        .eval = eval_nextafter,
                                                        .jvp = jvp_binary<d_nextafter, nullptr>,
                                                        .transpose = none,
                                                        .batch = batch_elementwise,
                                                        .lower = LowerScalar{ScalarOp::nextafter},
                                                        .samples = samples_elementwise<2, floats, Domain::any>,
                                                        .doc = "The number next to x in the direction of y."});

} // namespace pm::ops
