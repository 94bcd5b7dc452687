// Sorting, and reading elements at computed indices.
#include "compiler/stage/library/selection.hpp"

#include "compiler/base/check.hpp"
#include "compiler/base/count.hpp"
#include "compiler/ops/core/nans.hpp"
#include "compiler/stage/index/indexing.hpp"
#include "compiler/stage/known/arrays.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/library/numbers.hpp"
#include "compiler/stage/values/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace pm::stage::library {

AlongAxis along_axis(Stager& s, const Value& x, const Value& axis, Span span) {
    auto& b = s.build();
    const ir::Value v = s.use(x);
    if (axis.is_none()) return {b.reshape(v, {b.type(v).elements()}), 0};
    return {v, axis_of(s, axis, b.type(v), span)};
}

ir::Value extreme_of_dtype(ops::Build& b, DType dtype, bool greatest) {
    if (runtime::is_float(dtype)) return b.constant(dtype, greatest ? INFINITY : -INFINITY);
    if (dtype == DType::b1) return b.constant_i(dtype, greatest ? 1 : 0);
    const int bits = static_cast<int>(runtime::size_of(dtype)) * 8;
    if (runtime::is_unsigned_integer(dtype)) return b.constant_i(dtype, greatest ? -1 : 0); // all bits set
    const std::int64_t least = std::numeric_limits<std::int64_t>::min() >> (64 - bits);
    return b.constant_i(dtype, greatest ? -(least + 1) : least);
}

namespace {

using ir::Op;

struct Sorted {
    ir::Value values, places;
};

/// Sorts along an axis. The sort is stable: equal elements keep their order, also in a descending sort.
Sorted sorted(ops::Build& b, ir::Value x, int axis, bool descending) {
    const ir::Integers reversed_axes = descending ? ir::Integers{axis} : ir::Integers{};
    const ir::Value places = b.iota(b.shape(x), axis, DType::i32);
    const ir::Values out = b.emit(Op::sort, {b.reverse(x, reversed_axes), b.reverse(places, reversed_axes)},
                                  {{ir::Attr::axis, std::int64_t{axis}}, {ir::Attr::keys, std::int64_t{1}}});
    return {b.reverse(out[0], reversed_axes), b.reverse(out[1], reversed_axes)};
}

template <bool places>
Value sort(Stager& s, Arguments& a) {
    need_numeric(a[0], a.spans[0], places ? "`argsort`" : "`sort`");
    const bool descending = need_bool(s, a[2], a.spans[2], "descending");
    const AlongAxis at = along_axis(s, a[0], a[1], a.spans[1]);
    auto& b = s.build();
    if (places) return s.wrap(sorted(b, at.x, at.axis, descending).places);
    const ir::Value out =
        b.emit1(Op::sort, {at.x}, {{ir::Attr::axis, std::int64_t{at.axis}}, {ir::Attr::keys, std::int64_t{1}}});
    return s.wrap(descending ? b.reverse(out, {at.axis}) : out);
}

Value top_k(Stager& s, Arguments& a) {
    const Type t = numeric_type(need_numeric(a[0], a.spans[0], "`top_k`")).type;
    const int axis = axis_of(s, a[2], t, a.spans[2]);
    const std::int64_t n = t.shape[static_cast<std::size_t>(axis)];
    const std::int64_t k = need_integer(s, a[1], a.spans[1], "`k`");
    if (k < 0 || k > n)
        raise(diagnose(Diag::wrong_kind, a.spans[1], "the `k` of `top_k`",
                       fmt::format("a number from 0 to {}, the size of axis {} of {}", n, axis, ir::to_string(t)),
                       std::to_string(k)));
    auto& b = s.build();
    const Sorted all = sorted(b, s.use(a[0]), axis, true);
    return Value::tuple({s.wrap(b.slice_axis(all.values, axis, 0, k)), s.wrap(b.slice_axis(all.places, axis, 0, k))});
}

/// The function lexsort: the indices that sort the elements by the last key. Elements with equal last keys are sorted
/// by the key before it, and so on.
Value lexsort(Stager& s, Arguments& a) {
    std::vector<Value> keys = spread(s, a[0], a.spans[0]);
    if (keys.empty()) raise(diagnose(Diag::wrong_kind, a.spans[0], "`lexsort`", "at least one key", describe(a[0])));
    auto& b = s.build();
    ir::Values operands;
    for (std::size_t i = keys.size(); i-- > 0;)
        operands.push_back(s.use(need_numeric(keys[i], a.spans[0], "`lexsort`")));
    const int axis = axis_of(s, a[1], b.type(operands[0]), a.spans[1]);
    operands.push_back(b.iota(b.shape(operands[0]), axis, DType::i32));
    return s.wrap(
        b.emit(Op::sort, operands,
               {{ir::Attr::axis, std::int64_t{axis}}, {ir::Attr::keys, static_cast<std::int64_t>(keys.size())}})
            .back());
}

/// The function searchsorted: a binary search for all values together. The trip count is the bit width of the size of
/// the sorted array. As in `sort`, NaNs are the greatest numbers.
Value searchsorted(Stager& s, Arguments& a) {
    const Type t = numeric_type(need_numeric(a[0], a.spans[0], "`searchsorted`")).type;
    if (t.rank() != 1)
        raise(
            diagnose(Diag::wrong_kind, a.spans[0], "`searchsorted`", "a sorted array with one axis", ir::to_string(t)));
    const std::string& side = need_text(s, a[2], a.spans[2], "`side`");
    if (side != "left" && side != "right")
        raise(diagnose(Diag::wrong_kind, a.spans[2], "`side`", "\"left\" or \"right\"", quoted_text(side)));
    const Value wanted = as_array(s, a[1], a.spans[1]);
    need_numeric(wanted, a.spans[1], "`searchsorted`");
    const DType dtype = promoted_type({a[0], wanted}, a.span).dtype;
    auto& b = s.build();
    ir::Value row = s.use(a[0], dtype);
    if (!a[3].is_none())
        row = b.gather(row, {as_places(s, need_numeric(a[3], a.spans[3], "`sorter`"), t.shape[0])}, {0});
    const ir::Value v = s.use(wanted, dtype);
    const Shape shape = b.shape(v);
    const std::int64_t n = t.shape[0];
    ir::Value low = b.constant_i(DType::i32, 0, shape);
    ir::Value high = b.constant_i(DType::i32, n, shape);
    const ir::Value one = b.constant_i(DType::i32, 1, shape);
    const bool inexact = runtime::is_inexact(dtype);
    const ir::Value is_nan = inexact ? ops::is_nan(b, v) : ir::Value{};
    for (int iteration = 0; iteration < static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))); ++iteration) {
        const ir::Value middle = b.binary(Op::shift_right, b.add(low, high), one);
        const ir::Value x = b.gather(row, {middle}, {0});
        ir::Value right = b.compare(side == "left" ? Op::less : Op::less_equal, x, v);
        if (inexact)
            right = b.binary(Op::or_, right,
                             side == "left" ? b.binary(Op::and_, is_nan, b.compare(Op::equal, x, x)) : is_nan);
        const ir::Value open = b.compare(Op::less, low, high);
        low = b.select(b.binary(Op::and_, open, right), b.add(middle, one), low);
        high = b.select(b.binary(Op::and_, open, b.unary(Op::not_, right)), middle, high);
    }
    return s.wrap(low);
}

