// Reductions and prefix scans. Tuples and ranges of known numbers are reduced during staging. So prod(x.shape) is known
// and can be a size.
#include "compiler/stage/known/arrays.hpp"
#include "compiler/stage/library/numbers.hpp"
#include "compiler/stage/library/selection.hpp"

#include "compiler/base/check.hpp"
#include "compiler/ops/core/display_name.hpp"
#include "compiler/stage/known/known.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage::library {
namespace {

using ir::Op;
using syntax::BinaryOp;

/// The parameters of a reduction: (x, axis, dtype, keepdims, initial, where). Some reductions have no `dtype`.
struct Parameters {
    std::string_view name;
    Value axis, dtype, initial, where;
    bool keepdims = false;
    Span axis_span;
    Span where_span;
};

Parameters read(Stager& s, Arguments& a, std::string_view name, bool has_dtype) {
    const std::size_t shift = has_dtype ? 1 : 0;
    Parameters p{name, a[1], {}, a[3 + shift], a[4 + shift], false, a.spans[1], a.spans[4 + shift]};
    if (has_dtype) {
        p.dtype = a[2];
        if (!p.dtype.is_none() && !p.dtype.dtype())
            raise(diagnose(Diag::wrong_kind, a.spans[2], "`dtype`", "a dtype", describe(p.dtype)));
    }
    if (a.given[2 + shift] && a[2 + shift].is_numeric() && numeric_type(a[2 + shift]).type.dtype != DType::b1)
        raise(diagnose(Diag::wrong_kind, a.spans[2 + shift], "keepdims", "a bool", describe(a[2 + shift]))
                  .fix(fmt::format("of several numbers: {}([a, b, c])", name)));
    p.keepdims = need_bool(s, a[2 + shift], a.spans[2 + shift], "keepdims");
    return p;
}

/// The dtype of sums and products of elements with the dtype `d`. As in JAX, it has 32 bits for small integers and
/// bools.
DType widened(DType d) {
    if (d == DType::b1 || d == DType::i8 || d == DType::i16) return DType::i32;
    if (d == DType::u8 || d == DType::u16) return DType::u32;
    return d;
}

Shape kept_shape(const Shape& shape, const std::vector<int>& axes, bool keepdims) {
    Shape kept;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        const bool reduced = std::find(axes.begin(), axes.end(), static_cast<int>(d)) != axes.end();
        if (!reduced)
            kept.push_back(shape[d]);
        else if (keepdims)
            kept.push_back(1);
    }
    return kept;
}

/// The array `x` with its elements replaced by `otherwise` where the parameter `where` is false.
ir::Value masked(Stager& s, ir::Value x, const Parameters& p, ir::Value otherwise) {
    auto& b = s.build();
    need_numeric(p.where, p.where_span, "`where`");
    const ir::Value mask = s.use(truth(s, p.where, p.where_span));
    return b.select(b.broadcast_to(mask, b.shape(x)), x, b.broadcast_to(otherwise, b.shape(x)));
}

/// A suggestion that names the operation on two values that corresponds to a reduction.
std::string of_two(std::string_view reduction) {
    if (reduction == "max") return "maximum(a, b) is the greater of two";
    if (reduction == "min") return "minimum(a, b) is the less of two";
    if (reduction == "sum") return "a + b adds two, sum([a, b]) the elements of an array";
    if (reduction == "prod") return "a * b multiplies two, prod([a, b]) the elements of an array";
    if (reduction == "all") return "a and b is true where both are";
    if (reduction == "any") return "a or b is true where one is";
    return "give one array and, if not all is meant, an axis of it";
}

/// Raises if the argument for the axis was probably meant as a second operand, as in max(3, 5) or sum(a, b).
void refuse_operand(const Value& given, const Parameters& p) {
    if (!p.axis.is_numeric()) return;
    const Type axis = numeric_type(p.axis).type;
    const bool whole = axis.rank() == 0 && runtime::is_integer(axis.dtype);
    const bool first = p.axis.number() && whole && (p.axis.number()->i == 0 || p.axis.number()->i == -1);
    if (whole && (first || numeric_type(given).type.rank() != 0)) return;
    raise(diagnose(Diag::wrong_kind, p.axis_span, fmt::format("`{}` with two arguments", p.name),
                   "an array and one of its axes", fmt::format("{} and {}", describe(given), describe(p.axis)))
              .fix(of_two(p.name)));
}

