// Joins several values into one array along an axis.
#include "compiler/stage/index/stacking.hpp"

#include "compiler/base/stop.hpp"
#include "compiler/stage/core/context.hpp"
#include "compiler/stage/core/failures.hpp"
#include "compiler/stage/known/arrays.hpp"
#include "compiler/stage/values/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace pm::stage {
namespace {

/// The axis along which values are combined.
enum class Along : std::uint8_t { new_axis, axis_0 };

/// If a program would have more inputs than this, it takes longer to compile and call the program than to copy the
/// bytes of the inputs.
constexpr std::size_t most_inputs = 16;
/// To copy this many bytes takes less time than to call a program.
constexpr std::int64_t few_bytes = std::int64_t{1} << 20;

std::int64_t bytes_of(const Value& v) { return v.array() ? v.array()->bytes() : 8; }

/// Raises the error that the value cannot be an element of an array, with a suggestion.
[[noreturn]] void refuse_element(const Value& v, Span span) {
    auto d = diagnose(Diag::wrong_kind, span, "an array", "numbers or arrays as elements", describe(v));
    if (v.text() || v.text_template()) raise(std::move(d).fix(std::string(texts_in_tuples)));
    if (v.function() || v.is_none()) raise(std::move(d).fix("put functions and `none` in a tuple: (a, b)"));
    if (v.tuple() || v.record())
        raise(std::move(d).fix("put values that are no numbers in a tuple: ((1, 0), (2, 0)), a single one ((1, 0),)"));
    raise(std::move(d));
}

/// Raises for values that cannot be elements: strings, functions and ranges. `none` is allowed, because it is the value
/// of an iteration that only has effects. A dtype is allowed, because it must be equal in all iterations
/// (require_same).
void require_element(const Value& item, Span span) {
    const bool fits = item.is_numeric() || item.is_none() || item.dtype() || item.tuple() || item.record();
    if (!fits) refuse_element(item, span);
}

[[noreturn]] void refuse_other(const Value& part, Span span) {
    raise(diagnose(Diag::wrong_kind, span, "an array of what iterations give",
                   fmt::format("the same {} in each", kind_name(part)), "others")
              .note("numbers and arrays of the iterations are stacked; other values of a tree are the same in all "
                    "iterations")
              .fix("make a tuple of them: (f(x) for x in xs)"));
}

/// Raises if two corresponding values in the trees have the same kind, are not numeric, and differ.
void require_same(const Value& a, const Value& b, Span span) {
    poll_stop();
    if (a.tuple() && b.tuple() && a.tuple()->items.size() == b.tuple()->items.size())
        for (std::size_t i = 0; i < a.tuple()->items.size(); ++i)
            require_same(a.tuple()->items[i], b.tuple()->items[i], span);
    else if (a.record() && b.record()) {
        for (const auto& [name, value] : a.record()->fields)
            if (const Value* other = b.record()->find(name)) require_same(value, *other, span);
    } else if (!a.is_numeric() && kind_name(a) == kind_name(b) && !same_leaves(a, b))
        refuse_other(a, span);
}

void require_outside(const Value& part, const Context& region, Span span) {
    if (const Tuple* t = part.tuple()) {
        for (const Value& item : t->items) require_outside(item, region, span);
    } else if (const Record* r = part.record()) {
        for (const auto& [name, value] : r->fields) require_outside(value, region, span);
    } else if (!part.is_numeric()) {
        for (const Value& leaf : all_leaves(part))
            if (leaf.staged() && leaf.staged()->context.get() == &region) refuse_other(part, span);
    }
}

/// Raises if the shapes of the items differ, for joined items in other axes than 0.
void require_rows(const std::vector<Value>& items, Along along, Span span) {
    Shape first;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (!items[i].is_numeric()) refuse_element(items[i], span);
        Shape shape = numeric_type(items[i]).type.shape;
        if (along == Along::axis_0) shape.erase(shape.begin());
        if (i == 0)
            first = std::move(shape);
        else if (shape != first)
            raise(diagnose(Diag::stack_shapes, span, ir::to_string(first), ir::to_string(shape))
                      .fix("put arrays of several shapes in a tuple: (a, b); concatenate((a, b)) joins them"));
    }
}

/// The sizes of the result's axes before the axis along which the values are joined.
Shape outer_axes(const Joining& joining) {
    return {joining.shape.begin(), joining.shape.begin() + static_cast<std::ptrdiff_t>(joining.axis)};
}

} // namespace

bool joined_at_once(Stager& s, const std::vector<Value>& values, const Joining& joining) {
    if (!s.interpreting() && s.context()->kind() != Context::Kind::eager) return false;
    const auto at_hand = [](const Value& v) { return v.number() || (v.array() && v.array()->on_host()); };
    if (!std::ranges::all_of(values, at_hand)) return false;
    if (values.size() > most_inputs || ir::product(outer_axes(joining)) <= 1) return true;
    std::int64_t bytes = 0;
    for (const Value& v : values) bytes += bytes_of(v);
    return bytes <= few_bytes;
}

