// Creation of arrays.
#include "compiler/stage/known/arrays.hpp"
#include "compiler/stage/library/library.hpp"

#include "compiler/base/check.hpp"
#include "compiler/ops/core/combinators.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/known/numpy_names.hpp"
#include "compiler/stage/known/operands.hpp"
#include "compiler/stage/library/numbers.hpp"
#include "compiler/stage/values/promotion.hpp"
#include "compiler/stage/values/tree.hpp"

#include <cmath>

namespace pm::stage::library {
namespace {

DType dtype_or(Stager&, const Value& v, DType otherwise, Span span) {
    if (v.is_none()) return otherwise;
    if (!v.dtype()) {
        auto d = diagnose(Diag::wrong_kind, span, "`dtype`", "a dtype", describe(v));
        if (v.number())
            raise(std::move(d).fix("a shape of several sizes is one tuple: zeros((2, 3)), full((2, 3), x)"));
        raise(with_dtype(std::move(d), v));
    }
    return *v.dtype();
}

Value zeros(Stager& s, Arguments& a) {
    return s.wrap(s.build().constant(dtype_or(s, a[1], DType::f32, a.spans[1]), 0.0, need_shape(s, a[0], a.spans[0])));
}

Value ones(Stager& s, Arguments& a) {
    return s.wrap(s.build().constant(dtype_or(s, a[1], DType::f32, a.spans[1]), 1.0, need_shape(s, a[0], a.spans[0])));
}

Value full(Stager& s, Arguments& a) {
    const Value& v = need_array(a[1], a.spans[1], "`full`");
    const DType dtype = dtype_or(s, a[2], numeric_type(v).type.dtype, a.spans[2]);
    const Shape shape = need_shape(s, a[0], a.spans[0]);
    return s.wrap(s.build().broadcast_to(s.use(v, dtype), shape));
}

Value like(Stager& s, Arguments& a, double value) {
    return map_leaves(a[0], [&](const Value& leaf) {
        const Type& t = numeric_type(leaf).type;
        const DType dtype = dtype_or(s, a[1], t.dtype, a.spans[1]);
        const Shape shape = a[2].is_none() ? t.shape : need_shape(s, a[2], a.spans[2]);
        return s.wrap(s.build().constant(dtype, value, shape), numeric_type(leaf).weak && a[1].is_none());
    });
}
Value zeros_like(Stager& s, Arguments& a) { return like(s, a, 0.0); }
Value ones_like(Stager& s, Arguments& a) { return like(s, a, 1.0); }

Value full_like(Stager& s, Arguments& a) {
    const Type t = numeric_type(need_array(a[0], a.spans[0], "`full_like`")).type;
    const Shape shape = a[3].is_none() ? t.shape : need_shape(s, a[3], a.spans[3]);
    return s.wrap(s.build().broadcast_to(
        s.use(need_array(a[1], a.spans[1], "`full_like`"), dtype_or(s, a[2], t.dtype, a.spans[2])), shape));
}

Value arange(Stager& s, Arguments& a) {
    Value first = Value::integer(0), last = a[0];
    if (!a[1].is_none()) first = a[0], last = a[1];
    const Number from = need_number(s, first, a.spans[0], "`arange`");
    const Number to = need_number(s, last, a.spans[1], "`arange`");
    const Number step = need_number(s, a[2], a.spans[2], "`arange`");
    for (const Number* n : {&from, &to, &step})
        if (n->is_complex()) raise(diagnose(Diag::wrong_kind, a.span, "`arange`", "real numbers", "a complex number"));
    const bool floats =
        from.kind == Number::Kind::floating || to.kind == Number::Kind::floating || step.kind == Number::Kind::floating;
    DType dtype = floats ? DType::f32 : DType::i32;
    for (const Number* n : {&from, &to, &step})
        if (n->dtype) dtype = promote(dtype, true, *n->dtype, false).dtype;
    dtype = dtype_or(s, a[3], dtype, a.spans[3]);
    if (step.as_f64() == 0) raise(diagnose(Diag::bad_index, a.spans[2], "the step of `arange` is zero"));
    const double count = std::ceil((to.as_f64() - from.as_f64()) / step.as_f64());
    if (!std::isfinite(count))
        raise(diagnose(Diag::wrong_kind, a.span, "`arange`", "finite bounds", "one that is not"));
    if (count >= 1e12)
        raise(diagnose(Diag::out_of_memory, a.span,
                       fmt::format("the {:.0f} elements of `arange` have no place in memory", count)));
    const Shape shape{count > 0 ? static_cast<std::int64_t>(count) : 0};
    auto& b = s.build();
    ir::Value v = b.iota(shape, 0, dtype);
    if (!(step.kind != Number::Kind::floating && step.i == 1)) v = b.mul(v, b.broadcast_to(s.use(a[2], dtype), shape));
    if (from.as_f64() != 0) v = b.add(v, b.broadcast_to(s.use(first, dtype), shape));
    return s.wrap(v);
}

Value linspace(Stager& s, Arguments& a) {
    const std::int64_t n = need_integer(s, a[2], a.spans[2], "`num`");
    if (n < 0) raise(diagnose(Diag::negative_size, a.spans[2], n));
    const bool endpoint = need_bool(s, a[3], a.spans[3], "endpoint");
    DType dtype = promoted_type({a[0], a[1]}, a.span).dtype;
    if (!runtime::is_inexact(dtype)) dtype = DType::f32;
    const DType wanted = dtype_or(s, a[5], dtype, a.spans[5]);
    if (runtime::is_inexact(wanted)) dtype = wanted;
    auto& b = s.build();
    const auto joined = ops::broadcast_shapes(numeric_type(a[0]).type.shape, numeric_type(a[1]).type.shape);
    if (!joined) raise(no_broadcast(a.span, numeric_type(a[0]).type.shape, numeric_type(a[1]).type.shape));
    Shape shape = *joined;
    shape.insert(shape.begin(), n);
    const ir::Value first = b.broadcast_to(s.use(a[0], dtype), shape);
    const ir::Value last = b.broadcast_to(s.use(a[1], dtype), shape);
    const std::int64_t parts = std::max<std::int64_t>(1, endpoint ? n - 1 : n);
    // As in JAX, each value is a weighted sum of the first and the last value, so these two are exact.
    const ir::Value t = b.div(b.iota(shape, 0, dtype), b.constant(dtype, static_cast<double>(parts), shape));
    ir::Value mixed = b.add(b.mul(first, b.sub(b.like(t, 1), t)), b.mul(last, t));
    if (endpoint && n > 1)
        mixed = b.select(b.compare(ir::Op::equal, b.iota(shape, 0, DType::i32), b.constant_i(DType::i32, n - 1, shape)),
                         last, mixed);
    // Integer results are rounded down.
    if (wanted != dtype) mixed = b.convert(b.unary(ir::Op::floor, mixed), wanted);
    Value all = s.wrap(b.move_axis(mixed, 0, axis_of(s, a[6], b.type(mixed), a.spans[6])));
    if (!need_bool(s, a[4], a.spans[4], "retstep")) return all;
    const ir::Value span =
        b.sub(b.broadcast_to(s.use(a[1], dtype), *joined), b.broadcast_to(s.use(a[0], dtype), *joined));
    return Value::tuple({all, s.wrap(b.div(span, b.constant(dtype, static_cast<double>(parts), *joined)))});
}

Value eye(Stager& s, Arguments& a) {
    const std::int64_t n = need_integer(s, a[0], a.spans[0], "`eye`");
    const std::int64_t m = a[1].is_none() ? n : need_integer(s, a[1], a.spans[1], "`eye`");
    const std::int64_t k = need_integer(s, a[2], a.spans[2], "`k`");
    auto& b = s.build();
    const Type made{dtype_or(s, a[3], DType::f32, a.spans[3]), {n, m}};
    ops::require_shape(made);
    const Diagonal on = diagonal_places(b, made.shape, k);
    return s.wrap(b.convert(b.compare(ir::Op::equal, on.rows, on.columns), made.dtype));
}

Value array(Stager& s, Arguments& a) {
    std::optional<DType> wanted;
    if (!a[1].is_none()) wanted = dtype_or(s, a[1], DType::f32, a.spans[1]);
    const Value made = as_array(s, a[0], a.span, wanted);
    const Type type = numeric_type(need_array(made, a.span, "`array`")).type;
    const DType dtype = wanted.value_or(type.dtype);
    if (made.array() && dtype == type.dtype && s.context()->kind() == Context::Kind::eager) return *made.array();
    return s.wrap(s.use(made, dtype));
}

Value indices_of(Stager& s, Arguments& a) { // the function broadcasted_iota
    const DType dtype = dtype_or(s, a[0], DType::i32, a.spans[0]);
    const Shape shape = need_shape(s, a[1], a.spans[1]);
    return s.wrap(s.build().iota(shape, axis_of(s, a[2], Type{dtype, shape}, a.spans[2]), dtype));
}

using K = Native::Kind;
constexpr Native creation_natives[] = {
    {"zeros", "shape, dtype=f32", K::array, zeros,
     "zeros(shape, dtype=f32): an array of zeros; shape is a size or a tuple of known sizes."},
    {"ones", "shape, dtype=f32", K::array, ones,
     "ones(shape, dtype=f32): an array of ones; shape is a size or a tuple of known sizes."},
    {"full", "shape, value, dtype=none", K::array, full,
     "full(shape, value): an array of one value, which may be an array that broadcasts to shape; of its dtype when "
     "none is given."},
    {"zeros_like", "x, dtype=none, shape=none", K::array, zeros_like,
     "zeros_like(x): zeros of x's shapes and dtypes, where none is given; x may be a tree."},
    {"ones_like", "x, dtype=none, shape=none", K::array, ones_like,
     "ones_like(x): ones of x's shapes and dtypes, where none is given; x may be a tree."},
    {"full_like", "x, value, dtype=none, shape=none", K::array, full_like,
     "full_like(x, value): value in x's shape and dtype, where none is given."},
    {"arange", "start, stop=none, step=1, dtype=none", K::array, arange,
     "arange(n), arange(a, b, step): evenly spaced values up to but not b. i32, or f32 when a float is given."},
    {"linspace", "start, stop, num=50, endpoint=true, retstep=false, dtype=none, axis=0", K::array, linspace,
     "linspace(a, b, n): n evenly spaced floats from a to b, along a new axis where these are arrays; with retstep "
     "(them, their distance)."},
    {"eye", "N, M=none, k=0, dtype=f32", K::array, eye,
     "eye(N, M): ones on the k-th diagonal, else zeros, f32[N, M] (M: N); k counts upwards from the main diagonal."},
    {"array", "x, dtype=none", K::array, array, "array(x): nested tuples or numbers as an array.",
     Native::reads_literals},
    {"broadcasted_iota", "dtype, shape, dimension", K::array, indices_of,
     "broadcasted_iota(dtype, shape, axis): each element's index along axis."},
};

} // namespace

std::span<const Native> creation() { return creation_natives; }

} // namespace pm::stage::library