/// A reduction, and the operation that combines two results of the reduction. Masked elements are replaced by
/// `identity`. If `identity` is empty, they are replaced by the parameter `initial`.
struct Reduction {
    Op op, combine;
    std::optional<double> identity;
};

/// The result of the reduction of `given`. For a scalar, the result is the scalar.
Value reduce(Stager& s, const Value& given, const Reduction& reduction, const Parameters& p, DType dtype, Span span) {
    const auto& [op, combine, identity] = reduction;
    return s.array_work(span, [&] {
        const NumericType t = numeric_type(given);
        refuse_operand(given, p);
        const std::vector<int> axes = axes_of(s, p.axis, t.type, p.axis_span);
        auto& b = s.build();
        const bool has_initial = !p.initial.is_none();
        if (!identity && !has_initial) {
            for (const int d : axes)
                if (t.type.shape[static_cast<std::size_t>(d)] == 0)
                    raise(diagnose(Diag::empty_reduction, span, p.name, ir::to_string(t.type), d)
                              .fix(fmt::format("say what it is then: {}(x, initial=...)", p.name)));
            if (!p.where.is_none())
                raise(diagnose(Diag::missing_argument, span, p.name, "initial")
                          .note("with `where` there may be nothing to take"));
        }
        ir::Value x = s.use(given, dtype);
        const ir::Value initial = has_initial ? s.use(need_numeric(p.initial, span, "`initial`"), dtype) : ir::Value{};
        if (has_initial && b.rank(initial) != 0)
            raise(diagnose(Diag::wrong_kind, span, "`initial`", "a number", describe(p.initial)));
        if (!p.where.is_none()) x = masked(s, x, p, identity ? b.constant(dtype, *identity) : initial);
        ir::Value r = b.reduce(op, x, ir::Integers(axes.begin(), axes.end()));
        if (has_initial) r = b.binary(combine, r, b.broadcast_to(initial, b.shape(r)));
        r = b.reshape(r, kept_shape(t.type.shape, axes, p.keepdims));
        return s.wrap(r, t.weak && t.type.rank() == 0 && dtype == t.type.dtype);
    });
}

// ---- sums and products

template <bool product>
Value accumulate(Stager& s, Arguments& a) {
    const Parameters p = read(s, a, product ? "prod" : "sum", true);
    if (const auto numbers =
            p.axis.is_none() && p.where.is_none() ? known_numbers(s, a[0], a.spans[0]) : std::nullopt) {
        Value total = p.initial.is_none() ? Value::integer(product ? 1 : 0) : p.initial;
        for (const Value& v : *numbers)
            total = binary(s, product ? BinaryOp::multiply : BinaryOp::add, total, v, a.span);
        return p.dtype.is_none() ? total : cast(s, total, *p.dtype.dtype(), a.span);
    }
    const Value x = as_array(s, a[0], a.spans[0]);
    const DType own = numeric_type(need_numeric(x, a.spans[0], product ? "`prod`" : "`sum`")).type.dtype;
    const DType dtype = p.dtype.is_none() ? widened(own) : *p.dtype.dtype();
    const Reduction reduction =
        product ? Reduction{Op::reduce_prod, Op::mul, 1.0} : Reduction{Op::reduce_sum, Op::add, 0.0};
    return reduce(s, x, reduction, p, dtype, a.span);
}

// ---- extremes