namespace {

void require_conversions(const std::vector<Value>& values, DType dtype, Span span) {
    for (const Value& v : values)
        if (const Number* n = v.number())
            require_fits(*n, dtype, span);
        else
            require_complex(v.array()->dtype(), dtype, span);
}

/// Converts numbers and arrays to the dtype of `out`, and copies them to `out`. `out` consists of `lines` rows of equal
/// size. Each row has a part of each value, in the order of `values`.
void copy_parts(Stager& s, const std::vector<Value>& values, std::int64_t lines, runtime::Array& out, Span span) {
    constexpr std::size_t poll_every = 1024;
    auto* const to = static_cast<std::byte*>(out.mutable_data());
    const auto width = static_cast<std::int64_t>(runtime::size_of(out.dtype()));
    const std::int64_t line = out.bytes() / lines;
    std::int64_t at = 0; // offset in bytes within each row
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i % poll_every == 0) s.poll(span);
        if (const Number* n = values[i].number()) {
            for (std::int64_t l = 0; l < lines; ++l) n->write(out.dtype(), to + l * line + at);
            at += width;
            continue;
        }
        const runtime::Array part = values[i].array()->convert(out.dtype());
        const std::int64_t bytes = part.bytes() / lines;
        if (bytes == 0) continue;
        const std::byte* from = part.as<std::byte>();
        for (std::int64_t l = 0; l < lines; ++l)
            std::memcpy(to + l * line + at, from + l * bytes, static_cast<std::size_t>(bytes));
        at += bytes;
    }
}

} // namespace

runtime::Array joined(Stager& s, const std::vector<Value>& values, const Joining& joining, Span span) {
    require_conversions(values, joining.dtype, span);
    const auto is_array = [](const Value& v) { return v.array() != nullptr; };
    try {
        if (s.checking() && std::ranges::any_of(values, is_array)) // because an array may be abstract
            return runtime::Array::abstract(joining.dtype, joining.shape);
        runtime::Array out = runtime::Array::empty(joining.dtype, joining.shape, s.host().allocator);
        if (out.elements() > 0) copy_parts(s, values, ir::product(outer_axes(joining)), out, span);
        return out;
    } catch (const runtime::Failure& f) {
        raise(failure_diagnostic(f, span));
    }
}

namespace {

/// The shape of the items along a new axis 0, or joined along their axis 0.
Shape joined_shape(const std::vector<Value>& items, Along along) {
    Shape shape = numeric_type(items[0]).type.shape;
    if (along == Along::new_axis) {
        shape.insert(shape.begin(), static_cast<std::int64_t>(items.size()));
        return shape;
    }
    shape[0] = 0;
    for (const Value& item : items) shape[0] += numeric_type(item).type.shape[0];
    return shape;
}

Value combined_values(Stager& s, const std::vector<Value>& items, Along along, Span span, std::optional<DType> as) {
    if (items.empty()) return runtime::Array::zeros(as.value_or(DType::f32), {0}, s.host().allocator);
    require_rows(items, along, span);
    const DType dtype = as ? *as : promoted_type(items, span).dtype;
    const Joining joining{dtype, joined_shape(items, along), 0};
    if (joined_at_once(s, items, joining)) return joined(s, items, joining, span);
    return s.array_work(span, [&] {
        ir::Values parts;
        for (const Value& v : items) {
            const ir::Value x = s.use(v, dtype);
            Shape shape = s.build().shape(x);
            if (along == Along::new_axis) shape.insert(shape.begin(), 1);
            parts.push_back(s.build().reshape(x, shape));
        }
        return s.wrap(s.build().concatenate(parts, 0));
    });
}

} // namespace

Value stack_values(Stager& s, const std::vector<Value>& items, Span span, std::optional<DType> as) {
    return combined_values(s, items, Along::new_axis, span, as);
}

void require_item(const Value& item, const Context& region, Span span) {
    require_element(item, span);
    require_outside(item, region, span);
}

namespace {

Value combined_trees(Stager& s, const std::vector<Value>& rows, Along along, Span span) {
    if (rows.empty()) return stack_values(s, {}, span);
    std::vector<std::vector<Value>> columns(leaves(rows[0]).size()); // one column for each leaf of a row
    for (std::vector<Value>& column : columns) column.reserve(rows.size());
    for (const Value& row : rows) {
        require_element(row, span);
        require_same(rows[0], row, span);
        if (!same_structure(row, rows[0]))
            raise(diagnose(Diag::stack_shapes, span, tree_text(rows[0]), tree_text(row)));
        std::size_t next = 0;
        for_each_leaf(row, [&](const Value& leaf) { columns[next++].push_back(leaf); });
    }
    std::size_t next = 0;
    return without_rows(
        map_leaves(rows[0], [&](const Value&) { return combined_values(s, columns[next++], along, span, {}); }));
}

bool has_rows(const Value& tree) {
    const std::vector<Value> found = leaves(tree);
    return found.empty() || numeric_type(found[0]).type.shape[0] > 0;
}

} // namespace

Value stack_trees(Stager& s, const std::vector<Value>& rows, Span span) {
    return combined_trees(s, rows, Along::new_axis, span);
}

Value join_trees(Stager& s, std::vector<Value> rows, Span span) {
    // An array without elements may have the dtype of no elements. It does not count beside others.
    if (std::ranges::any_of(rows, has_rows)) std::erase_if(rows, [](const Value& row) { return !has_rows(row); });
    return combined_trees(s, rows, Along::axis_0, span);
}

Value rows_joined(Stager& s, const Value& tree, Span span) {
    return map_leaves(tree, [&](const Value& leaf) {
        Shape shape = numeric_type(leaf).type.shape;
        shape[1] *= shape[0];
        shape.erase(shape.begin());
        return s.array_work(span, [&] { return s.wrap(s.build().reshape(s.use(leaf), shape)); });
    });
}

} // namespace pm::stage
