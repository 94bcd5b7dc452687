// Functions that change shapes: they reshape, join or cut arrays, or move axes.
#include "compiler/stage/index/indexing.hpp"
#include "compiler/stage/known/arrays.hpp"
#include "compiler/stage/library/library.hpp"

#include "compiler/base/check.hpp"
#include "compiler/base/count.hpp"
#include "compiler/stage/index/index_plan.hpp"
#include "compiler/stage/index/stacking.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/known/numpy_names.hpp"
#include "compiler/stage/known/operands.hpp"
#include "compiler/stage/known/printing.hpp"
#include "compiler/stage/values/promotion.hpp"
#include "compiler/stage/values/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace pm::stage::library {
namespace {

bool weak(const Value& v) { return numeric_type(v).weak; }
Type type(const Value& v, Span span, std::string_view what) {
    need_array(v, span, what);
    return numeric_type(v).type;
}

/// The shape that a call f(x, (2, 3)) or f(x, 2, 3) passes.
Value spread_shape(const Value& rest) {
    const auto& items = rest.tuple()->items;
    if (items.size() == 1 && items[0].tuple()) return items[0];
    return rest;
}

Value reshape(Stager& s, Arguments& a) {
    const Type t = type(a[0], a.spans[0], "`reshape`");
    const Value wanted = spread_shape(a[1]);
    Shape shape;
    std::int64_t free = -1;
    for (const Value& v : wanted.tuple()->items) {
        const std::int64_t n = need_one_of(s, v, a.spans[1], "a shape");
        if (n == -1 && free < 0) {
            free = static_cast<std::int64_t>(shape.size());
            shape.push_back(1);
            continue;
        }
        if (n == -1)
            raise(diagnose(Diag::bad_shape, a.span, printed(wanted), "-1 stands for one size only")
                      .note("`reshape` takes sizes; one of them may be -1, for what the others leave")
                      .fix("say all sizes but one"));
        if (n < 0) raise(diagnose(Diag::negative_size, a.span, n));
        shape.push_back(n);
    }
    if (free >= 0) {
        const std::int64_t others = ir::product(shape);
        if (others == 0 || t.elements() % others != 0)
            raise(diagnose(Diag::bad_shape, a.span, printed(wanted),
                           fmt::format("-1 has no value: {:element does|elements do} not divide by {}",
                                       Count{t.elements()}, others)));
        shape[static_cast<std::size_t>(free)] = t.elements() / others;
    }
    return s.wrap(s.build().reshape(s.use(a[0]), shape), weak(a[0]));
}

Value transpose(Stager& s, Arguments& a) {
    const Type t = type(a[0], a.spans[0], "`transpose`");
    ir::Integers permutation;
    if (a[1].is_none()) {
        for (int d = t.rank(); d-- > 0;) permutation.push_back(d);
    } else {
        std::vector<Value> axes = a[1].tuple() ? a[1].tuple()->items : std::vector<Value>{a[1]};
        const std::vector<Value>& more = a[2].tuple()->items;
        axes.insert(axes.end(), more.begin(), more.end());
        for (const Value& v : axes) permutation.push_back(axis_of(s, v, t, a.spans[1]));
    }
    return s.wrap(s.build().transpose(s.use(a[0]), permutation), weak(a[0]));
}

/// The error that an operand of the shape `from` does not broadcast to the shape `to`.
Diagnostic broadcast_refused(const Arguments& a, const Shape& from, const Shape& to) {
    if (!ops::broadcast_shapes(from, to)) return no_broadcast(a.span, from, to);
    return diagnose(Diag::shapes_do_not_broadcast, a.span, ir::to_string(from), ir::to_string(to))
        .note("`broadcast_to` makes axes of size 1 longer and adds axes in front; it takes none away")
        .fix(fmt::format("give the shape that both have: {}", ir::to_string(*ops::broadcast_shapes(from, to))));
}

Value broadcast_to(Stager& s, Arguments& a) {
    const Type t = type(a[0], a.spans[0], "`broadcast_to`");
    const Shape shape = need_shape(s, a[1], a.spans[1]);
    const auto joined = ops::broadcast_shapes(t.shape, shape);
    if (!joined || *joined != shape) raise(broadcast_refused(a, t.shape, shape));
    return s.wrap(s.build().broadcast_to(s.use(a[0]), shape), weak(a[0]));
}

Value squeeze(Stager& s, Arguments& a) {
    const Type t = type(a[0], a.spans[0], "`squeeze`");
    std::vector<int> axes;
    if (a[1].is_none()) {
        for (int d = 0; d < t.rank(); ++d)
            if (t.shape[static_cast<std::size_t>(d)] == 1) axes.push_back(d);
    } else {
        axes = axes_of(s, a[1], t, a.spans[1]);
    }
    Shape shape;
    for (int d = 0; d < t.rank(); ++d) {
        const std::int64_t n = t.shape[static_cast<std::size_t>(d)];
        if (std::find(axes.begin(), axes.end(), d) == axes.end())
            shape.push_back(n);
        else if (n != 1)
            raise(diagnose(Diag::bad_shape, a.span, ir::to_string(t.shape),
                           fmt::format("axis {} of size {} cannot be squeezed", d, n)));
    }
    return s.wrap(s.build().reshape(s.use(a[0]), shape), weak(a[0]));
}

Value expand_dims(Stager& s, Arguments& a) {
    const Type t = type(a[0], a.spans[0], "`expand_dims`");
    const int added = a[1].tuple() ? static_cast<int>(a[1].tuple()->items.size()) : 1;
    const std::vector<int> axes = need_axes(s, a[1], t.rank() + added, a.spans[1]);
    Shape shape = t.shape;
    for (const int d : axes) shape.insert(shape.begin() + d, 1);
    return s.wrap(s.build().reshape(s.use(a[0]), shape), weak(a[0]));
}

Value swapaxes(Stager& s, Arguments& a) {
    const Type t = type(a[0], a.spans[0], "`swapaxes`");
    ir::Integers permutation(t.shape.size());
    std::iota(permutation.begin(), permutation.end(), 0);
    std::swap(permutation[static_cast<std::size_t>(axis_of(s, a[1], t, a.spans[1]))],
              permutation[static_cast<std::size_t>(axis_of(s, a[2], t, a.spans[2]))]);
    return s.wrap(s.build().transpose(s.use(a[0]), permutation), weak(a[0]));
}

/// The function moveaxis. Moves one axis to a new position, or a tuple of axes to a tuple of as many positions.
Value moveaxis(Stager& s, Arguments& a) {
    const Type t = type(a[0], a.spans[0], "`moveaxis`");
    const auto listed = [&](std::size_t i) {
        std::vector<int> axes;
        for (const Value& v : a[i].tuple() ? a[i].tuple()->items : std::vector<Value>{a[i]}) {
            axes.push_back(axis_of(s, v, t, a.spans[i]));
            if (std::count(axes.begin(), axes.end(), axes.back()) > 1)
                raise(diagnose(Diag::wrong_kind, a.spans[i], "`moveaxis`", "every axis once", tree_text(a[i])));
        }
        return axes;
    };
    const std::vector<int> from = listed(1), to = listed(2);
    if (from.size() != to.size())
        raise(
            diagnose(Diag::wrong_kind, a.spans[2], "`moveaxis`", "a place for each axis that moves", tree_text(a[2])));
    ir::Integers permutation(t.shape.size(), -1);
    for (std::size_t i = 0; i < to.size(); ++i) permutation[static_cast<std::size_t>(to[i])] = from[i];
    int next = 0;
    for (std::int64_t& place : permutation) {
        if (place >= 0) continue;
        while (std::find(from.begin(), from.end(), next) != from.end()) ++next;
        place = next++;
    }
    return s.wrap(s.build().transpose(s.use(a[0]), permutation), weak(a[0]));
}

std::vector<Value> arrays_of(Stager& s, const Value& v, Span span, std::string_view what) {
    std::vector<Value> list = spread(s, v, span);
    if (list.empty()) raise(diagnose(Diag::wrong_kind, span, what, "at least one array", describe(v)));
    for (const Value& x : list) need_array(x, span, what);
    return list;
}

/// Raises if the program passes arrays one by one instead of in a tuple. The second array is then the argument `axis`.
void refuse_loose(const Arguments& a, std::string_view name) {
    if (a[1].is_numeric() && numeric_type(a[1]).type.rank() > 0)
        raise(diagnose(Diag::wrong_kind, a.spans[1], fmt::format("`{}`", name), "its arrays in one tuple, then an axis",
                       fmt::format("{} and {}", describe(a[0]), describe(a[1])))
                  .fix(fmt::format("{}((a, b))", name)));
}

/// The dtype in which arrays are joined. This is the argument `dtype` of the call. If this argument is `none`, it is
/// the promoted dtype.
Promoted joined_dtype(const std::vector<Value>& list, const Arguments& a) {
    if (a[2].is_none()) return promoted_type(list, a.span);
    if (!a[2].dtype())
        raise(with_dtype(diagnose(Diag::wrong_kind, a.spans[2], "`dtype`", "a dtype", describe(a[2])), a[2]));
    return {*a[2].dtype(), false};
}

/// The shape of the concatenation of arrays along an axis. nullopt if the shapes do not fit.
std::optional<Shape> concatenated(const std::vector<Value>& list, int axis) {
    const auto at = static_cast<std::size_t>(axis);
    Shape all = numeric_type(list[0]).type.shape;
    all[at] = 0;
    for (const Value& v : list) {
        Shape shape = numeric_type(v).type.shape;
        if (shape.size() != all.size()) return {};
        shape[at] += all[at];
        all[at] = shape[at];
        if (shape != all) return {};
    }
    return all;
}

/// The arrays concatenated along `axis`. If `axis` is empty, the arrays are flattened first.
Value end_to_end(Stager& s, const std::vector<Value>& list, std::optional<int> axis, const Promoted& type, Span span) {
    std::optional<Shape> shape;
    if (axis) {
        shape = concatenated(list, *axis);
    } else {
        shape = {0};
        for (const Value& v : list) shape->front() += numeric_type(v).type.elements();
    }
    const auto at = static_cast<std::size_t>(axis.value_or(0));
    if (shape)
        if (const Joining joining{type.dtype, *shape, at}; joined_at_once(s, list, joining))
            return {joined(s, list, joining, span), type.weak};
    ir::Values parts;
    for (const Value& v : list) {
        const ir::Value part = s.use(v, type.dtype);
        parts.push_back(axis ? part : s.build().reshape(part, {numeric_type(v).type.elements()}));
    }
    return s.wrap(s.build().concatenate(parts, static_cast<int>(at)), type.weak);
}

/// The axis along which the arrays `list` are joined, read from the argument `axis`. Empty if this argument is `none`.
std::optional<int> axis_to_join(Stager& s, const std::vector<Value>& list, const Value& axis, Span axis_span, Span span,
                                std::string_view name) {
    if (axis.is_none()) return std::nullopt;
    const Type first = numeric_type(list[0]).type;
    if (first.rank() == 0)
        raise(diagnose(Diag::wrong_kind, span, name, "arrays with an axis (stack puts numbers together)",
                       describe(list[0])));
    return axis_of(s, axis, first, axis_span);
}

Value concatenate(Stager& s, Arguments& a) {
    refuse_loose(a, "concatenate");
    const std::vector<Value> list = arrays_of(s, a[0], a.spans[0], "`concatenate`");
    const Promoted type = joined_dtype(list, a);
    const std::optional<int> axis = axis_to_join(s, list, a[1], a.spans[1], a.span, "`concatenate`");
    return end_to_end(s, list, axis, type, a.span);
}

Value append(Stager& s, Arguments& a) {
    for (std::size_t i = 0; i < 2; ++i) need_array(a[i], a.spans[i], i == 0 ? "`x`" : "`values`");
    const std::vector<Value> list = {a[0], a[1]};
    const Promoted type = promoted_type(list, a.span);
    return end_to_end(s, list, axis_to_join(s, list, a[2], a.spans[2], a.span, "`append`"), type, a.span);
}

Value stack(Stager& s, Arguments& a) {
    refuse_loose(a, "stack");
    const std::vector<Value> list = arrays_of(s, a[0], a.spans[0], "`stack`");
    const Promoted p = joined_dtype(list, a);
    const Shape first = numeric_type(list[0]).type.shape;
    const int axis = need_axis(s, a[1], static_cast<int>(first.size()) + 1, a.spans[1]);
    for (const Value& v : list)
        if (const Shape shape = numeric_type(v).type.shape; shape != first)
            raise(diagnose(Diag::shapes_disagree, a.span, "stack", ir::to_string(first), ir::to_string(shape))
                      .fix("concatenate((a, b)) joins arrays of several sizes along an axis"));
    Shape part = first;
    part.insert(part.begin() + axis, 1);
    Joining joining{p.dtype, part, static_cast<std::size_t>(axis)};
    joining.shape[joining.axis] = static_cast<std::int64_t>(list.size());
    if (joined_at_once(s, list, joining)) return {joined(s, list, joining, a.span), p.weak};
    ir::Values parts;
    for (const Value& v : list) parts.push_back(s.build().reshape(s.use(v, p.dtype), part));
    return s.wrap(s.build().concatenate(parts, axis), p.weak);
}

Value split(Stager& s, Arguments& a) {
    const Type t = type(a[0], a.spans[0], "`split`");
    const int axis = axis_of(s, a[2], t, a.spans[2]);
    const std::int64_t n = t.shape[static_cast<std::size_t>(axis)];
    std::vector<std::int64_t> cuts{0};
    if (a[1].tuple() || (a[1].is_numeric() && numeric_type(a[1]).type.rank() > 0)) {
        for (const Value& v : spread(s, a[1], a.spans[1]))
            cuts.push_back(std::clamp<std::int64_t>(need_integer(s, v, a.spans[1], "`split`"), 0, n));
    } else {
        const std::int64_t parts = need_integer(s, a[1], a.spans[1], "`split`");
        if (parts < 1 || n % parts != 0)
            raise(diagnose(Diag::wrong_kind, a.spans[1], "`split`",
                           fmt::format("a number of parts that divides axis {} of {}, of size {}", axis,
                                       ir::to_string(t), n),
                           parts)
                      .fix("array_split(x, n) has parts of nearly one size; a tuple has the places to cut at"));
        for (std::int64_t i = 1; i < parts; ++i) cuts.push_back(i * (n / parts));
    }
    cuts.push_back(n);
    std::vector<Value> out;
    const ir::Value x = s.use(a[0]);
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
        out.push_back(s.wrap(s.build().slice_axis(x, axis, cuts[i], std::max(cuts[i], cuts[i + 1])), weak(a[0])));
    return Value::tuple(std::move(out));
}

Value flip(Stager& s, Arguments& a) {
    const std::vector<int> axes = axes_of(s, a[1], type(a[0], a.spans[0], "`flip`"), a.spans[1]);
    return s.wrap(s.build().reverse(s.use(a[0]), ir::Integers(axes.begin(), axes.end())), weak(a[0]));
}

/// Rolls `x` by a staged shift. The result is a window of the concatenation of `x` with itself.
ir::Value rolled(Stager& s, ir::Value x, int axis, const Value& shift, Span span) {
    auto& b = s.build();
    const Shape sizes = b.shape(x);
    const std::int64_t n = sizes[static_cast<std::size_t>(axis)];
    if (numeric_type(shift).type.rank() != 0 || !runtime::is_integer(numeric_type(shift).type.dtype))
        raise(diagnose(Diag::wrong_kind, span, "the shift", "an integer", describe(shift)));
    const ir::Value k = as_places(s, shift, 2 * n);
    const ir::Value size = b.constant_i(b.dtype(k), n);
    const ir::Value rest = b.binary(ir::Op::rem, k, size); // the remainder has the sign of the shift
    const ir::Value start = b.binary(ir::Op::rem, b.sub(size, rest), size);
    ir::Values starts(sizes.size(), b.constant_i(b.dtype(k), 0));
    starts[static_cast<std::size_t>(axis)] = start;
    return b.dynamic_slice(b.concatenate({x, x}, axis), starts, sizes);
}

Value roll(Stager& s, Arguments& a) {
    const Type t = type(a[0], a.spans[0], "`roll`");
    ir::Value x = s.use(a[0]);
    auto& b = s.build();
    const bool flat = a[2].is_none();
    if (flat) x = b.reshape(x, {t.elements()});
    const std::vector<Value> shifts = a[1].tuple() ? a[1].tuple()->items : std::vector<Value>{a[1]};
    const std::vector<Value> axes = flat           ? std::vector<Value>{Value::integer(0)}
                                    : a[2].tuple() ? a[2].tuple()->items
                                                   : std::vector<Value>{a[2]};
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const int axis = axis_of(s, axes[i], b.type(x), a.spans[2]);
        const std::int64_t n = b.shape(x)[static_cast<std::size_t>(axis)];
        if (n == 0) continue;
        const Value shift = resolved(s, shifts[std::min(i, shifts.size() - 1)]);
        if (shift.staged()) {
            x = rolled(s, x, axis, shift, a.spans[1]);
            continue;
        }
        std::int64_t k = need_integer(s, shift, a.spans[1], "the shift") % n;
        if (k < 0) k += n;
        if (k != 0) x = b.concatenate({b.slice_axis(x, axis, n - k, n), b.slice_axis(x, axis, 0, n - k)}, axis);
    }
    return s.wrap(b.reshape(x, t.shape), weak(a[0]));
}