template <bool greatest>
Value extremum_along(Stager& s, Arguments& a) {
    const Parameters p = read(s, a, greatest ? "max" : "min", false);
    if (const auto numbers =
            p.axis.is_none() && p.where.is_none() ? known_numbers(s, a[0], a.spans[0]) : std::nullopt) {
        if (numbers->empty() && p.initial.is_none())
            raise(diagnose(Diag::empty_reduction, a.span, p.name, describe(a[0]), 0)
                      .fix(fmt::format("say what it is then: {}(x, initial=...)", p.name)));
        Value most = p.initial.is_none() ? numbers->front() : p.initial;
        for (const Value& v : *numbers) most = extreme(s, most, v, greatest, a.span);
        return most;
    }
    const Value x = as_array(s, a[0], a.spans[0]);
    const DType dtype = numeric_type(need_numeric(x, a.spans[0], greatest ? "`max`" : "`min`")).type.dtype;
    const Reduction reduction =
        greatest ? Reduction{Op::reduce_max, Op::max, {}} : Reduction{Op::reduce_min, Op::min, {}};
    return reduce(s, x, reduction, p, dtype, a.span);
}

template <bool greatest>
Value position(Stager& s, Arguments& a) {
    const std::string_view name = greatest ? "`argmax`" : "`argmin`";
    const Value given = as_array(s, a[0], a.spans[0]);
    need_numeric(given, a.spans[0], name);
    const bool keepdims = need_bool(s, a[2], a.spans[2], "keepdims");
    return s.array_work(a.span, [&] {
        const AlongAxis at = along_axis(s, given, a[1], a.spans[1]);
        auto& b = s.build();
        const Shape shape = b.shape(at.x);
        if (shape[static_cast<std::size_t>(at.axis)] == 0)
            raise(diagnose(Diag::empty_reduction, a.span, greatest ? "argmax" : "argmin", ir::to_string(b.type(at.x)),
                           at.axis));
        const ir::Value r =
            b.emit1(greatest ? Op::argmax : Op::argmin, {at.x}, {{ir::Attr::axis, std::int64_t{at.axis}}});
        if (!keepdims) return s.wrap(r);
        Shape kept = a[1].is_none() ? Shape(numeric_type(given).type.shape.size(), 1) : shape;
        if (!a[1].is_none()) kept[static_cast<std::size_t>(at.axis)] = 1;
        return s.wrap(b.reshape(r, kept));
    });
}

// ---- all and any

template <bool every>
Value quantified(Stager& s, Arguments& a) {
    const std::string_view name = every ? "`all`" : "`any`";
    const bool keepdims = need_bool(s, a[2], a.spans[2], "keepdims");
    if (const auto numbers = a[1].is_none() && a[3].is_none() ? known_numbers(s, a[0], a.spans[0]) : std::nullopt) {
        bool result = every;
        for (const Value& v : *numbers)
            result = every ? result && v.number()->as_c128() != 0.0 : result || v.number()->as_c128() != 0.0;
        return Value::boolean(result);
    }
    const Value x = as_array(s, a[0], a.spans[0]);
    need_numeric(x, a.spans[0], name);
    Parameters p{every ? "all" : "any", a[1], {}, {}, a[3], keepdims, a.spans[1], a.spans[3]};
    return s.array_work(a.span, [&] {
        const Reduction reduction =
            every ? Reduction{Op::reduce_and, Op::and_, 1.0} : Reduction{Op::reduce_or, Op::or_, 0.0};
        return reduce(s, truth(s, x, a.span), reduction, p, DType::b1, a.span);
    });
}

Value count_nonzero(Stager& s, Arguments& a) {
    const Value x = as_array(s, a[0], a.spans[0]);
    need_numeric(x, a.spans[0], "`count_nonzero`");
    const Parameters p{"count_nonzero", a[1], {}, {}, {}, need_bool(s, a[2], a.spans[2], "keepdims"), a.spans[1], {}};
    return s.array_work(
        a.span, [&] { return reduce(s, truth(s, x, a.span), {Op::reduce_sum, Op::add, 0.0}, p, DType::i32, a.span); });
}

// ---- prefix scans

