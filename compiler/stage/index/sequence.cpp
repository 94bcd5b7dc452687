#include "compiler/stage/index/sequence.hpp"

#include "compiler/base/check.hpp"
#include "compiler/stage/index/index_plan.hpp"
#include "compiler/stage/index/indexing.hpp"
#include "compiler/stage/known/arrays.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/known/printing.hpp"
#include "compiler/stage/values/promotion.hpp"
#include "compiler/stage/values/tree.hpp"
#include "runtime/io/progress.hpp"
#include "runtime/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace pm::stage {
namespace {

using syntax::BinaryOp;

std::int64_t count_of(std::int64_t first, std::int64_t last, std::int64_t step) {
    if (step > 0) return last > first ? (last - first - 1) / step + 1 : 0;
    return first > last ? (first - last - 1) / -step + 1 : 0;
}

bool is_one(const Value& v) { return v.number() && v.number()->i == 1; }
bool fits_i32(std::int64_t n) { return n == static_cast<std::int32_t>(n); }

Sequence of_range(Stager& s, const Range& r, Span span) {
    Sequence q;
    for (const Value& part : r.parts)
        if (!part.is_numeric() || !runtime::is_integer(numeric_type(part).type.dtype) ||
            numeric_type(part).type.rank() != 0)
            raise(diagnose(Diag::wrong_kind, span, "a range", "integers", describe(part)));
    const Value first = resolved(s, r.parts[0]);
    const Value last = resolved(s, r.parts[1]);
    const Value step_value = resolved(s, r.parts[2]);
    const char* zero_step = "the step of a range is zero";
    if (!step_value.staged() && need_integer(s, step_value, span, "the step of a range") == 0)
        raise(diagnose(Diag::bad_index, span, zero_step));
    const bool known = !first.staged() && !last.staged() && !step_value.staged();
    std::optional<DType> index_as; // the dtype of the loop variable; empty if it is the dtype of the counter
    if (known) {
        const std::int64_t begin = need_integer(s, first, span, "a range");
        const std::int64_t step = need_integer(s, step_value, span, "the step of a range");
        q.length = count_of(begin, need_integer(s, last, span, "a range"), step);
        const bool beyond = !fits_i32(begin) || !fits_i32(begin + (q.length - 1) * step);
        const DType bounds = promoted_type({first, last, step_value}, span).dtype;
        q.wide = q.length > 0 && (beyond || index_dtype(bounds, 0) == DType::i64);
        q.at = [begin, step, wide = q.wide](std::int64_t i) -> Value {
            Number item = Number::of(begin + i * step);
            item.wide = wide;
            return item;
        };
        if (!s.interpreting() && q.length > 0) {
            if (q.wide) index_as = DType::i64;
            // A loop with a known trip count has an i32 counter. If the trip count does not fit an i32, the loop
            // becomes a `while_` with an i64 counter.
            if (!fits_i32(q.length)) q.staged_length = s.wrap(s.build().constant_i(DType::i64, q.length), true);
        }
    } else {
        // The trip count is (last - first) / step rounded up, but at least 0. It is computed in 64 bits for all dtypes
        // of the bounds.
        if (step_value.staged())
            check_holds(s, binary(s, BinaryOp::not_equal, step_value, Value::integer(0), span),
                        Value(std::string(zero_step)), Diag::bad_index, span);
        const auto wide_number = [&](const Value& v) {
            return s.wrap(as_places(s, v, std::numeric_limits<std::int64_t>::max()), true);
        };
        const Value from = wide_number(first);
        const Value to = wide_number(last);
        Value n = binary(s, BinaryOp::subtract, to, from, span);
        if (!is_one(step_value)) {
            const Value back = binary(s, BinaryOp::subtract, from, to, span);
            n = unary(s, syntax::UnaryOp::negate,
                      binary(s, BinaryOp::floor_divide, back, wide_number(step_value), span), span);
        }
        // A trip count that depends on the index of an outer loop stays staged. To make this trip count known, the
        // outer loop would have to be unrolled.
        const Staged* const computed = n.staged();
        const bool in_loop = computed && !computed->context->origin(computed->value).loops.empty();
        if (s.around().bounds == Bounds::known && !in_loop && known_to_callers(s, n))
            need_integer(s, n, span, "the number of iterations");
        q.staged_length = elementwise(s, ir::Op::max, {n, Value::integer(0)}, span);
        // The loop variable has the width of the bounds. Intermediate results may wrap around, but the values of the
        // variable are correct.
        Promoted bounds{DType::i32, true};
        for (const Value& part : {first, last, step_value}) {
            const NumericType t = s.here().type_of(part);
            bounds = promote(bounds.dtype, bounds.weak, t.type.dtype, t.weak);
        }
        index_as = index_dtype(bounds.dtype, 0);
        q.at = [](std::int64_t) -> Value { PM_UNREACHABLE(); };
    }
    q.staged = [&s, first, step_value, span, index_as](const Value& index, const std::vector<Value>&) {
        Value i = index_as ? s.wrap(s.use(index, index_as), true) : counter(s, index);
        if (!is_one(step_value)) i = binary(s, BinaryOp::multiply, i, step_value, span);
        if (first.number() && first.number()->i == 0) return i;
        return binary(s, BinaryOp::add, first, i, span);
    };
    return q;
}

Sequence of_items(std::vector<Value> items) {
    Sequence q;
    q.length = static_cast<std::int64_t>(items.size());
    q.must_unroll = true;
    q.at = [items = std::move(items)](std::int64_t i) { return items.at(static_cast<std::size_t>(i)); };
    return q;
}

Sequence of_rows(Stager& s, const Value& tree, Span span) {
    Sliced sliced = rows_of(tree, span);
    Sequence q;
    q.length = *sliced.length;
    q.sliced = std::move(sliced.leaves);
    q.at = [&s, tree, span](std::int64_t i) { return row_at(s, tree, i, span); };
    q.staged = [tree](const Value&, const std::vector<Value>& slices) { return row_of(tree, slices); };
    return q;
}

Sequence combined(Stager& s, const Range& r, Span span) {
    std::vector<Sequence> parts;
    for (const Value& v : r.parts)
        parts.push_back(known_sequence(s, v, span, "the length of a range in zip, enumerate or reversed"));
    for (const Sequence& p : parts)
        if (p.staged_length) require_fits(*Value::integer(p.length).number(), DType::i32, span);
    Sequence q;
    q.length = parts.empty() ? 0 : parts[0].length;
    for (const Sequence& p : parts) {
        if (r.kind == Range::Kind::zip && p.length != q.length) raise(different_lengths(span, q.length, p.length));
        q.must_unroll = q.must_unroll || p.must_unroll;
        q.sliced.insert(q.sliced.end(), p.sliced.begin(), p.sliced.end());
    }
    const auto kind = r.kind;
    const std::int64_t length = q.length;
    q.at = [parts, kind, length](std::int64_t i) -> Value {
        if (kind == Range::Kind::reversed) return parts[0].at(length - 1 - i);
        std::vector<Value> items;
        if (kind == Range::Kind::enumerate) items.push_back(Value::integer(i));
        for (const Sequence& p : parts) items.push_back(p.at(i));
        return Value::tuple(std::move(items));
    };
    if (kind == Range::Kind::reversed) {
        // A staged iteration computes the index from the end, and reads the elements of the arrays at this index.
        q.staged = [&s, inner = parts[0], arrays = std::exchange(q.sliced, {}), length,
                    span](const Value& index, const std::vector<Value>&) {
            const Value back = binary(s, BinaryOp::subtract, Value::integer(length - 1), index, span);
            std::vector<Value> slices;
            for (const Value& a : arrays) slices.push_back(element_at(s, a, back, span));
            return inner.staged(back, slices);
        };
        return q;
    }
    q.staged = [&s, parts, kind](const Value& index, const std::vector<Value>& slices) -> Value {
        std::vector<Value> items;
        if (kind == Range::Kind::enumerate) items.push_back(counter(s, index));
        std::size_t next = 0;
        for (const Sequence& p : parts) {
            const std::vector<Value> own(slices.begin() + static_cast<std::ptrdiff_t>(next),
                                         slices.begin() + static_cast<std::ptrdiff_t>(next + p.sliced.size()));
            next += p.sliced.size();
            items.push_back(p.staged(index, own));
        }
        return Value::tuple(std::move(items));
    };
    return q;
}

/// A progress bar for the iterations of a loop. Output of the program appears above the bar. All copies of a sequence
/// share the bar. The bar ends when the last copy is destroyed.
class Bar {
  public:
    Bar(Host& host, std::int64_t total, const std::string& label)
        : host_(host), output_(host.output), progress_(total, label,
                                                       [&host](std::string_view text) {
                                                           if (host.message) host.message(text);
                                                       }),
          total_(total) {
        host_.output = [this](std::string_view text) {
            progress_.hide();
            if (output_) output_(text);
        };
    }
    ~Bar() {
        host_.output = output_;
        if (begun_ == total_ && total_ > 0) progress_.advance(); // true only if the loop did not exit early
    }
    Bar(const Bar&) = delete;
    Bar& operator=(const Bar&) = delete;
    void begin_iteration() {
        if (begun_ > 0) progress_.advance();
        ++begun_;
    }