/// The padding of an axis of n elements. Each added element is a copy of an element of the axis. The indices of the
/// copied elements repeat with a period.
class Padding {
  public:
    Padding(const std::string& mode, std::int64_t n)
        : n_(n), edge_(mode == "edge"), turned_(mode == "reflect" ? 0 : 1),
          period_(mode == "wrap"      ? n
                  : mode == "reflect" ? std::max<std::int64_t>(1, 2 * n - 2)
                                      : 2 * n) {}

    /// The `count` added elements from index `first` on. Their indices are all below 0, or all above n - 1.
    ir::Value part(ops::Build& b, ir::Value x, int axis, std::int64_t first, std::int64_t count) const {
        const std::int64_t from = source(first);
        const std::int64_t to = source(first + count - 1);
        if (edge_ || n_ == 1) {
            Shape shape = b.shape(x);
            shape[static_cast<std::size_t>(axis)] = count;
            return b.broadcast_to(b.slice_axis(x, axis, from, from + 1), shape);
        }
        // From one added element to the next, the index of the copied element changes by 1 or -1, except at the ends of
        // the period. If all these changes are equal, the added elements are a slice of the axis, or a reversed slice.
        if (to - from == count - 1) return b.slice_axis(x, axis, from, to + 1);
        if (from - to == count - 1) return b.reverse(b.slice_axis(x, axis, to, from + 1), {axis});
        const DType dtype = count + period_ > std::numeric_limits<std::int32_t>::max() ? DType::i64 : DType::i32;
        const auto all = [&](std::int64_t v) { return b.constant_i(dtype, v, {count}); };
        const ir::Value moved = b.add(b.iota({count}, 0, dtype), all(within_period(first)));
        const ir::Value forward = b.binary(ir::Op::rem, moved, all(period_));
        const ir::Value place =
            b.select(b.compare(ir::Op::less, forward, all(n_)), forward, b.sub(all(period_ - turned_), forward));
        return b.move_axis(b.gather(x, {place}, {axis}), 0, axis);
    }