// ---- reading at indices

enum class Mode { checked, clip, wrap, fill };

Mode mode_of(Stager& s, const Value& v, Span span) {
    if (v.is_none()) return Mode::checked;
    const std::string& name = need_text(s, v, span, "`mode`");
    if (name == "clip") return Mode::clip;
    if (name == "wrap") return Mode::wrap;
    if (name == "fill") return Mode::fill;
    if (name == "raise") return Mode::checked;
    raise(diagnose(Diag::wrong_kind, span, "`mode`", "\"raise\", \"clip\", \"wrap\" or \"fill\"", quoted_text(name)));
}

struct Places {
    ir::Value index;
    ir::Value valid; ///< used only with Mode::fill: false for an index out of range
};

Places places(Stager& s, const Value& index, std::int64_t size, int axis, Mode mode, Span span) {
    if (!runtime::is_integer(numeric_type(index).type.dtype))
        raise(diagnose(Diag::bad_index, span, fmt::format("an index is an integer, got {}", describe(index)))
                  .fix("convert it: i32(...)"));
    if (mode == Mode::checked) return {checked_index(s, index, size, axis, span), {}};
    auto& b = s.build();
    if (mode == Mode::wrap && size > 0 && numeric_type(index).type.dtype == DType::u64) {
        const ir::Value x = s.use(index);
        const ir::Value rest = b.binary(Op::rem, x, b.constant_i(DType::u64, size, b.shape(x)));
        return {b.convert(rest, DType::i64), {}};
    }
    const ir::Value i = as_places(s, index, size);
    const ir::Value n = b.constant_i(b.dtype(i), size, b.shape(i));
    const ir::Value zero = b.zeros_like(i);
    if (mode == Mode::clip) return {b.binary(Op::max, zero, b.binary(Op::min, i, b.sub(n, b.ones_like(i)))), {}};
    if (mode == Mode::wrap) {
        const ir::Value rest = b.binary(Op::rem, i, n);
        return {b.select(b.compare(Op::less, rest, zero), b.add(rest, n), rest), {}};
    }
    const ir::Value from = b.select(b.compare(Op::less, i, zero), b.add(i, n), i);
    return {from, b.binary(Op::and_, b.compare(Op::less_equal, zero, from), b.compare(Op::less, from, n))};
}