template <Op op>
Value cumulative(Stager& s, Arguments& a) {
    const std::string name = fmt::format("`{}`", ops::display_name(op));
    const Value given = as_array(s, a[0], a.spans[0]);
    need_numeric(given, a.spans[0], name);
    // the parameters are (x, axis, dtype, reverse) for sums and products, (x, axis, reverse) for extremes
    constexpr bool sums = op == Op::cumsum || op == Op::cumprod;
    DType dtype = numeric_type(given).type.dtype;
    if (dtype == DType::b1) dtype = DType::i32;
    if (sums && !a[2].is_none()) {
        if (!a[2].dtype()) raise(diagnose(Diag::wrong_kind, a.spans[2], "`dtype`", "a dtype", describe(a[2])));
        dtype = *a[2].dtype();
    }
    const std::size_t last = sums ? 3 : 2;
    const bool reverse = need_bool(s, a[last], a.spans[last], "reverse");
    return s.array_work(a.span, [&] {
        const AlongAxis at = along_axis(s, given, a[1], a.spans[1]);
        auto& b = s.build();
        return s.wrap(
            b.emit1(op, {b.convert(at.x, dtype)},
                    {{ir::Attr::axis, std::int64_t{at.axis}}, {ir::Attr::reverse, std::int64_t{reverse ? 1 : 0}}}));
    });
}

using K = Native::Kind;
constexpr Native reductions_natives[] = {
    {"sum", "x, axis=none, dtype=none, keepdims=false, initial=none, where=none", K::known, accumulate<false>,
     "sum(x, axis): the sum over axes, all by default. Small integers and bools are summed in 32 bits."},
    {"prod", "x, axis=none, dtype=none, keepdims=false, initial=none, where=none", K::known, accumulate<true>,
     "prod(x, axis): the product over axes; of a shape it is a known size."},
    {"max", "x, axis=none, keepdims=false, initial=none, where=none", K::known, extremum_along<true>,
     "max(x, axis): the greatest element over axes; NaN when one is. maximum(a, b) compares two arrays."},
    {"amax", "x, axis=none, keepdims=false, initial=none, where=none", K::known, extremum_along<true>,
     "amax(x, axis): as max."},
    {"min", "x, axis=none, keepdims=false, initial=none, where=none", K::known, extremum_along<false>,
     "min(x, axis): the least element over axes; NaN when one is. minimum(a, b) compares two arrays."},
    {"amin", "x, axis=none, keepdims=false, initial=none, where=none", K::known, extremum_along<false>,
     "amin(x, axis): as min."},
    {"argmax", "x, axis=none, keepdims=false", K::known, position<true>,
     "argmax(x, axis): the place of the greatest element, the first of equal ones; without axis in x flattened."},
    {"argmin", "x, axis=none, keepdims=false", K::known, position<false>,
     "argmin(x, axis): the place of the least element, the first of equal ones; without axis in x flattened."},
    {"all", "x, axis=none, keepdims=false, where=none", K::known, quantified<true>,
     "all(x, axis): true when every element is true or not zero."},
    {"any", "x, axis=none, keepdims=false, where=none", K::known, quantified<false>,
     "any(x, axis): true when one element is true or not zero."},
    {"count_nonzero", "x, axis=none, keepdims=false", K::known, count_nonzero,
     "count_nonzero(x, axis): how many elements are true or not zero."},
    {"cumsum", "x, axis=none, dtype=none, reverse=false", K::known, cumulative<Op::cumsum>,
     "cumsum(x, axis): the sums of the first 1, 2, ... elements; without axis of x flattened."},
    {"cumprod", "x, axis=none, dtype=none, reverse=false", K::known, cumulative<Op::cumprod>,
     "cumprod(x, axis): the products of the first 1, 2, ... elements; without axis of x flattened."},
    {"cummax", "x, axis=0, reverse=false", K::known, cumulative<Op::cummax>,
     "cummax(x, axis): the greatest of the first 1, 2, ... elements."},
    {"cummin", "x, axis=0, reverse=false", K::known, cumulative<Op::cummin>,
     "cummin(x, axis): the least of the first 1, 2, ... elements."},
};

} // namespace

std::span<const Native> reductions() { return reductions_natives; }

} // namespace pm::stage::library
