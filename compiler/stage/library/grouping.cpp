// Functions whose result has a size that depends on values (nonzero, unique, bincount), and sums over groups. At top
// level the size is computed first. In compiled code the program must pass the size as an argument.
#include "compiler/base/count.hpp"
#include "compiler/stage/library/numbers.hpp"
#include "compiler/stage/library/selection.hpp"

#include "compiler/base/check.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/values/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace pm::stage::library {
namespace {

using ir::Op;

/// The size of the result. If the argument `given` is not `none`, it is the size. Otherwise `count` computes the size
/// at top level.
std::int64_t result_size(Stager& s, const Value& given, std::string_view caller, std::string_view parameter, Span span,
                         const std::function<Value()>& count) {
    if (!given.is_none()) {
        const std::int64_t n = need_integer(s, given, span, fmt::format("`{}`", parameter));
        if (n < 0) raise(diagnose(Diag::negative_size, span, n));
        return n;
    }
    const Value counted = s.array_work(span, count);
    if (!s.interpreting() && !constant_array(s, counted, span))
        raise(diagnose(Diag::size_not_known, span, caller)
                  .fix(fmt::format("say how many elements at most: {}(..., {}=n)", caller, parameter)));
    return std::max<std::int64_t>(0, need_integer(s, counted, span, "a size"));
}

/// For each element, the number of true elements up to and including this element, minus one. For a true element, this
/// is the rank of the element among the true elements.
ir::Value ranks(ops::Build& b, ir::Value mask) {
    const ir::Value ones = b.convert(mask, DType::i32);
    const ir::Value counts =
        b.emit1(Op::cumsum, {ones}, {{ir::Attr::axis, std::int64_t{0}}, {ir::Attr::reverse, std::int64_t{0}}});
    return b.sub(counts, b.ones_like(counts));
}

/// An array i32[size]. Element i is the index in `mask` of its i-th true element. If `mask` has too few true elements,
/// element i is `missing`.
ir::Value places_of(ops::Build& b, ir::Value mask, std::int64_t size, std::int64_t missing) {
    const Shape shape = b.shape(mask);
    // For a false element, the target index is past the end, so the scatter drops the element.
    const ir::Value target = b.select(mask, ranks(b, mask), b.constant_i(DType::i32, size, shape));
    return b.scatter(b.constant_i(DType::i32, missing, {size}), b.iota(shape, 0, DType::i32), {target}, {0}, "set");
}

ir::Value flat(ops::Build& b, ir::Value x) { return b.reshape(x, {b.type(x).elements()}); }

// ---- unique

/// The sorted order of the rows (or elements) of an array, and the first row of each group of equal rows.
struct RowGroups {
    ir::Value order; ///< the indices of the sorted rows in the array
    ir::Value first; ///< per sorted row: true if the row is the first, or differs from the previous row
};

/// For each two neighbours along an axis, whether they differ. For n elements there are n - 1 results. If `equal_nan`
/// is true, two NaNs count as equal.
ir::Value neighbours_differ(ops::Build& b, ir::Value x, int axis, bool equal_nan) {
    const std::int64_t n = b.shape(x)[static_cast<std::size_t>(axis)];
    const ir::Value before = b.slice_axis(x, axis, 0, n - 1);
    const ir::Value after = b.slice_axis(x, axis, 1, n);
    const ir::Value differ = b.compare(Op::not_equal, before, after);
    if (!equal_nan || !runtime::is_inexact(b.dtype(x))) return differ;
    return b.binary(Op::and_, differ,
                    b.binary(Op::or_, b.compare(Op::equal, before, before), b.compare(Op::equal, after, after)));
}

RowGroups groups(ops::Build& b, const ir::Values& columns, bool equal_nan) {
    const std::int64_t n = b.shape(columns[0])[0];
    ir::Values operands = columns;
    operands.push_back(b.iota({n}, 0, DType::i32));
    const ir::Values sorted =
        b.emit(Op::sort, operands,
               {{ir::Attr::axis, std::int64_t{0}}, {ir::Attr::keys, static_cast<std::int64_t>(columns.size())}});
    ir::Value differs = b.constant_i(DType::b1, 0, {n - 1});
    for (std::size_t c = 0; c < columns.size(); ++c)
        differs = b.binary(Op::or_, differs, neighbours_differ(b, sorted[c], 0, equal_nan));
    return {sorted.back(), b.concatenate({b.constant_i(DType::b1, 1, {1}), differs}, 0)};
}

/// For each element of x[w, n], the rank of the element among the distinct elements of its row. The result is an i64[w,
/// n].
ir::Value ranks_of_lines(ops::Build& b, ir::Value x, bool equal_nan) {
    const Shape shape = b.shape(x);
    const ir::Attrs by_first{{ir::Attr::axis, std::int64_t{1}}, {ir::Attr::keys, std::int64_t{1}}};
    const ir::Values sorted = b.emit(Op::sort, {x, b.iota(shape, 1, DType::i32)}, by_first);
    const ir::Value differs = neighbours_differ(b, sorted[0], 1, equal_nan);
    const ir::Value begins = b.concatenate({b.constant_i(DType::b1, 0, {shape[0], 1}), differs}, 1);
    const ir::Value rank = b.emit1(Op::cumsum, {b.convert(begins, DType::i64)},
                                   {{ir::Attr::axis, std::int64_t{1}}, {ir::Attr::reverse, std::int64_t{0}}});
    return b.emit(Op::sort, {sorted[1], rank},
                  by_first)[1]; // sorts the ranks back into the original order of the elements
}

/// A number for each row of matrix[n, w]. The order of these numbers is the lexicographical order of the rows. First
/// each column is replaced by the ranks of its elements. Then each two neighbouring columns are replaced by the ranks
/// of their pairs of numbers, until one column remains.
ir::Value ranks_of_rows(ops::Build& b, ir::Value matrix, bool equal_nan) {
    ir::Value lines = ranks_of_lines(b, b.transpose(matrix, {1, 0}), equal_nan);
    const std::int64_t n = b.shape(lines)[1];
    for (std::int64_t width = b.shape(lines)[0]; width > 1; width = (width + 1) / 2) {
        const std::int64_t pairs = width / 2;
        const ir::Value first = b.slice_axis(lines, 0, 0, 2 * pairs, 2);
        const ir::Value second = b.slice_axis(lines, 0, 1, 2 * pairs, 2);
        // Ranks are below n, so a pair of ranks is represented as one number in base n.
        ir::Value joined = b.add(b.mul(first, b.constant_i(DType::i64, n, {pairs, n})), second);
        if (width % 2 == 1) joined = b.concatenate({joined, b.slice_axis(lines, 0, width - 1, width)}, 0);
        lines = ranks_of_lines(b, joined, equal_nan);
    }
    return b.reshape(lines, {n});
}

/// The columns of `rows`, which are the sort keys. More than 8 columns are replaced by one column of ranks, because
/// each additional operand of a sort increases the compile time.
ir::Values columns_of(ops::Build& b, ir::Value rows, bool equal_nan) {
    if (b.rank(rows) == 1) return {rows};
    const std::int64_t n = b.shape(rows)[0];
    const std::int64_t width = n == 0 ? 0 : b.type(rows).elements() / n;
    const ir::Value matrix = b.reshape(rows, {n, width});
    constexpr std::int64_t few = 8;
    if (width > few) return {ranks_of_rows(b, matrix, equal_nan)};
    ir::Values columns;
    for (std::int64_t c = 0; c < width; ++c) columns.push_back(b.reshape(b.slice_axis(matrix, 1, c, c + 1), {n}));
    return columns;
}

class Unique {
  public:
    Unique(Stager& s, Arguments& a) : s_(s), a_(a), x_(as_array(s, a[0], a.spans[0])) {
        need_numeric(x_, a.spans[0], "`unique`");
        equal_nan_ = need_bool(s, a[7], a.spans[7], "equal_nan");
        if (!a[4].is_none()) axis_ = axis_of(s, a[4], numeric_type(x_).type, a.spans[4]);
    }