  private:
    Host& host_;
    std::function<void(std::string_view)> output_;
    runtime::Progress progress_;
    std::int64_t total_;
    std::int64_t begun_ = 0;
};

Sequence with_bar(Stager& s, const Range& r, Span span) {
    Sequence q = sequence_of(s, r.parts[0], span);
    const std::string& label = need_text(s, r.parts[1], span, "the label of a progress bar");
    if (!s.host().terminal || !s.interpreting()) return q;
    q.at = [inner = std::move(q.at), bar = std::make_shared<Bar>(s.host(), q.length, label)](std::int64_t i) {
        bar->begin_iteration();
        return inner(i);
    };
    return q;
}

} // namespace

std::int64_t character_count(Stager& s, std::string_view text) {
    return static_cast<std::int64_t>(runtime::utf8_count(text, s.polling()));
}

std::string_view character_at(Stager& s, std::string_view text, std::int64_t index) {
    text.remove_prefix(runtime::utf8_prefix(text, static_cast<std::size_t>(index), s.polling()));
    return text.substr(0, runtime::utf8_prefix(text, 1));
}

Diagnostic different_lengths(Span span, std::int64_t first, std::int64_t second) {
    return diagnose(Diag::shapes_disagree, span, "zip", fmt::format("length {}", first),
                    fmt::format("length {}", second))
        .fix(fmt::format("cut the longer one: `x[:{}]`, or `0..{}` for a range", std::min(first, second),
                         std::min(first, second)));
}

