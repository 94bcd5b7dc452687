#include "compiler/ops/complex/parts.hpp"
#include "compiler/ops/core/combinators.hpp"

#include <cmath>

// equal, not_equal, less, less_equal, max, min. A comparison with NaN is false, but not_equal is true. max and min
// return NaN if an operand is NaN, and treat -0 as less than 0. For bool, false is less than true.

namespace pm::ops {
namespace {

struct Equal {
    template <class T>
    static bool apply(T x, T y) {
        return x == y;
    }
};
struct NotEqual {
    template <class T>
    static bool apply(T x, T y) {
        return x != y;
    }
};
struct Less {
    template <class T>
    static bool apply(T x, T y) {
        return x < y;
    }
};
struct LessEqual {
    template <class T>
    static bool apply(T x, T y) {
        return x <= y;
    }
};
template <bool Greatest>
struct Extremum {
    template <Float T>
    static T apply(T x, T y) {
        if (std::isnan(x)) return x;
        if (std::isnan(y)) return y;
        if (x == y) return std::signbit(x) == Greatest ? y : x;
        return (x > y) == Greatest ? x : y;
    }
    template <std::integral T>
    static T apply(T x, T y) {
        return (x > y) == Greatest ? x : y;
    }
};

// ---- lowering: scalar operations compare numbers; bools are compared by logical operations, and keys by their bits

nest::Ref operand(ElementContext& c, std::size_t i, const nest::Indices& at) {
    const nest::Ref x = c.element(i, at);
    return c.operand_types[i].dtype == DType::key ? c.n.op(ScalarOp::bitcast, DType::u64, {x}) : x;
}
template <ScalarOp Same>
nest::Ref element_equality(ElementContext& c, const nest::Indices& at) {
    return c.n.op(Same, DType::b1, {operand(c, 0, at), operand(c, 1, at)});
}
template <ScalarOp Ordered, ScalarOp Logic>
nest::Ref element_order(ElementContext& c, const nest::Indices& at) {
    const nest::Ref x = c.element(0, at);
    const nest::Ref y = c.element(1, at);
    if (c.operand_types[0].dtype != DType::b1) return c.n.op(Ordered, DType::b1, {x, y});
    return c.n.op(Logic, DType::b1, {c.n.op(ScalarOp::not_, DType::b1, {x}), y});
}
template <ScalarOp Number, ScalarOp Logic>
nest::Ref element_extremum(ElementContext& c, const nest::Indices& at) {
    const DType dtype = c.result_type.dtype;
    return c.n.op(dtype == DType::b1 ? Logic : Number, dtype, {c.element(0, at), c.element(1, at)});
}

// ---- derivatives: the result's tangent is that of the operand equal to the result, or the mean if both operands are
// equal

Value share(JvpContext& c, std::size_t mine, std::size_t other, Value g) {
    const Value is_result = c.b.compare(Op::equal, c.in(mine), c.out());
    const Value tie = c.b.compare(Op::equal, c.in(mine), c.in(other));
    return c.b.select(is_result, c.b.select(tie, c.b.scale(g, 0.5), g), c.b.zeros_like(g));
}
Value d_first(JvpContext& c, Value g) { return share(c, 0, 1, g); }
Value d_second(JvpContext& c, Value g) { return share(c, 1, 0, g); }

template <Op K, class F, DTypes Taken, DTypes More = 0>
consteval OpRules comparison(ElementRule* element, std::string_view doc) {
    return checked<K>({.type = type_compare < Taken | More >,
                       .eval = eval_binary<F>,
                       .jvp = none,
                       .transpose = none,
                       .batch = batch_elementwise,
                       .lower = LowerElement{element},
                       .samples = samples_elementwise<2, Taken, Domain::any>,
                       .doc = doc});
}

template <Op K, class F>
consteval OpRules extremum(ElementRule* element, std::string_view doc) {
    return checked<K>({.type = type_same<ordered>,
                       .eval = eval_binary<F>,
                       .jvp = jvp_binary<d_first, d_second>,
                       .transpose = none,
                       .batch = batch_elementwise,
                       .lower = LowerElement{element},
                       .samples = samples_elementwise<2, ordered, Domain::any>,
                       .doc = doc});
}

std::vector<Parts> equality_parts(PartsContext& c) {
    Build& b = c.b;
    const Op op = c.inst.op;
    const Parts& x = c.in[0];
    const Parts& y = c.in[1];
    const Value re = b.compare(op, x.re, y.re);
    if (!x.im && !y.im) return {{re, {}}};
    return {{b.binary(op == Op::equal ? Op::and_ : Op::or_, re,
                      b.compare(op, parts::imaginary(b, x), parts::imaginary(b, y))),
             {}}};
}

} // namespace

constexpr DTypes compared = bools | numbers | keys;
const OpRules rule::equal =
    comparison<Op::equal, Equal, compared, complexes>(element_equality<ScalarOp::equal>, "x == y; NaN equals nothing.")
        .named("==")
        .with_parts(equality_parts);
const OpRules rule::not_equal = comparison<Op::not_equal, NotEqual, compared, complexes>(
                                    element_equality<ScalarOp::not_equal>, "x != y; true for NaN.")
                                    .named("!=")
                                    .with_parts(equality_parts);
const OpRules rule::less =
    comparison<Op::less, Less, ordered>(element_order<ScalarOp::less, ScalarOp::and_>, "x < y.").named("<");
const OpRules rule::less_equal =
    comparison<Op::less_equal, LessEqual, ordered>(element_order<ScalarOp::less_equal, ScalarOp::or_>, "x <= y.")
        .named("<=");

const OpRules rule::max = extremum<Op::max, Extremum<true>>(element_extremum<ScalarOp::max, ScalarOp::or_>,
                                                            "The greater; NaN when either is.")
                              .named("maximum");
const OpRules rule::min = extremum<Op::min, Extremum<false>>(element_extremum<ScalarOp::min, ScalarOp::and_>,
                                                             "The lesser; NaN when either is.")
                              .named("minimum");

} // namespace pm::ops