    Value run() {
        const std::int64_t size = result_size(s_, a_[5], "unique", "size", a_.span, [&] {
            const ir::Value rows = rows_of();
            auto& b = s_.build();
            const ir::Values columns = columns_of(b, rows, equal_nan_);
            if (b.shape(rows)[0] == 0 || columns.empty())
                return s_.wrap(b.constant_i(DType::i32, std::min<std::int64_t>(1, b.shape(rows)[0])));
            return s_.wrap(b.sum(b.convert(groups(b, columns, equal_nan_).first, DType::i32), {0}));
        });
        return s_.array_work(a_.span, [&] { return results(size); });
    }

  private:
    ir::Value rows_of() {
        auto& b = s_.build();
        const ir::Value x = s_.use(x_);
        return axis_ ? b.move_axis(x, *axis_, 0) : flat(b, x);
    }
    bool wants(std::size_t parameter) { return need_bool(s_, a_[parameter], a_.spans[parameter], "return_..."); }

    Value results(std::int64_t size) {
        auto& b = s_.build();
        const ir::Value rows = rows_of();
        const std::int64_t n = b.shape(rows)[0];
        const ir::Values columns = columns_of(b, rows, equal_nan_);
        RowGroups g{b.iota({n}, 0, DType::i32),
                    b.compare(Op::equal, b.iota({n}, 0, DType::i32), b.constant_i(DType::i32, 0, {n}))};
        if (n > 0 && !columns.empty()) g = groups(b, columns, equal_nan_);
        const ir::Value group = ranks(b, g.first);
        Shape shape = b.shape(rows);
        shape[0] = size;
        // If there are fewer groups than `size`, the first group is repeated.
        const ir::Value index =
            n == 0 ? b.constant_i(DType::i32, 0, {size}) : b.gather(g.order, {places_of(b, g.first, size, 0)}, {0});
        ir::Value values = n == 0 ? b.zeros({b.dtype(rows), shape}) : b.gather(rows, {index}, {0});
        if (!a_[6].is_none()) {
            const ir::Value there = b.compare(Op::less, b.iota(shape, 0, DType::i32),
                                              b.broadcast_scalar(b.sum(b.convert(g.first, DType::i32), {0}), shape));
            values = b.select(
                there, values,
                b.broadcast_to(s_.use(need_numeric(a_[6], a_.spans[6], "`fill_value`"), b.dtype(values)), shape));
        }
        if (axis_) values = b.move_axis(values, 0, *axis_);
        std::vector<Value> out{s_.wrap(values)};
        if (wants(1)) out.push_back(s_.wrap(index));
        if (wants(2)) {
            const ir::Value inverse = b.scatter(b.constant_i(DType::i32, 0, {n}), group, {g.order}, {0}, "set");
            out.push_back(s_.wrap(axis_ ? inverse : b.reshape(inverse, numeric_type(x_).type.shape)));
        }
        if (wants(3))
            out.push_back(s_.wrap(
                b.scatter(b.constant_i(DType::i32, 0, {size}), b.constant_i(DType::i32, 1, {n}), {group}, {0}, "add")));
        return out.size() == 1 ? out[0] : Value::tuple(std::move(out));
    }

