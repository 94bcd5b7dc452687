// The natives for transformations: grad, vmap, pmap, jvp, vjp ...
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/library/library.hpp"

#include "compiler/base/check.hpp"
#include "compiler/stage/call/transform_trace.hpp"
#include "compiler/stage/transform/derivatives.hpp"
#include "compiler/stage/transform/transforms.hpp"
#include "compiler/stage/values/tree.hpp"

#include <fmt/format.h>

namespace pm::stage::library {
namespace {

using ir::Attr;
using ir::Op;

template <Transformation kind>
Value make_gradient(Stager& s, Arguments& a) {
    return transform_value(s, kind, a, {"f", "argnums", "has_aux", "holomorphic", "allow_int"});
}
template <Transformation kind>
Value make_custom(Stager& s, Arguments& a) {
    return custom_value(s, kind, a);
}
Value make_jit(Stager& s, Arguments& a) { return transform_value(s, Transformation::jit, a, {"f"}); }

/// Whether a captured leaf can have a tangent: it is a float or complex value that is not a known number.
bool can_change(const Value& leaf) { return !leaf.number() && runtime::is_inexact(numeric_type(leaf).type.dtype); }
Value captured(Stager&, Arguments& a) {
    std::vector<Value> found;
    for (const Value& leaf : all_leaves(a[0]))
        if (can_change(leaf)) found.push_back(leaf);
    return Value::tuple(std::move(found));
}
Value with_captured(Stager&, Arguments& a) {
    std::vector<Value> all = all_leaves(a[0]);
    std::size_t next = 0;
    for (Value& leaf : all)
        if (can_change(leaf)) leaf = a[1].tuple()->items.at(next++);
    next = 0;
    return replace_leaves(a[0], all, next);
}
Value make_vmap(Stager& s, Arguments& a) {
    return transform_value(s, Transformation::vmap, a, {"f", "in_axes", "out_axes", "axis_name", "axis_size"});
}
Value make_pmap(Stager& s, Arguments& a) {
    return transform_value(s, Transformation::pmap, a,
                           {"f", "axis_name", "in_axes", "out_axes", "axis_size", "devices", "tiled", "uneven",
                            "static_broadcasted_argnums", "donate_argnums"});
}

/// Runs `work`, which computes a derivative. Errors that are raised in the differentiated function get the note
/// "through `kind(f)`".
Value derivative(Stager& s, const Arguments& a, std::string_view kind, const std::function<Value()>& work) {
    const auto chain = [&] { return fmt::format("{}({})", kind, chain_text(s, a[0])); };
    return through(s, a[0], chain, a.spans, a.span, work);
}

template <bool reverse>
Value split_derivative(Stager& s, Arguments& a) {
    const bool has_aux = need_bool(s, a[2], a.spans[2], "has_aux");
    return derivative(s, a, reverse ? "vjp" : "linearize",
                      [&] { return stage::split_derivative(s, a[0], a[1].tuple()->items, reverse, has_aux, a.span); });
}
Value jvp(Stager& s, Arguments& a) {
    for (const int i : {1, 2})
        if (!a[static_cast<std::size_t>(i)].tuple())
            raise(diagnose(Diag::wrong_kind, a.spans[static_cast<std::size_t>(i)], "`jvp`",
                           "tuples of primals and of tangents", describe(a[static_cast<std::size_t>(i)]))
                      .fix("jvp(f, (x,), (dx,))"));
    const bool has_aux = need_bool(s, a[3], a.spans[3], "has_aux");
    return derivative(s, a, "jvp", [&] {
        return forward_derivative(s, a[0], a[1].tuple()->items, a[2].tuple()->items, has_aux, a.span);
    });
}

Value stop_gradient(Stager& s, Arguments& a) {
    return map_leaves(a[0], [&](const Value& leaf) {
        if (leaf.number() || !runtime::is_inexact(numeric_type(leaf).type.dtype)) return leaf;
        return s.wrap(s.build().unary(Op::stop_gradient, s.use(leaf)), numeric_type(leaf).weak);
    });
}

Value checkpoint_name(Stager& s, Arguments& a) {
    const std::string& name = need_text(s, a[1], a.spans[1], "`checkpoint_name`");
    if (name.find('\n') != std::string::npos)
        raise(diagnose(Diag::wrong_kind, a.spans[1], "`checkpoint_name`", "a name of one line", quoted_text(name)));
    return map_leaves(a[0], [&](const Value& leaf) {
        if (leaf.number()) return leaf;
        return s.wrap(s.build().emit1(Op::barrier, {s.use(leaf)}, {{Attr::text, name}}), numeric_type(leaf).weak);
    });
}

using K = Native::Kind;
constexpr Native transformations_natives[] = {
    {"grad", "f, argnums=0, has_aux=false, holomorphic=false, allow_int=false", K::known,
     make_gradient<Transformation::grad>,
     "grad(f): the derivative of f, which returns one number, with respect to argument `argnums` (an int or a tuple). "
     "With has_aux f returns (loss, aux) and the result is (gradient, aux). With allow_int an integer has `none`. By a "
     "complex argument x + iy it is df/dx - "
     "i "
     "df/dy; with holomorphic f and its arguments are complex and it is the complex derivative."},
    {"value_and_grad", "f, argnums=0, has_aux=false, holomorphic=false, allow_int=false", K::known,
     make_gradient<Transformation::value_and_grad>, "value_and_grad(f): as grad, but returns (value, gradient)."},
    {"jit", "f", K::known, make_jit,
     "jit(f): f. Functions are compiled for the types of their arguments with and without jit."},
    {"checkpoint", "f, policy=none, loops=false", K::known, checkpoint_value,
     "checkpoint(f): f; a derivative keeps its arguments alone and computes the rest again. policy says what else is "
     "kept: \"dots_saveable\" (matrix products), \"dots_with_no_batch_dims_saveable\", \"everything_saveable\", or a "
     "tuple of names that checkpoint_name gave. With loops=true every loop of n iterations in f keeps its state about "
     "sqrt(n) times and runs its iterations once more."},
    {"checkpoint_name", "x, name", K::array, checkpoint_name,
     "checkpoint_name(x, name): x, under a name that a policy of checkpoint can keep it by."},
    {"custom_jvp", "f, rule", K::known, make_custom<Transformation::custom_jvp>,
     "custom_jvp(f, rule): f with a derivative of its own: rule(primals, tangents) gives (f(*primals), its tangent). "
     "Both "
     "are tuples like the arguments; `none` is the tangent of what is no floating number, and stands for zeros."},
    {"_linear_call", "f, transpose", K::known, make_custom<Transformation::linear_call>,
     "_linear_call(f, transpose): f(residuals, x), linear in x, whose transpose is transpose(residuals, y), a tree as "
     "x "
     "for y as the result, in the place of that of what f does."},
    {"_captured", "f", K::known, captured,
     "_captured(f): the tuple of the arrays and computed numbers, floating or complex, that f closes over."},
    {"_with_captured", "f, values", K::known, with_captured,
     "_with_captured(f, values): f, closing over these values in the place of those that _captured(f) has."},
    {"custom_vjp", "f, fwd, bwd", K::known, make_custom<Transformation::custom_vjp>,
     "custom_vjp(f, fwd, bwd): f with a derivative of its own in reverse mode: fwd(*args) gives (f(*args), residuals), "
     "bwd(residuals, cotangent) a tuple of cotangents, one for each argument, with `none` for those that have none."},
    {"vmap", "f, in_axes=0, out_axes=0, axis_name=none, axis_size=none", K::known, make_vmap,
     "vmap(f): f over a new axis of its arguments. in_axes and out_axes are ints, none, or tree prefixes."},
    {"pmap",
     "f, axis_name=none, in_axes=0, out_axes=0, axis_size=none, devices=none, tiled=false, "
     "uneven=false, static_broadcasted_argnums=(), donate_argnums=()",
     K::known, make_pmap,
     "pmap(f): f on every device, each on its slice of the arguments along axis 0, or along in_axes: an int, none for "
     "a whole argument, or a prefix of its tree. out_axes as well: none needs equal results. axis_name is the name for "
     "collectives. tiled=true: each device gets a block of the axis. uneven=true: the number of slices need not be a "
     "multiple of the devices. devices selects some devices, axis_size is the number of slices if no argument has it. "
     "static_broadcasted_argnums are known, donate_argnums may be overwritten."},
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
};

} // namespace

std::span<const Native> transformations() { return transformations_natives; }

} // namespace pm::stage::library
