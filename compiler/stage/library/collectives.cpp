// The natives for collectives. They resolve the names of axes, and emit operations over these axes.
#include "compiler/stage/known/arrays.hpp"
#include "compiler/stage/library/axis_groups.hpp"

#include "compiler/base/check.hpp"
#include "compiler/ops/core/display_name.hpp"
#include "compiler/ops/core/rules.hpp"
#include "compiler/ops/shape/slices.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/known/signature.hpp"
#include "compiler/stage/values/tree.hpp"

#include <fmt/format.h>

namespace pm::stage {

namespace {

/// Finds the string that is the value of an expression in a module, without evaluating the expression. The expression
/// may be a string literal, or a name or a tuple element that a `let` defines as a string literal.
class WrittenText {
  public:
    explicit WrittenText(const syntax::Module& module) : module_(module) {}

    std::optional<std::string> of(syntax::ExprId id) const {
        const syntax::Expr* e = resolved(id);
        const auto* text = e ? std::get_if<syntax::StringLiteral>(&e->node) : nullptr;
        if (!text || text->pieces.size() != 1 || text->pieces[0].value) return {};
        return text->pieces[0].text;
    }

  private:
    static constexpr int most_steps = 20; ///< bounds the recursion, because a `let` may define a name by the same name

    const syntax::Expr* resolved(syntax::ExprId id, int steps = 0) const {
        const syntax::Expr& e = module_[id];
        if (steps == most_steps) return nullptr;
        if (const auto* name = std::get_if<syntax::NameRef>(&e.node)) return bound(name->text, e.span, steps + 1);
        const auto* part = std::get_if<syntax::TupleIndex>(&e.node);
        return part ? element(resolved(part->object, steps + 1), part->index, steps + 1) : &e;
    }

    const syntax::Expr* element(const syntax::Expr* of, std::uint64_t index, int steps) const {
        const auto* tuple = of ? std::get_if<syntax::Tuple>(&of->node) : nullptr;
        if (!tuple || index >= tuple->items.size()) return nullptr;
        for (std::uint64_t i = 0; i <= index; ++i)
            if (tuple->items[i].spread) return nullptr;
        return resolved(tuple->items[index].value, steps);
    }

    /// The expression that the last `let` of `name` before `use` assigns. Null if no such `let` exists, or if the
    /// expression cannot be resolved.
    const syntax::Expr* bound(const std::string& name, Span use, int steps) const {
        const syntax::Let* last = nullptr;
        Span at;
        std::optional<std::uint64_t> place; // index of the name in a tuple pattern
        module_.each<syntax::Stmt>([&](const syntax::Stmt& s) {
            const auto* let = std::get_if<syntax::Let>(&s.node);
            if (!let || let->mut || (last && s.span.begin < at.begin) || !seen_from(s.span, use)) return;
            const auto is = [&](syntax::PatternId id) {
                const auto* n = std::get_if<syntax::NamePattern>(&module_[id].node);
                return n && n->text == name;
            };
            std::optional<std::uint64_t> found;
            if (const auto* tuple = std::get_if<syntax::TuplePattern>(&module_[let->pattern].node))
                for (std::uint64_t i = 0; i < tuple->elements.size() && !tuple->elements[i].rest; ++i)
                    if (is(tuple->elements[i].pattern)) found = i;
            if (!found && !is(let->pattern)) return;
            last = let;
            at = s.span;
            place = found;
        });
        if (!last) return nullptr;
        const syntax::Expr* value = resolved(last->value, steps);
        return place ? element(value, *place, steps) : value;
    }

    /// Whether `statement` precedes `use`, the use of a name, and all blocks that contain the statement also contain
    /// the use.
    bool seen_from(Span statement, Span use) const {
        const auto within = [](Span block, Span part) { return block.begin <= part.begin && part.end <= block.end; };
        bool seen = statement.begin < use.begin;
        module_.each<syntax::Block>(
            [&](const syntax::Block& b) { seen = seen && (!within(b.span, statement) || within(b.span, use)); });
        return seen;
    }