    Stager& s_;
    Arguments& a_;
    Value x_;
    std::optional<int> axis_;
    bool equal_nan_ = true;
};

Value unique(Stager& s, Arguments& a) { return Unique(s, a).run(); }

// ---- indices of true elements

Value nonzero_native(Stager& s, Arguments& a) {
    return nonzero(s, as_array(s, a[0], a.spans[0]), a[1], a[2], "nonzero", a.span);
}

// ---- groups by number

Value whole_index(const Value& v, Span span, std::string_view what) {
    need_numeric(v, span, what);
    if (!runtime::is_integer(numeric_type(v).type.dtype))
        raise(diagnose(Diag::wrong_kind, span, what, "integers", describe(v)));
    return v;
}

/// The greatest element of `v` plus one, but at least `least`.
Value one_above(Stager& s, const Value& v, std::int64_t least) {
    auto& b = s.build();
    const ir::Value x = flat(b, b.convert(as_places(s, v, 0), DType::i64));
    // The maximum i64 plus one would overflow, so elements are clamped. No array is so long that this changes a valid
    // result.
    const ir::Value limit = b.constant_i(DType::i64, std::numeric_limits<std::int64_t>::max() - 1);
    const ir::Value most =
        b.shape(x)[0] == 0 ? b.constant_i(DType::i64, -1) : b.binary(Op::min, b.reduce(Op::reduce_max, x, {0}), limit);
    return s.wrap(b.binary(Op::max, b.add(most, b.ones_like(most)), b.constant_i(DType::i64, least)));
}

Value bincount(Stager& s, Arguments& a) {
    const Value x = whole_index(as_array(s, a[0], a.spans[0]), a.spans[0], "`bincount`");
    const std::int64_t least = need_integer(s, a[2], a.spans[2], "`minlength`");
    const std::int64_t length =
        result_size(s, a[3], "bincount", "length", a.span, [&] { return one_above(s, x, least); });
    return s.array_work(a.span, [&] {
        auto& b = s.build();
        const ir::Value places = flat(b, as_places(s, x, length));
        // As in JAX, a negative element of `x` is counted as 0.
        const ir::Value target = b.binary(Op::max, places, b.zeros_like(places));
        ir::Value weights = b.constant_i(DType::i32, 1, b.shape(places));
        if (!a[1].is_none()) {
            need_numeric(a[1], a.spans[1], "`weights`");
            if (numeric_type(a[1]).type.shape != numeric_type(x).type.shape)
                raise(diagnose(Diag::shapes_disagree, a.span, "bincount", ir::to_string(numeric_type(x).type.shape),
                               ir::to_string(numeric_type(a[1]).type.shape)));
            weights = flat(b, s.use(a[1]));
        }
        return s.wrap(b.scatter(b.zeros({b.dtype(weights), {length}}), weights, {target}, {0}, "add"));
    });
}

enum class How { add, mul, max, min };

template <How how>
Value segment(Stager& s, Arguments& a) {
    constexpr std::string_view names[] = {"segment_sum", "segment_prod", "segment_max", "segment_min"};
    constexpr const char* modes[] = {"add", "mul", "max", "min"};
    const auto name = names[static_cast<int>(how)];
    need_numeric(a[0], a.spans[0], name);
    const Value ids = whole_index(as_array(s, a[1], a.spans[1]), a.spans[1], name);
    const Shape rows = numeric_type(ids).type.shape;
    const Type data = numeric_type(a[0]).type;
    if (rows.size() > data.shape.size() || rows.empty() || !std::equal(rows.begin(), rows.end(), data.shape.begin()))
        raise(diagnose(Diag::shapes_disagree, a.span, name, ir::to_string(data.shape), ir::to_string(rows))
                  .note("there is one segment number for each row of the data"));
    const std::int64_t count = result_size(s, a[2], name, "num_segments", a.span, [&] { return one_above(s, ids, 0); });
    return s.array_work(a.span, [&] {
        auto& b = s.build();
        Shape shape{count};
        shape.insert(shape.end(), data.shape.begin() + static_cast<std::ptrdiff_t>(rows.size()), data.shape.end());
        ir::Value start = b.constant(data.dtype, how == How::mul ? 1.0 : 0.0);
        if (how == How::max || how == How::min) start = extreme_of_dtype(b, data.dtype, how == How::min);
        return s.wrap(b.scatter(b.broadcast_scalar(start, shape), s.use(a[0]), {as_places(s, ids, count)}, {0},
                                modes[static_cast<int>(how)]),
                      numeric_type(a[0]).weak);
    });
}

constexpr const char* segment_parameters =
    "data, segment_ids, num_segments=none, indices_are_sorted=false, unique_indices=false";

using K = Native::Kind;
constexpr Native grouping_natives[] = {
    {"nonzero", "x, size=none, fill_value=none", K::known, nonzero_native,
     "nonzero(x, size=n): a tuple of index arrays, the places that are not zero; at most n, the others fill_value "
     "(0)."},
    {"unique",
     "x, return_index=false, return_inverse=false, return_counts=false, axis=none, size=none, fill_value=none, "
     "equal_nan=true",
     K::known, unique,
     "unique(x, size=n): the different elements (along an axis: rows), sorted; with return_... also their first "
     "places, each element's place among them, their counts. equal_nan=false: every NaN is another."},
    {"bincount", "x, weights=none, minlength=0, length=none", K::known, bincount,
     "bincount(x, length=n): how often 0, 1, ... n - 1 are in x, or the sum of their weights."},
    {"segment_sum", segment_parameters, K::known, segment<How::add>,
     "segment_sum(data, ids, n): the sums of the rows with each id 0, 1, ... n - 1; other ids are dropped."},
    {"segment_prod", segment_parameters, K::known, segment<How::mul>,
     "segment_prod(data, ids, n): the products of the rows with each id."},
    {"segment_max", segment_parameters, K::known, segment<How::max>,
     "segment_max(data, ids, n): the greatest of the rows with each id; the least value of the dtype where there is "
     "none."},
    {"segment_min", segment_parameters, K::known, segment<How::min>,
     "segment_min(data, ids, n): the least of the rows with each id; the greatest value of the dtype where there is "
     "none."},
};

} // namespace