Value counter(Stager& s, const Value& index) {
    const DType dtype = s.here().type_of(Value::integer(0)).type.dtype;
    return dtype == numeric_type(index).type.dtype ? index : s.wrap(s.use(index, dtype), true);
}

Sliced sliced_leaves(const Value& tree, std::string_view name, Span span, std::optional<std::int64_t> length) {
    Sliced out{{}, length};
    for_each_leaf(tree, [&](const Value& leaf) {
        const Type t = numeric_type(leaf).type;
        if (t.rank() == 0)
            raise(diagnose(Diag::wrong_kind, span, fmt::format("`{}`", name), "arrays to run over", describe(leaf)));
        if (out.length && *out.length != t.shape[0])
            raise(diagnose(Diag::shapes_disagree, span, name, fmt::format("length {}", *out.length),
                           fmt::format("length {}", t.shape[0])));
        out.length = t.shape[0];
        out.leaves.push_back(leaf);
    });
    return out;
}

/// Raises if a field is a column of texts: its texts would not be those of the rows.
void refuse_texts(const Value& tree, Span span) {
    if (!tree.record()) return;
    for (const auto& [name, value] : tree.record()->fields)
        if (const Tuple* column = value.tuple(); column && !column->items.empty() && column->items[0].text())
            raise(diagnose(Diag::wrong_kind, span, "`each`", "arrays to run over",
                           fmt::format("a tuple of texts in `{}`", name))
                      .fix("run over records of the rows, with table.rows(t), or over a category's codes, with "
                           "table.category(texts)"));
}