/// The value for elements out of range. If `given` is `none`, this is NaN, the least signed integer, the greatest
/// unsigned integer, or true, depending on the dtype.
ir::Value fill_value(Stager& s, const Value& given, DType dtype) {
    if (!given.is_none()) return s.use(given, dtype);
    auto& b = s.build();
    if (runtime::is_float(dtype)) return b.constant(dtype, std::numeric_limits<double>::quiet_NaN());
    return extreme_of_dtype(b, dtype, !runtime::is_signed_integer(dtype));
}

/// Converts a weak integer that does not fit i32 to an i64. Then its range is checked as for other indices.
Value wide_index(const Value& v) {
    const Number* n = v.number();
    if (!n || !n->weak() || n->kind != Number::Kind::integer || n->data() == static_cast<std::int32_t>(n->data()))
        return v;
    Number wide = Number::of(n->data());
    wide.dtype = DType::i64;
    return wide;
}

Value take(Stager& s, Arguments& a) {
    const Value given = as_array(s, a[0], a.spans[0]);
    need_array(given, a.spans[0], "`take`");
    const Value wanted = wide_index(as_array(s, a[1], a.spans[1]));
    need_numeric(wanted, a.spans[1], "`take`");
    const Mode mode = mode_of(s, a[3], a.spans[3]);
    auto& b = s.build();
    const AlongAxis at = along_axis(s, given, a[2], a.spans[2]);
    const Shape shape = b.shape(at.x);
    const std::int64_t size = shape[static_cast<std::size_t>(at.axis)];
    const Places p = places(s, wanted, size, at.axis, mode, a.spans[1]);
    const int index_rank = b.rank(p.index);
    if (size == 0 && numeric_type(wanted).type.elements() != 0 && mode != Mode::checked && mode != Mode::fill)
        raise(diagnose(Diag::empty_axis, a.span, "take", at.axis, ir::to_string(b.type(at.x))));
    b.set_span(s.places().of(a.span));
    ir::Value out = b.gather(at.x, {p.index}, {at.axis});
    // After the gather, the axes of the index array come first. The transpose below moves these axes to the position of
    // the indexed axis.
    ir::Integers order;
    for (int d = 0; d < at.axis; ++d) order.push_back(index_rank + d);
    for (int d = 0; d < index_rank; ++d) order.push_back(d);
    for (int d = index_rank + at.axis; d < b.rank(out); ++d) order.push_back(d);
    out = b.transpose(out, order);
    if (mode == Mode::fill) {
        ir::Integers dims;
        for (int d = 0; d < index_rank; ++d) dims.push_back(at.axis + d);
        const ir::Value fill = b.broadcast_scalar(fill_value(s, a[4], b.dtype(out)), b.shape(out));
        out = b.select(b.broadcast(p.valid, b.shape(out), dims), out, fill);
    }
    return s.wrap(out, numeric_type(given).weak);
}

Value take_along_axis(Stager& s, Arguments& a) {
    need_array(a[0], a.spans[0], "`take_along_axis`");
    need_numeric(a[1], a.spans[1], "`take_along_axis`");
    const Mode mode = mode_of(s, a[3], a.spans[3]);
    auto& b = s.build();
    const AlongAxis at = along_axis(s, a[0], a[2], a.spans[2]);
    const int rank = b.rank(at.x);
    const Shape wanted = numeric_type(a[1]).type.shape;
    if (static_cast<int>(wanted.size()) != rank)
        raise(diagnose(Diag::bad_index, a.spans[1],
                       fmt::format("`take_along_axis` needs as many axes in the indices as in the array, got {} and {}",
                                   wanted.size(), rank)));
    const Places p = places(s, a[1], b.shape(at.x)[static_cast<std::size_t>(at.axis)], at.axis, mode, a.spans[1]);
    // The indexed axis is moved to the end. The other axes of the array and of the indices are broadcast to a common
    // shape.
    const int last = rank - 1;
    const auto shared = [&](ir::Value v, const Shape& lead) {
        Shape shape = lead;
        shape.push_back(b.shape(v).back());
        return b.broadcast_to(v, shape);
    };
    const ir::Value x = b.move_axis(at.x, at.axis, last);
    const ir::Value index = b.move_axis(p.index, at.axis, last);
    const Shape x_lead(b.shape(x).begin(), b.shape(x).end() - 1);
    const Shape i_lead(b.shape(index).begin(), b.shape(index).end() - 1);
    const auto lead = ops::broadcast_shapes(x_lead, i_lead);
    if (!lead)
        raise(diagnose(Diag::shapes_do_not_broadcast, a.span, ir::to_string(b.shape(at.x)), ir::to_string(wanted))
                  .note(fmt::format("axis {} aside", at.axis)));
    b.set_span(s.places().of(a.span));
    ir::Value out = b.gather(shared(x, *lead), {shared(index, *lead)}, {last}, last);
    if (mode == Mode::fill)
        out = b.select(shared(b.move_axis(p.valid, at.axis, last), *lead), out,
                       b.broadcast_scalar(fill_value(s, a[4], b.dtype(out)), b.shape(out)));
    return s.wrap(b.move_axis(out, last, at.axis), numeric_type(a[0]).weak);
}