    const syntax::Module& module_;
};

/// The argument `axis_name` of a call of pmap or vmap. It may be passed by name or by position. Empty if the call has
/// no such argument, and for other expressions.
syntax::ExprId axis_name_of(const syntax::Expr& e) {
    const auto* call = std::get_if<syntax::TransformCall>(&e.node);
    const auto* method = std::get_if<syntax::MethodCall>(&e.node); // f.pmap("i")
    const std::string_view caller = call ? syntax::name(call->kind) : method ? method->name.text : std::string_view();
    if (caller != "pmap" && caller != "vmap") return {};
    const auto& parameters = signature_of(*native_named(caller)).parameters;
    const std::vector<syntax::Argument>& arguments = call ? call->arguments : method->arguments;
    std::size_t at = call ? 0 : 1;
    for (const syntax::Argument& a : arguments) {
        if (a.spread) return {};
        if (a.named() ? a.name.text == "axis_name" : at < parameters.size() && parameters[at].name == "axis_name")
            return a.value;
        ++at;
    }
    return {};
}

/// The position of the first pmap or vmap in a module that gives an axis the name `name`. Empty if no pmap or vmap
/// does.
Span where_named(const syntax::Module& module, const std::string& name) {
    Span found;
    module.each<syntax::Expr>([&](const syntax::Expr& e) {
        const syntax::ExprId given = axis_name_of(e);
        if (given && WrittenText(module).of(given) == name && (!found || e.span.begin < found.begin)) found = e.span;
    });
    return found;
}

/// Completes the error that no pmap or vmap around a collective has an axis with this name. Labels the outermost call.
/// If the module has a pmap or vmap that names such an axis, labels it too, because it does not contain the outermost
/// call.
void show_outside(Stager& s, const std::string& name, Diagnostic& d) {
    const auto in_library = [&](Span at) { return at && s.places().in_library(at); };
    const Frame* outermost = nullptr;
    for (const Frame* f = &s.frame(); f; f = f->caller)
        if (f->call && !in_library(f->call)) outermost = f;
    if (!outermost) return;
    d.label(outermost->call, "this call is outside of every pmap and vmap");
    for (const Frame* f = &s.frame(); f; f = f->caller) {
        if (in_library(f->function ? f->function->signature : Span{})) continue;
        const Span named = where_named(*f->module, name);
        if (!named) continue;
        d.label(named, "names the axis, for what it calls");
        return;
    }
}

Diagnostic unbound_axis(Stager& s, const std::string& name, Span span, std::string_view collective) {
    auto d = diagnose(Diag::unbound_axis, span, collective, name).under("no pmap or vmap around names this axis");
    for (const NamedAxis& a : s.around().axes) {
        d.notes.push_back(fmt::format("in scope here: axis {} (size {}) of `{}`",
                                      a.name.empty() ? "without a name" : "`" + a.name + "`", a.size, a.kind));
        if (!a.name.empty())
            d.help.push_back(fmt::format("use the axis that is in scope: {}({}\"{}\")", collective,
                                         collective.starts_with("axis_") ? "" : "..., ", a.name));
        d.label(a.span, fmt::format("this is the `{}`", a.kind));
    }
    if (s.around().axes.empty()) {
        d.notes.push_back("no axis is in scope: the function is not called under pmap or vmap with an axis_name");
        show_outside(s, name, d);
    }
    d.help.push_back(fmt::format("name the axis: pmap(..., axis_name=\"{}\")", name));
    return d;
}

std::vector<const NamedAxis*> need_named_axes(Stager& s, const Value& names, Span span, std::string_view collective) {
    std::vector<Value> list{names};
    if (names.tuple()) list = names.tuple()->items;
    std::vector<const NamedAxis*> found;
    for (const Value& v : list) {
        const std::string& name = need_text(s, v, span, "the name of an axis");
        const NamedAxis* axis = nullptr;
        for (const NamedAxis& a : s.around().axes)
            if (a.name == name) axis = &a; // the last axis with this name is the innermost
        if (!axis) raise(unbound_axis(s, name, span, collective));
        for (const NamedAxis* other : found)
            if (other == axis)
                raise(diagnose(Diag::bad_axes, span, "the axis", collective, name, "it is named twice")
                          .fix("name every axis once"));
        found.push_back(axis);
    }
    return found;
}

} // namespace

namespace library {
namespace {

using ir::Attr;
using ir::Op;

Named named_axes(Stager& s, const Value& names, Span span, std::string_view collective) {
    Named n;
    for (const NamedAxis* a : need_named_axes(s, names, span, collective)) {
        n.ids.push_back(a->id);
        n.sizes.push_back(a->size);
        n.size *= a->size;
    }
    return n;
}

/// The axes that named_axes returns, for a collective that needs at least one axis. Raises if no axis is given.
Named some_axes(Stager& s, const Value& names, Span span, std::string_view collective) {
    Named n = named_axes(s, names, span, collective);
    if (n.ids.empty()) raise(diagnose(Diag::bad_axes, span, "the axis", collective, "()", "it needs at least one"));
    return n;
}

using VisitPart = std::function<void(const Value& part, const std::string& path)>;

/// Calls `visit` for each value in a tree that is neither a tuple nor a record. Passes the value and its path.
void visit_parts(const Value& v, const std::string& path, const VisitPart& visit) {
    if (const Tuple* t = v.tuple())
        for (std::size_t i = 0; i < t->items.size(); ++i)
            visit_parts(t->items[i], fmt::format("{}.{}", path, i), visit);
    else if (const Record* r = v.record())
        for (const auto& [field, value] : r->fields) visit_parts(value, path + step_text(field), visit);
    else
        visit(v, path);
}

/// The kinds of leaves that a collective accepts. A collective that computes with the leaves needs numbers. A
/// collective that only moves the leaves also accepts random keys.
enum class Leaves { numbers, numbers_and_keys };

/// Raises if a tree cannot be the argument of a collective. The leaves of the tree are numbers and arrays. A collective
/// does not change other values in the tree. A tree without leaves is an error, except for `none` and empty trees.
void need_leaves(const Value& tree, Leaves taken, Span span, std::string_view name) {
    const auto refusal = [&](std::string_view needed, const std::string& got, const std::string& path) {
        return diagnose(Diag::wrong_kind, span, fmt::format("`{}`", name), needed,
                        path.empty() ? got : fmt::format("{} at `{}`", got, path));
    };
    bool found = false;
    std::optional<Diagnostic> other;
    visit_parts(tree, "", [&](const Value& part, const std::string& path) {
        if (taken == Leaves::numbers && part.is_numeric() && numeric_type(part).type.dtype == DType::key)
            raise(refusal("numbers", "random keys", path));
        found = found || part.is_numeric();
        if (part.is_numeric() || other || part.is_none()) return;
        other = refusal("a number or an array", describe(part), path);
    });
    if (!found && other) raise(std::move(*other));
}

/// Applies the collective `f` to each leaf of the tree `a[0]`.
Value per_leaf(Arguments& a, std::string_view name, Leaves taken, const std::function<Value(const Value&)>& f) {
    need_leaves(a[0], taken, a.spans[0], name);
    return map_leaves(a[0], f);
}

/// The axes that a collective runs over, and the groups of the collective. `groups` is null if the collective has no
/// groups.
struct Over {
    const Named& axes;
    const AxisGroups* groups;
};

/// The groups of a collective.
struct Groups {
    std::size_t argument; ///< the index of the argument with the groups
    /// True if the shape of the result depends on the number of devices. The collective then needs an axis, and all
    /// groups must have the same size.
    bool equal = false;
};

/// Applies the collective `f` to each leaf of `a[0]`. Passes to `f` the axes that `a[1]` names, and the groups.
Value per_leaf(Stager& s, Arguments& a, std::string_view name, Leaves taken, Groups in,
               const std::function<Value(const Value&, const Over&)>& f) {
    const auto [groups, equal] = in;
    const Named axes = equal ? some_axes(s, a[1], a.spans[1], name) : named_axes(s, a[1], a.spans[1], name);
    std::optional<AxisGroups> read;
    if (!a[groups].is_none()) read.emplace(s, a[groups], a.spans[groups], name, axes, equal);
    return per_leaf(a, name, taken, [&](const Value& leaf) { return f(leaf, {axes, read ? &*read : nullptr}); });
}

Value emit(Stager& s, Op op, const Value& x, const Named& axes, ir::Attrs attrs = {}) {
    attrs.set(Attr::axes, axes.ids);
    if (axes.ids.size() > 1) attrs.set(Attr::sizes, axes.sizes);
    attrs.set(Attr::axis_size, axes.size);
    return s.wrap(s.build().emit1(op, {s.use(x)}, attrs), numeric_type(x).weak);
}

/// The reduction of `x` over all devices, or over the devices of a group. A single group contains all devices. Without
/// an axis the result is `x`.
Value reduce(Stager& s, Op op, Op along_axis, const Value& x, const Over& over, const ir::Attrs& attrs = {}) {
    if (over.axes.ids.empty()) return x;
    if (!over.groups || over.groups->one()) return emit(s, op, x, over.axes, attrs);
    return s.wrap(over.groups->reduced(s.build(), along_axis, s.use(x)), numeric_type(x).weak);
}

/// The number of devices over which a sum runs. If all devices have the same number, the result is a known number.
Value count_of(Stager& s, const Over& over) {
    if (!over.groups) return Value::integer(over.axes.size);
    if (over.groups->equal()) return Value::integer(over.groups->size());
    return s.wrap(over.groups->size_here(s.build()), true);
}

/// The sum of `x` over devices. `attrs` may contain the name of the function that the program calls, such as pmean.
Value sum_over(Stager& s, const Value& x, const Over& over, Span span, const ir::Attrs& attrs = {}) {
    // A known number is equal on all devices, so its sum is the product of the number and the number of devices. For
    // example, psum(1, axis) is the size of the axis.
    if (const Number* n = x.number()) {
        const Value size = count_of(s, over);
        if (n->dtype != DType::f16 && n->dtype != DType::bf16)
            return binary(s, syntax::BinaryOp::multiply, x, size, span);
        Number exact = *n; // for f16 and bf16, the result is rounded, but not the number of devices
        exact.dtype.reset();
        return cast(s, binary(s, syntax::BinaryOp::multiply, exact, size, span), *n->dtype, span);
    }
    const Value counted = numeric_type(x).type.dtype == DType::b1 ? cast(s, x, DType::i32, span) : x;
    return reduce(s, Op::psum, Op::reduce_sum, counted, over, attrs);
}

Value psum(Stager& s, Arguments& a) {
    return per_leaf(s, a, "psum", Leaves::numbers, {2},
                    [&](const Value& x, const Over& over) { return sum_over(s, x, over, a.span); });
}

Value pmean(Stager& s, Arguments& a) {
    return per_leaf(s, a, "pmean", Leaves::numbers, {2}, [&](const Value& x, const Over& over) {
        if (x.number()) return binary(s, syntax::BinaryOp::divide, x, Value::integer(1), a.span);
        return binary(s, syntax::BinaryOp::divide, sum_over(s, x, over, a.span, {{Attr::text, std::string("pmean")}}),
                      count_of(s, over), a.span);
    });
}

template <Op op, Op along_axis>
Value device_extreme(Stager& s, Arguments& a) {
    return per_leaf(s, a, ops::display_name(op), Leaves::numbers, {2}, [&](const Value& x, const Over& over) {
        return x.number() ? x : reduce(s, op, along_axis, x, over);
    });
}

/// Applies the type rule of the collective `op` to the type `x`, with the size of a group as the size of the axis. The
/// rule raises if `x` does not fit.
void check_within(const AxisGroups& groups, Op op, const Type& x, ir::Attrs attrs) {
    attrs.set(Attr::axis_size, groups.size());
    ops::result_types(ir::Inst{op, {}, {}, std::move(attrs), {}, {}}, {x});
}

Value all_gather(Stager& s, Arguments& a) {
    return per_leaf(s, a, "all_gather", Leaves::numbers_and_keys, {4, true}, [&](const Value& x, const Over& over) {
        const bool tiled = need_bool(s, a[3], a.spans[3], "tiled");
        const int rank = numeric_type(x).type.rank() + (tiled ? 0 : 1);
        const std::int64_t axis = need_axis(s, a[2], rank, a.spans[2]);
        if (!over.groups)
            return emit(s, Op::all_gather, x, over.axes,
                        {{Attr::axis, axis}, {Attr::tiled, std::int64_t{tiled ? 1 : 0}}});
        auto& b = s.build();
        return s.wrap(ops::with_slices_back(b, over.groups->gathered(b, s.use(x)), axis, tiled), numeric_type(x).weak);
    });
}

Value psum_scatter(Stager& s, Arguments& a) {
    return per_leaf(s, a, "psum_scatter", Leaves::numbers, {4, true}, [&](const Value& x, const Over& over) {
        const bool tiled = need_bool(s, a[3], a.spans[3], "tiled");
        const Type type = numeric_type(x).type;
        const std::int64_t axis = axis_of(s, a[2], type, a.spans[2]);
        const ir::Attrs attrs{{Attr::axis, axis}, {Attr::tiled, std::int64_t{tiled ? 1 : 0}}};
        if (!over.groups) return emit(s, Op::psum_scatter, x, over.axes, attrs);
        check_within(*over.groups, Op::psum_scatter, type, attrs);
        auto& b = s.build();
        const ir::Value parts = ops::with_slices_first(b, s.use(x), axis, over.groups->size(), tiled);
        return s.wrap(b.sum(over.groups->received(b, parts), {0}), numeric_type(x).weak);
    });
}

/// The pairs (source, destination) of ppermute, as a list of alternating sources and destinations.
ir::Integers read_pairs(Stager& s, const Value& perm, Span span) {
    const auto refused = [&](const std::string& what) {
        return diagnose(Diag::wrong_kind, span, "`perm`", "a tuple of pairs (from, to)", what);
    };
    if (!perm.tuple())
        raise(
            refused(describe(perm)).fix("write pairs in round brackets, ((0, 1), (1, 0)): square ones make an array"));
    ir::Integers pairs;
    for (const Value& pair : perm.tuple()->items) {
        // `[(i, i + 1) for i in 0..3]` is a tuple of two arrays and not a tuple of pairs.
        if (pair.is_numeric() && numeric_type(pair).type.rank() > 0)
            raise(refused(tree_text(perm))
                      .fix("a comprehension in round brackets gives pairs: ((i, i + 1) for i in tuple(0..3))"));
        if (pair.is_numeric()) raise(refused(describe(pair)).fix("one pair alone is ((0, 1),)"));
        if (!pair.tuple() || pair.tuple()->items.size() != 2) raise(refused(describe(pair)));
        for (const Value& end : pair.tuple()->items) pairs.push_back(need_integer(s, end, span, "perm"));
    }
    return pairs;
}

Value ppermute(Stager& s, Arguments& a) {
    const ir::Integers pairs = read_pairs(s, a[2], a.spans[2]);
    const Named axes = some_axes(s, a[1], a.spans[1], "ppermute");
    return per_leaf(a, "ppermute", Leaves::numbers_and_keys,
                    [&](const Value& x) { return emit(s, Op::ppermute, x, axes, {{Attr::pairs, pairs}}); });
}

Value all_to_all(Stager& s, Arguments& a) {
    return per_leaf(s, a, "all_to_all", Leaves::numbers_and_keys, {5, true}, [&](const Value& x, const Over& over) {
        const bool tiled = need_bool(s, a[4], a.spans[4], "tiled");
        const Type type = numeric_type(x).type;
        const std::int64_t split = axis_of(s, a[2], type, a.spans[2]);
        const std::int64_t concat = axis_of(s, a[3], type, a.spans[3]);
        const ir::Attrs attrs{
            {Attr::split_axis, split}, {Attr::concat_axis, concat}, {Attr::tiled, std::int64_t{tiled ? 1 : 0}}};
        if (!over.groups) return emit(s, Op::all_to_all, x, over.axes, attrs);
        check_within(*over.groups, Op::all_to_all, type, attrs);
        auto& b = s.build();
        const ir::Value parts = ops::with_slices_first(b, s.use(x), split, over.groups->size(), tiled);
        return s.wrap(ops::with_slices_back(b, over.groups->received(b, parts), concat, tiled), numeric_type(x).weak);
    });
}

/// The function axis_index. For several axes, it returns the number of the device in row-major order.
Value axis_index(Stager& s, Arguments& a) {
    return s.wrap(place_along(s.build(), some_axes(s, a[0], a.spans[0], "axis_index")));
}

Value axis_size(Stager& s, Arguments& a) { return Value::integer(named_axes(s, a[0], a.spans[0], "axis_size").size); }

using K = Native::Kind;
constexpr Native collectives_natives[] = {
    {"psum", "x, axis_name, axis_index_groups=none", K::array, psum,
     "psum(x, axis): the sum over every device of the axis, on each of them. Trees and tuples of axes are taken. A "
     "known number times the size of the axis is known. axis_index_groups, such as ((0, 1), (2, 3)), has every place "
     "of the axis once: each group has a sum of its own."},
    {"pmean", "x, axis_name, axis_index_groups=none", K::array, pmean,
     "pmean(x, axis): the mean over every device of the axis, or of its group, on each of them."},
    {"pmax", "x, axis_name, axis_index_groups=none", K::array, device_extreme<Op::pmax, Op::reduce_max>,
     "pmax(x, axis): the greatest over every device of the axis, or of its group."},
    {"pmin", "x, axis_name, axis_index_groups=none", K::array, device_extreme<Op::pmin, Op::reduce_min>,
     "pmin(x, axis): the least over every device of the axis, or of its group."},
    {"all_gather", "x, axis_name, axis=0, tiled=false, axis_index_groups=none", K::array, all_gather,
     "all_gather(x, axis_name): the values of every device, stacked along a new axis (tiled: concatenated). With "
     "axis_index_groups those of the group, in its order."},
    {"psum_scatter", "x, axis_name, scatter_dimension=0, tiled=false, axis_index_groups=none", K::array, psum_scatter,
     "psum_scatter(x, axis_name): each device's part of psum(x). With axis_index_groups there is a part for each place "
     "of a group."},
    {"ppermute", "x, axis_name, perm", K::array, ppermute,
     "ppermute(x, axis_name, ((from, to), ...)): device `to` gets the value of `from`; devices without one get zeros."},
    {"all_to_all", "x, axis_name, split_axis, concat_axis, tiled=false, axis_index_groups=none", K::array, all_to_all,
     "all_to_all: device i's part j goes to device j as part i. With axis_index_groups within each group, i and j "
     "being "
     "places in it."},
    {"axis_index", "axis_name", K::array, axis_index, "axis_index(axis): the device's place along the axis, i32."},
    {"axis_size", "axis_name", K::known, axis_size,
     "axis_size(axis): the number of devices along the axis, known while compiling."},
};

} // namespace

std::span<const Native> collectives() { return collectives_natives; }

} // namespace library
} // namespace pm::stage