  private:
    std::int64_t within_period(std::int64_t i) const { return ((i % period_) + period_) % period_; }
    std::int64_t source(std::int64_t i) const {
        if (edge_) return std::clamp<std::int64_t>(i, 0, n_ - 1);
        const std::int64_t k = within_period(i);
        return k < n_ ? k : period_ - turned_ - k;
    }

    std::int64_t n_;
    bool edge_;
    std::int64_t turned_; ///< 0 for the mode "reflect"; 1 for "symmetric", where the elements at both ends occur twice
    std::int64_t period_;
};

Value pad(Stager& s, Arguments& a) {
    const Type t = type(a[0], a.spans[0], "`pad`");
    ir::Integers low, high;
    const auto pair = [&](const Value& v) {
        if (v.tuple()) {
            if (v.tuple()->items.size() != 2)
                raise(diagnose(Diag::wrong_kind, a.spans[1], "`pad`", "(before, after) for each axis", tree_text(v)));
            low.push_back(need_integer(s, v.tuple()->items[0], a.spans[1], "`pad`"));
            high.push_back(need_integer(s, v.tuple()->items[1], a.spans[1], "`pad`"));
        } else {
            low.push_back(need_integer(s, v, a.spans[1], "`pad`"));
            high.push_back(low.back());
        }
    };
    const bool per_axis = a[1].tuple() && !a[1].tuple()->items.empty() && a[1].tuple()->items[0].tuple();
    for (int d = 0; d < t.rank(); ++d) {
        if (!per_axis) {
            pair(a[1]);
            continue;
        }
        if (a[1].tuple()->items.size() != static_cast<std::size_t>(t.rank()))
            raise(diagnose(Diag::wrong_kind, a.spans[1], "`pad`", "(before, after) for each axis", tree_text(a[1])));
        pair(a[1].tuple()->items[static_cast<std::size_t>(d)]);
    }
    for (std::size_t d = 0; d < low.size(); ++d)
        if (low[d] < 0 || high[d] < 0) raise(diagnose(Diag::negative_size, a.spans[1], std::min(low[d], high[d])));
    const std::string& mode = need_text(s, a[2], a.spans[2], "mode");
    auto& b = s.build();
    ir::Value x = s.use(a[0]);
    if (mode == "constant") return s.wrap(b.pad(x, s.use(a[3], t.dtype), low, high), weak(a[0]));
    if (mode != "edge" && mode != "wrap" && mode != "reflect" && mode != "symmetric")
        raise(diagnose(Diag::wrong_kind, a.spans[2], "`mode`", "constant, edge, wrap, reflect or symmetric",
                       quoted_text(mode)));
    for (int d = 0; d < t.rank(); ++d) {
        const auto at = static_cast<std::size_t>(d);
        if (low[at] == 0 && high[at] == 0) continue;
        const std::int64_t n = t.shape[at];
        if (n == 0)
            raise(diagnose(Diag::bad_shape, a.span, ir::to_string(t.shape), "an empty axis has no edge to pad from"));
        const Padding around(mode, n);
        ir::Values parts;
        if (low[at] > 0) parts.push_back(around.part(b, x, d, -low[at], low[at]));
        parts.push_back(x);
        if (high[at] > 0) parts.push_back(around.part(b, x, d, n, high[at]));
        x = b.concatenate(parts, d);
    }
    return s.wrap(x, weak(a[0]));
}