Sliced rows_of(const Value& tree, Span span) {
    refuse_texts(tree, span);
    Sliced rows = sliced_leaves(tree, "each", span);
    if (!rows.length) raise(diagnose(Diag::wrong_kind, span, "`each`", "arrays to run over", describe(tree)));
    return rows;
}

Value row_of(const Value& tree, const std::vector<Value>& leaves) {
    std::size_t next = 0;
    return without_rows(map_leaves(tree, [&](const Value&) { return leaves.at(next++); }));
}

Value row_at(Stager& s, const Value& tree, std::int64_t i, Span span) {
    return without_rows(map_leaves(tree, [&](const Value& leaf) { return element(s, leaf, i, span); }));
}

Sequence sequence_of(Stager& s, const Value& source, Span span) {
    if (const Range* r = source.range()) {
        if (r->kind == Range::Kind::range) return of_range(s, *r, span);
        return r->kind == Range::Kind::progress ? with_bar(s, *r, span) : combined(s, *r, span);
    }
    if (source.by_rows || (source.is_numeric() && numeric_type(source).type.rank() > 0))
        return of_rows(s, source, span);
    if (const Tuple* t = source.tuple()) return of_items(t->items);
    if (const Record* r = source.record()) {
        std::vector<Value> items;
        for (const auto& [name, value] : r->fields) items.push_back(Value::tuple({Value(name), value}));
        return of_items(std::move(items));
    }
    if (source.text_template()) s.host_work("a `for` runs over text that holds computed values", span);
    if (const std::string* text = source.text()) {
        std::vector<Value> items;
        for (std::string_view rest = *text; !rest.empty();) {
            constexpr std::size_t items_between_polls = 4096;
            if (items.size() % items_between_polls == 0) s.poll(span);
            const std::size_t n = runtime::utf8_prefix(rest, 1);
            items.emplace_back(std::string(rest.substr(0, n)));
            rest.remove_prefix(n);
        }
        return of_items(std::move(items));
    }
    auto d = diagnose(Diag::not_iterable, span, describe(source));
    if (source.is_numeric()) raise(std::move(d).fix("count with a range: `for i in 0..n`"));
    raise(std::move(d));
}

namespace {

/// The range `source` with its staged bounds replaced by known numbers. If a bound cannot be known, raises. The
/// function may be staged again to make a bound known.
Value with_known_bounds(Stager& s, const Value& source, Span span) {
    if (const Range* r = source.range()) {
        Range known = *r;
        for (Value& part : known.parts) part = with_known_bounds(s, part, span);
        return std::make_shared<const Range>(std::move(known));
    }
    return source.staged() && source.staged()->type.rank() == 0 ? Value(need_number(s, source, span, "a range"))
                                                                : source;
}

} // namespace

Sequence known_sequence(Stager& s, const Value& source, Span span, std::string_view what) {
    Sequence q = sequence_of(s, source, span);
    if (!q.staged_length) return q;
    need_integer(s, *q.staged_length, span, what);
    return sequence_of(s, with_known_bounds(s, source, span), span);
}

std::vector<Value> known_elements(Stager& s, const Value& source, Span span, const Elements& elements) {
    const Sequence q = known_sequence(s, source, span, "the number of iterations");
    std::vector<Value> items;
    try {
        items.reserve(static_cast<std::size_t>(q.length)); // a reallocation would move all items without a poll
    } catch (const std::exception&) { // the memory is exhausted, or the length exceeds the maximum size of a vector
        raise(diagnose(Diag::out_of_memory, span, fmt::format("{} values have no place in memory", q.length)));
    }
    for (std::int64_t i = 0; i < q.length; ++i) {
        s.poll(span);
        const Value x = q.at(i);
        if (!elements.keeps || elements.keeps(x)) items.push_back(elements.body ? elements.body(x) : x);
    }
    return items;
}

} // namespace pm::stage
