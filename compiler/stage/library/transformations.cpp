// Transformations and collectives.
#include "compiler/stage/library/library.hpp"

#include "compiler/base/check.hpp"
#include "compiler/ops/spoken.hpp"
#include "compiler/stage/known.hpp"

#include <fmt/format.h>

namespace pm::stage {

std::vector<const Stager::Axis*> Stager::need_named_axes(const Value& names, Span span, std::string_view collective) {
    std::vector<Value> list{names};
    if (names.tuple()) list = names.tuple()->items;
    std::vector<const Axis*> found;
    for (const Value& v : list) {
        const std::string& name = need_text(v, span, "the name of an axis");
        const Axis* axis = nullptr;
        for (const Axis& a : axes_)
            if (a.name == name) axis = &a; // the innermost of that name
        if (!axis) {
            auto d =
                diagnose(Diag::unbound_axis, span, collective, name).under("no pmap or vmap around names this axis");
            for (const Axis& a : axes_) {
                d.notes.push_back(fmt::format("in scope here: axis {} (size {}) of `{}`",
                                              a.name.empty() ? "without a name" : "`" + a.name + "`", a.size, a.kind));
                if (!a.name.empty())
                    d.help.push_back(fmt::format("use the axis that is in scope: {}(..., \"{}\")", collective, a.name));
                d.label(a.span, fmt::format("this is the `{}`", a.kind));
            }
            if (axes_.empty())
                d.notes.push_back(
                    "no axis is in scope: the function is not called under pmap or vmap with an axis_name");
            d.help.push_back(fmt::format("name the axis: pmap(..., axis_name=\"{}\")", name));
            raise(std::move(d));
        }
        for (const Axis* other : found)
            if (other == axis) raise(diagnose(Diag::bad_axes, span, "the axis", collective, name, "it is named twice"));
        found.push_back(axis);
    }
    return found;
}

namespace library {
namespace {

using ir::Attr;
using ir::Op;

struct Named {
    ir::Integers ids;
    std::int64_t size = 1;
};

Named named_axes(Stager& s, const Value& names, Span span, std::string_view collective) {
    Named n;
    for (const Stager::Axis* a : s.need_named_axes(names, span, collective)) {
        n.ids.push_back(a->id);
        n.size *= a->size;
    }
    return n;
}

/// Applies a collective to every leaf of a tree.
Value per_leaf(Stager& s, Arguments& a, std::string_view name,
               const std::function<Value(const Value&, const Named&)>& f) {
    const Named axes = named_axes(s, a[1], a.spans[1], name);
    for_each_leaf(a[0], [&](const Value& leaf) {
        if (numeric_type(leaf).type.dtype == DType::key)
            raise(diagnose(Diag::wrong_kind, a.spans[0], fmt::format("`{}`", name), "numbers", "random keys"));
    });
    return map_leaves(a[0], [&](const Value& leaf) { return f(leaf, axes); });
}

Value emit(Stager& s, Op op, const Value& x, const Named& axes, ir::Attrs attrs = {}) {
    attrs.set(Attr::axes, axes.ids);
    attrs.set(Attr::axis_size, axes.size);
    return s.wrap(s.build().emit1(op, {s.use(x)}, attrs), numeric_type(x).weak);
}

/// `attrs` may hold the name by which the program asks for the sum.
Value sum_over(Stager& s, const Value& x, const Named& axes, Span span, const ir::Attrs& attrs = {}) {
    // A known number is the same everywhere: psum(1, axis) is the size of the axis.
    if (const Number* n = x.number()) {
        const Value size = Value::integer(axes.size);
        if (n->dtype != DType::f16 && n->dtype != DType::bf16)
            return s.binary(syntax::BinaryOp::multiply, x, size, span);
        Number exact = *n; // a half is rounded once, and the size not at all
        exact.dtype.reset();
        return s.cast(s.binary(syntax::BinaryOp::multiply, exact, size, span), *n->dtype, span);
    }
    if (numeric_type(x).type.dtype == DType::b1) return emit(s, Op::psum, s.cast(x, DType::i32, span), axes, attrs);
    return emit(s, Op::psum, x, axes, attrs);
}

Value psum(Stager& s, Arguments& a) {
    return per_leaf(s, a, "psum", [&](const Value& x, const Named& axes) { return sum_over(s, x, axes, a.span); });
}

Value pmean(Stager& s, Arguments& a) {
    return per_leaf(s, a, "pmean", [&](const Value& x, const Named& axes) {
        if (x.number()) return s.binary(syntax::BinaryOp::divide, x, Value::integer(1), a.span);
        return s.binary(syntax::BinaryOp::divide, sum_over(s, x, axes, a.span, {{Attr::text, std::string("pmean")}}),
                        Value::integer(axes.size), a.span);
    });
}

template <Op op>
Value extreme(Stager& s, Arguments& a) {
    return per_leaf(s, a, ops::spoken(op),
                    [&](const Value& x, const Named& axes) { return x.number() ? x : emit(s, op, x, axes); });
}

Value all_gather(Stager& s, Arguments& a) {
    return per_leaf(s, a, "all_gather", [&](const Value& x, const Named& axes) {
        const bool tiled = s.need_bool(a[3], a.spans[3], "tiled");
        const int rank = numeric_type(x).type.rank() + (tiled ? 0 : 1);
        const std::int64_t axis = s.need_axis(a[2], rank, a.spans[2]);
        return emit(s, Op::all_gather, x, axes, {{Attr::axis, axis}, {Attr::tiled, std::int64_t{tiled ? 1 : 0}}});
    });
}

Value psum_scatter(Stager& s, Arguments& a) {
    return per_leaf(s, a, "psum_scatter", [&](const Value& x, const Named& axes) {
        const bool tiled = s.need_bool(a[3], a.spans[3], "tiled");
        const std::int64_t axis = axis_of(s, a[2], numeric_type(x).type, a.spans[2]);
        return emit(s, Op::psum_scatter, x, axes, {{Attr::axis, axis}, {Attr::tiled, std::int64_t{tiled ? 1 : 0}}});
    });
}

Value ppermute(Stager& s, Arguments& a) {
    ir::Integers pairs;
    if (!a[2].tuple())
        raise(diagnose(Diag::wrong_kind, a.spans[2], "`perm`", "a tuple of pairs (from, to)", describe(a[2])));
    for (const Value& pair : a[2].tuple()->items) {
        if (!pair.tuple() || pair.tuple()->items.size() != 2)
            raise(diagnose(Diag::wrong_kind, a.spans[2], "`perm`", "a tuple of pairs (from, to)", describe(pair)));
        for (const Value& end : pair.tuple()->items) pairs.push_back(s.need_integer(end, a.spans[2], "perm"));
    }
    return per_leaf(s, a, "ppermute", [&](const Value& x, const Named& axes) {
        return emit(s, Op::ppermute, x, axes, {{Attr::pairs, pairs}});
    });
}

Value all_to_all(Stager& s, Arguments& a) {
    return per_leaf(s, a, "all_to_all", [&](const Value& x, const Named& axes) {
        const bool tiled = s.need_bool(a[4], a.spans[4], "tiled");
        const Type type = numeric_type(x).type;
        return emit(s, Op::all_to_all, x, axes,
                    {{Attr::split_axis, std::int64_t{axis_of(s, a[2], type, a.spans[2])}},
                     {Attr::concat_axis, std::int64_t{axis_of(s, a[3], type, a.spans[3])}},
                     {Attr::tiled, std::int64_t{tiled ? 1 : 0}}});
    });
}

Value axis_index(Stager& s, Arguments& a) {
    // Over several axes the place in the mesh, row by row.
    Value index = Value::integer(0);
    for (const Stager::Axis* axis : s.need_named_axes(a[0], a.spans[0], "axis_index")) {
        const Value one = s.wrap(s.build().emit1(Op::axis_index, {}, {{Attr::axis_id, axis->id}}));
        const Value before = s.binary(syntax::BinaryOp::multiply, index, Value::integer(axis->size), a.span);
        index = index.number() ? one : s.binary(syntax::BinaryOp::add, before, one, a.span);
    }
    return index;
}

Value axis_size(Stager& s, Arguments& a) { return Value::integer(named_axes(s, a[0], a.spans[0], "axis_size").size); }

// ---- transformations

Value make_grad(Stager& s, Arguments& a) {
    return s.transform_value("grad", a, {"f", "argnums", "has_aux", "holomorphic", "allow_int"});
}
Value make_value_and_grad(Stager& s, Arguments& a) {
    return s.transform_value("value_and_grad", a, {"f", "argnums", "has_aux", "holomorphic", "allow_int"});
}
Value make_jit(Stager& s, Arguments& a) { return s.transform_value("jit", a, {"f"}); }
Value make_checkpoint(Stager& s, Arguments& a) { return s.checkpoint_value(a); }
Value make_custom_jvp(Stager& s, Arguments& a) { return s.custom_value("custom_jvp", a); }
Value make_custom_vjp(Stager& s, Arguments& a) { return s.custom_value("custom_vjp", a); }
Value make_vmap(Stager& s, Arguments& a) {
    return s.transform_value("vmap", a, {"f", "in_axes", "out_axes", "axis_name", "axis_size"});
}
Value make_pmap(Stager& s, Arguments& a) {
    return s.transform_value("pmap", a,
                             {"f", "axis_name", "in_axes", "out_axes", "axis_size", "devices", "tiled",
                              "static_broadcasted_argnums", "donate_argnums"});
}

template <bool reverse>
Value split_derivative(Stager& s, Arguments& a) {
    return s.split_derivative(a[0], a[1].tuple()->items, reverse, s.need_bool(a[2], a.spans[2], "has_aux"), a.span);
}
Value jvp(Stager& s, Arguments& a) {
    for (const int i : {1, 2})
        if (!a[static_cast<std::size_t>(i)].tuple())
            raise(diagnose(Diag::wrong_kind, a.spans[static_cast<std::size_t>(i)], "`jvp`",
                           "tuples of primals and of tangents", describe(a[static_cast<std::size_t>(i)]))
                      .fix("jvp(f, (x,), (dx,))"));
    return s.forward_derivative(a[0], a[1].tuple()->items, a[2].tuple()->items,
                                s.need_bool(a[3], a.spans[3], "has_aux"), a.span);
}

Value stop_gradient(Stager& s, Arguments& a) {
    return map_leaves(a[0], [&](const Value& leaf) {
        if (leaf.number() || !runtime::is_inexact(numeric_type(leaf).type.dtype)) return leaf;
        return s.wrap(s.build().unary(Op::stop_gradient, s.use(leaf)), numeric_type(leaf).weak);
    });
}

Value checkpoint_name(Stager& s, Arguments& a) {
    const std::string& name = s.need_text(a[1], a.spans[1], "`checkpoint_name`");
    if (name.find('\n') != std::string::npos)
        raise(diagnose(Diag::wrong_kind, a.spans[1], "`checkpoint_name`", "a name of one line", quoted_text(name)));
    return map_leaves(a[0], [&](const Value& leaf) {
        if (leaf.number()) return leaf;
        return s.wrap(s.build().emit1(Op::barrier, {s.use(leaf)}, {{Attr::text, name}}), numeric_type(leaf).weak);
    });
}

using K = Native::Kind;
constexpr Native list[] = {
    {"grad", "f, argnums=0, has_aux=false, holomorphic=false, allow_int=false", K::known, make_grad,
     "grad(f): the derivative of f, which returns one number, with respect to argument `argnums` (an int or a tuple). "
     "With has_aux f returns (loss, aux) and the result is (gradient, aux). With allow_int an integer has `none`. By a "
     "complex argument x + iy it is df/dx - "
     "i "
     "df/dy; with holomorphic f and its arguments are complex and it is the complex derivative."},
    {"value_and_grad", "f, argnums=0, has_aux=false, holomorphic=false, allow_int=false", K::known, make_value_and_grad,
     "value_and_grad(f): as grad, but returns (value, gradient)."},
    {"jit", "f", K::known, make_jit, "jit(f): f compiled as one program for the types of its arguments."},
    {"checkpoint", "f, policy=none, loops=false", K::known, make_checkpoint,
     "checkpoint(f): f; a derivative keeps its arguments alone and computes the rest again. policy says what else is "
     "kept: \"dots_saveable\" (matrix products), \"dots_with_no_batch_dims_saveable\", \"everything_saveable\", or a "
     "tuple of names that checkpoint_name gave. With loops=true every loop of n turns in f keeps its state about "
     "sqrt(n) times and runs its turns once more."},
    {"checkpoint_name", "x, name", K::array, checkpoint_name,
     "checkpoint_name(x, name): x, under a name that a policy of checkpoint can keep it by."},
    {"custom_jvp", "f, rule", K::known, make_custom_jvp,
     "custom_jvp(f, rule): f with a derivative of its own: rule(primals, tangents) gives (f(*primals), its tangent). "
     "Both "
     "are tuples like the arguments; `none` is the tangent of what is no floating number, and stands for zeros."},
    {"custom_vjp", "f, fwd, bwd", K::known, make_custom_vjp,
     "custom_vjp(f, fwd, bwd): f with a derivative of its own in reverse mode: fwd(*args) gives (f(*args), residuals), "
     "bwd(residuals, cotangent) a tuple of cotangents, one for each argument, with `none` for those that have none."},
    {"vmap", "f, in_axes=0, out_axes=0, axis_name=none, axis_size=none", K::known, make_vmap,
     "vmap(f): f over a new axis of its arguments. in_axes and out_axes are ints, none, or tree prefixes."},
    {"pmap",
     "f, axis_name=none, in_axes=0, out_axes=0, axis_size=none, devices=none, tiled=false, "
     "static_broadcasted_argnums=(), donate_argnums=()",
     K::known, make_pmap, "pmap(f): f on every device, each on its slice (tiled: its block) of the arguments."},
    {"vjp", "f, *primals, has_aux=false", K::known, split_derivative<true>,
     "vjp(f, x, ...): (f(x, ...), pullback); the pullback takes a cotangent like the result and gives a tuple of "
     "cotangents like the arguments, `none` for integers. With has_aux f returns (y, aux): (y, pullback, aux)."},
    {"linearize", "f, *primals, has_aux=false", K::known, split_derivative<false>,
     "linearize(f, x, ...): (f(x, ...), derivative); the derivative takes tangents like the arguments, `none` for "
     "integers. With has_aux f returns (y, aux): (y, derivative, aux)."},
    {"jvp", "f, primals, tangents, has_aux=false", K::known, jvp,
     "jvp(f, (x,), (dx,)): (f(x), derivative of f at x along dx); the tangent of an integer is `none`. With has_aux f "
     "returns (y, aux): (y, tangent, aux)."},
    {"stop_gradient", "x", K::array, stop_gradient, "stop_gradient(x): x, which derivatives take as constant."},
    {"psum", "x, axis_name", K::array, psum,
     "psum(x, axis): the sum over every device of the axis, on each of them. Trees and tuples of axes are taken. A "
     "known number times the size of the axis is known."},
    {"pmean", "x, axis_name", K::array, pmean,
     "pmean(x, axis): the mean over every device of the axis, on each of them."},
    {"pmax", "x, axis_name", K::array, extreme<Op::pmax>, "pmax(x, axis): the greatest over every device of the axis."},
    {"pmin", "x, axis_name", K::array, extreme<Op::pmin>, "pmin(x, axis): the least over every device of the axis."},
    {"all_gather", "x, axis_name, axis=0, tiled=false", K::array, all_gather,
     "all_gather(x, axis_name): the values of every device, stacked along a new axis (tiled: concatenated)."},
    {"psum_scatter", "x, axis_name, scatter_dimension=0, tiled=false", K::array, psum_scatter,
     "psum_scatter(x, axis_name): each device's part of psum(x)."},
    {"ppermute", "x, axis_name, perm", K::array, ppermute,
     "ppermute(x, axis_name, ((from, to), ...)): device `to` gets the value of `from`; devices without one get zeros."},
    {"all_to_all", "x, axis_name, split_axis, concat_axis, tiled=false", K::array, all_to_all,
     "all_to_all: device i's part j goes to device j as part i."},
    {"axis_index", "axis_name", K::array, axis_index, "axis_index(axis): the device's place along the axis, i32."},
    {"axis_size", "axis_name", K::known, axis_size,
     "axis_size(axis): the number of devices along the axis, known while compiling."},
};

} // namespace

std::span<const Native> transformations() { return list; }

} // namespace library
} // namespace pm::stage