Value repeat(Stager& s, Arguments& a) {
    Type t = type(a[0], a.spans[0], "`repeat`");
    const std::int64_t n = need_integer(s, a[1], a.spans[1], "`repeats`");
    if (n < 0) raise(diagnose(Diag::negative_size, a.spans[1], n));
    auto& b = s.build();
    ir::Value x = s.use(a[0]);
    int axis = 0;
    if (a[2].is_none()) {
        x = b.reshape(x, {t.elements()});
        t.shape = {t.elements()};
    } else {
        axis = axis_of(s, a[2], t, a.spans[2]);
    }
    Shape wide = t.shape;
    wide.insert(wide.begin() + axis + 1, n);
    ir::Integers dims;
    for (int d = 0; d < static_cast<int>(wide.size()); ++d)
        if (d != axis + 1) dims.push_back(d);
    t.shape[static_cast<std::size_t>(axis)] *= n;
    return s.wrap(b.reshape(b.broadcast(x, wide, dims), t.shape), weak(a[0]));
}

Value tile(Stager& s, Arguments& a) {
    Type t = type(a[0], a.spans[0], "`tile`");
    Shape counts = need_shape(s, a[1], a.spans[1]);
    while (counts.size() < t.shape.size()) counts.insert(counts.begin(), 1);
    while (t.shape.size() < counts.size()) t.shape.insert(t.shape.begin(), 1);
    Shape wide, out;
    ir::Integers dims;
    for (std::size_t d = 0; d < counts.size(); ++d) {
        wide.push_back(counts[d]);
        dims.push_back(static_cast<std::int64_t>(wide.size()));
        wide.push_back(t.shape[d]);
        out.push_back(counts[d] * t.shape[d]);
    }
    auto& b = s.build();
    return s.wrap(b.reshape(b.broadcast(b.reshape(s.use(a[0]), t.shape), wide, dims), out), weak(a[0]));
}