Value nonzero(Stager& s, const Value& x, const Value& size, const Value& fill, std::string_view caller, Span span) {
    need_numeric(x, span, caller);
    const auto mask = [&] { return flat(s.build(), s.use(truth(s, x, span))); };
    const std::int64_t n = result_size(s, size, caller, "size", span, [&] {
        return s.wrap(s.build().sum(s.build().convert(mask(), DType::i32), {0}));
    });
    Shape shape = numeric_type(x).type.shape;
    if (shape.empty()) shape = {1};
    const bool several = fill.tuple() != nullptr;
    if (several && fill.tuple()->items.size() != shape.size())
        raise(diagnose(Diag::wrong_kind, span, "`fill_value`",
                       fmt::format("a number, or one for each of {:axis|axes}", Count{shape.size()}), tree_text(fill)));
    return s.array_work(span, [&] {
        auto& b = s.build();
        ir::Value rest = places_of(b, mask(), n, -1);
        const ir::Value missing = b.compare(Op::less, rest, b.zeros_like(rest));
        std::vector<Value> places(shape.size());
        for (std::size_t d = shape.size(); d-- > 0;) {
            const ir::Value size_here = b.constant_i(DType::i32, std::max<std::int64_t>(1, shape[d]), {n});
            const ir::Value place = b.binary(Op::rem, rest, size_here);
            rest = b.div(rest, size_here);
            const Value& otherwise = several ? fill.tuple()->items[d] : fill;
            const ir::Value filler = otherwise.is_none()
                                         ? b.constant_i(DType::i32, 0)
                                         : s.use(need_numeric(otherwise, span, "`fill_value`"), DType::i32);
            places[d] = s.wrap(b.select(missing, b.broadcast_to(filler, {n}), place));
        }
        return Value::tuple(std::move(places));
    });
}

std::span<const Native> grouping() { return grouping_natives; }

} // namespace pm::stage::library