// ---- windows as in lax: starts below 0 count from the end, and all starts are clamped so that the window fits

ir::Values starts_of(Stager& s, const Value& v, const Shape& shape, Span span) {
    const std::vector<Value> list = spread(s, v, span);
    if (list.size() != shape.size())
        raise(diagnose(Diag::wrong_kind, span, "a window",
                       fmt::format("a start for each of {:axis|axes}", Count{shape.size()}),
                       fmt::format("{}", list.size())));
    ir::Values starts;
    for (const Value& i : list) {
        if (!i.is_numeric() || !runtime::is_integer(numeric_type(i).type.dtype) || numeric_type(i).type.rank() != 0)
            raise(diagnose(Diag::wrong_kind, span, "a window", "integers as starts", describe(i)));
        const std::int64_t size = shape[starts.size()];
        ir::Value start = as_places(s, i, size);
        if (const Number* n = i.number(); !n || n->i < 0) {
            ops::Build& b = s.build();
            const ir::Value from_end = b.add(start, b.constant_i(b.dtype(start), size));
            start = b.select(b.compare(ir::Op::less, start, b.zeros_like(start)), from_end, start);
        }
        starts.push_back(start);
    }
    return starts;
}

Value dynamic_slice(Stager& s, Arguments& a) {
    const Type t = numeric_type(need_array(a[0], a.spans[0], "`dynamic_slice`")).type;
    const ir::Values starts = starts_of(s, a[1], t.shape, a.spans[1]);
    return s.wrap(s.build().dynamic_slice(s.use(a[0]), starts, need_shape(s, a[2], a.spans[2])),
                  numeric_type(a[0]).weak);
}

Value dynamic_update_slice(Stager& s, Arguments& a) {
    const Type t = numeric_type(need_array(a[0], a.spans[0], "`dynamic_update_slice`")).type;
    need_array(a[1], a.spans[1], "`dynamic_update_slice`");
    const ir::Values starts = starts_of(s, a[2], t.shape, a.spans[2]);
    return s.wrap(s.build().dynamic_update(s.use(a[0]), s.use(a[1], t.dtype), starts), numeric_type(a[0]).weak);
}

using K = Native::Kind;
constexpr Native selection_natives[] = {
    {"sort", "x, axis=-1, descending=false, stable=true", K::array, sort<false>,
     "sort(x, axis): in ascending order along an axis (none: flattened), NaNs last."},
    {"argsort", "x, axis=-1, descending=false, stable=true", K::array, sort<true>,
     "argsort(x, axis): the places of the elements in sorted order; equal elements keep theirs."},
    {"top_k", "x, k, axis=-1", K::array, top_k,
     "top_k(x, k): (the k greatest elements, their places), the greatest first."},
    {"lexsort", "keys, axis=-1", K::array, lexsort,
     "lexsort((a, b, ...)): the order by the last key, ties by the one before it."},
    {"searchsorted", "sorted, x, side=\"left\", sorter=none", K::array, searchsorted,
     "searchsorted(sorted, x, side): where each element of x would be put in."},
    {"take", "x, indices, axis=none, mode=none, fill_value=none", K::array, take,
     "take(x, i, axis, mode): elements at places; mode \"clip\", \"wrap\" or \"fill\" instead of an error out of "
     "range."},
    {"take_along_axis", "x, indices, axis=-1, mode=none, fill_value=none", K::array, take_along_axis,
     "take_along_axis(x, i, axis): element i[...] along the axis for each place of the others."},
    {"dynamic_slice", "x, starts, sizes", K::array, dynamic_slice,
     "dynamic_slice(x, starts, sizes): a window at computed starts, those below 0 from the end, moved so that it "
     "fits."},
    {"dynamic_update_slice", "x, update, starts", K::array, dynamic_update_slice,
     "dynamic_update_slice(x, update, starts): x with a window replaced, placed as that of dynamic_slice."},
};

} // namespace

std::span<const Native> selection() { return selection_natives; }

} // namespace pm::stage::library