Value ravel(Stager& s, Arguments& a) {
    return s.wrap(s.build().reshape(s.use(need_array(a[0], a.span, "`ravel`")), {numeric_type(a[0]).type.elements()}),
                  weak(a[0]));
}

Value astype(Stager& s, Arguments& a) {
    if (!a[1].dtype())
        raise(with_dtype(diagnose(Diag::wrong_kind, a.spans[1], "`astype`", "a dtype", describe(a[1])), a[1]));
    return cast(s, a[0], *a[1].dtype(), a.span);
}

Value bitcast(Stager& s, Arguments& a) {
    if (!a[1].dtype())
        raise(diagnose(Diag::wrong_kind, a.spans[1], "`bitcast_convert_type`", "a dtype", describe(a[1])));
    return s.wrap(s.build().emit1(ir::Op::bitcast, {s.use(need_array(a[0], a.spans[0], "`bitcast_convert_type`"))},
                                  {{ir::Attr::dtype, *a[1].dtype()}}));
}

} // namespace

Diagonal diagonal_places(ops::Build& b, const Shape& shape, std::int64_t k) {
    const int rank = static_cast<int>(shape.size());
    const std::int64_t n = shape[shape.size() - 2];
    const std::int64_t m = shape.back();
    const DType dtype = n + m > std::numeric_limits<std::int32_t>::max() ? DType::i64 : DType::i32;
    // A diagonal outside of the matrix is empty. So `k` is clamped to the first diagonals outside of the matrix.
    const ir::Value moved = b.constant_i(dtype, std::clamp(k, -n, m), shape);
    return {b.add(b.iota(shape, rank - 2, dtype), moved), b.iota(shape, rank - 1, dtype)};
}

namespace {

Value tri(Stager& s, Arguments& a, bool lower) {
    const Type t = type(a[0], a.spans[0], lower ? "`tril`" : "`triu`");
    if (t.rank() < 2)
        raise(diagnose(Diag::wrong_kind, a.span, lower ? "`tril`" : "`triu`", "an array with two axes at least",
                       ir::to_string(t)));
    const std::int64_t k = need_integer(s, a[1], a.spans[1], "`k`");
    auto& b = s.build();
    const Diagonal on = diagonal_places(b, t.shape, k);
    const ir::Value keep =
        lower ? b.compare(ir::Op::less_equal, on.columns, on.rows) : b.compare(ir::Op::less_equal, on.rows, on.columns);
    const ir::Value x = s.use(a[0]);
    return s.wrap(b.select(keep, x, b.zeros_like(x)), weak(a[0]));
}
Value tril(Stager& s, Arguments& a) { return tri(s, a, true); }
Value triu(Stager& s, Arguments& a) { return tri(s, a, false); }

using K = Native::Kind;
constexpr Native shapes_natives[] = {
    {"reshape", "x, *shape", K::array, reshape,
     "reshape(x, shape): the same elements in another shape; one size may be -1."},
    {"transpose", "x, axes=none, *more", K::array, transpose,
     "transpose(x), transpose(x, axes): axes in another order, reversed when none are given."},
    {"permute_dims", "x, axes=none, *more", K::array, transpose, "permute_dims(x, axes): as transpose."},
    {"broadcast_to", "x, shape", K::array, broadcast_to,
     "broadcast_to(x, shape): x repeated along axes of size 1 and new ones in front; an error where another size would "
     "change."},
    {"squeeze", "x, axis=none", K::array, squeeze,
     "squeeze(x, axis): without axes of size 1, all or those named (an int or a tuple); an error for one of another "
     "size."},
    {"expand_dims", "x, axis", K::array, expand_dims,
     "expand_dims(x, axis): with new axes of size 1 at these places of the result (an int or a tuple)."},
    {"swapaxes", "x, axis1, axis2", K::array, swapaxes,
     "swapaxes(x, i, j): axes i and j exchanged; negative ones count from the end, others are an error."},
    {"moveaxis", "x, source, destination", K::array, moveaxis,
     "moveaxis(x, from, to): an axis moved, or several in tuples, the others in their order; negative ones count from "
     "the end, others are an error."},
    {"append", "x, values, axis=none", K::array, append,
     "append(x, values, axis=none): x with `values` appended along `axis`; none: both are flattened. At the top level, "
     "arrays of the host are copied where `axis` is 0 or none, and nothing is compiled."},
    {"concatenate", "arrays, axis=0, dtype=none", K::array, concatenate,
     "concatenate((a, b, ...), axis): end to end along an axis they have, none: flattened; dtypes are promoted where "
     "none "
     "is given, the other sizes must be equal."},
    {"stack", "arrays, axis=0, dtype=none", K::array, stack,
     "stack((a, b, ...), axis): side by side along a new axis; dtypes are promoted where none is given, shapes must be "
     "equal."},
    {"split", "x, indices_or_sections, axis=0", K::array, split,
     "split(x, n, axis): a tuple of n equal parts (an error where the size does not divide); split(x, (i, j, ...), "
     "axis): cut before these places."},
    {"flip", "x, axis=none", K::array, flip, "flip(x, axis): reversed along axes, an int, a tuple or none for all."},
    {"roll", "x, shift, axis=none", K::array, roll,
     "roll(x, shift, axis): elements moved on by shift, those beyond the end to the start; flattened first without an "
     "axis. A shift may be computed."},
    {"_pad", "x, pad_width, mode=\"constant\", constant_values=0", K::array, pad,
     "_pad(x, ((before, after), ...), mode): modes constant, edge, wrap, reflect, symmetric."},
    {"_repeat", "x, repeats, axis=none", K::array, repeat, "_repeat(x, n, axis): every element n times, n known."},
    {"tile", "x, reps", K::array, tile,
     "tile(x, counts): x side by side, as often along each of the last axes as counts says; missing axes and counts "
     "are 1."},
    {"ravel", "x", K::array, ravel, "ravel(x): all elements along one axis."},
    {"flatten", "x", K::array, ravel, "flatten(x): all elements along one axis."},
    {"astype", "x, dtype", K::array, astype,
     "astype(x, dtype): converted; floats to integers are cut and kept in range."},
    {"bitcast_convert_type", "x, dtype", K::array, bitcast,
     "bitcast_convert_type(x, dtype): the same bits as another dtype of that size."},
    {"tril", "x, k=0", K::array, tril, "tril(x, k): zero above the k-th diagonal of the last two axes."},
    {"triu", "x, k=0", K::array, triu, "triu(x, k): zero below the k-th diagonal of the last two axes."},
};

} // namespace

std::span<const Native> shapes() { return shapes_natives; }

} // namespace pm::stage::library
