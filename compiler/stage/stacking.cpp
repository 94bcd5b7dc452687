// Several values as one array along a new axis.
#include "compiler/stage/stacking.hpp"

#include "compiler/stage/context.hpp"
#include "compiler/stage/specialise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace pm::stage {
namespace {

/// A program with more inputs than this takes longer to make and to call than their bytes take to be copied.
constexpr std::size_t most_inputs = 16;
/// Bytes that are copied in less time than a program is called.
constexpr std::int64_t few_bytes = std::int64_t{1} << 20;

void write_number(const Number& n, DType dtype, void* to, std::int64_t i) {
    if (n.is_complex())
        runtime::write_c128(dtype, to, i, n.as_c128());
    else if (n.kind == Number::Kind::floating)
        runtime::write_f64(dtype, to, i, n.f);
    else
        runtime::write_i64(dtype, to, i, n.data());
}

std::int64_t bytes_of(const Value& v) { return v.array() ? v.array()->bytes() : 8; }

/// What cannot be an element of an array, with its repair.
[[noreturn]] void refuse_element(const Value& v, Span span) {
    auto d = diagnose(Diag::wrong_kind, span, "an array", "numbers or arrays as elements", describe(v));
    if (v.text()) raise(std::move(d).fix("several texts make a tuple: (\"a\", \"b\")"));
    if (v.function() || v.is_none()) raise(std::move(d).fix("functions and `none` stand in a tuple: (a, b)"));
    if (v.tuple() || v.record())
        raise(std::move(d).fix("what is no number stands in a tuple: ((1, 0), (2, 0)), one alone ((1, 0),)"));
    raise(std::move(d));
}

void require_rows(const std::vector<Value>& items, Span span) {
    Shape first;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (!items[i].is_numeric()) refuse_element(items[i], span);
        Shape shape = numeric_type(items[i]).type.shape;
        if (i == 0)
            first = std::move(shape);
        else if (shape != first)
            raise(diagnose(Diag::stack_shapes, span, ir::to_string(first), ir::to_string(shape))
                      .fix("arrays of several shapes stand in a tuple: (a, b); concatenate((a, b)) joins them"));
    }
}

} // namespace

bool joined_at_once(Stager& s, const std::vector<Value>& values) {
    if (!s.interpreting() && s.context()->kind() != Context::Kind::eager) return false;
    const auto at_hand = [](const Value& v) { return v.number() || (v.array() && v.array()->on_host()); };
    if (!std::ranges::all_of(values, at_hand)) return false;
    if (values.size() > most_inputs) return true;
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

/// Copies numbers and arrays, converted, to the `lines` lines of `out`, each of which has a part of every one.
void copy_parts(Stager& s, const std::vector<Value>& values, std::int64_t lines, runtime::Array& out, Span span) {
    constexpr std::size_t poll_every = 1024;
    auto* const to = static_cast<std::byte*>(out.mutable_data());
    const auto width = static_cast<std::int64_t>(runtime::size_of(out.dtype()));
    const std::int64_t line = out.bytes() / lines;
    std::int64_t at = 0; // bytes, in each line
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i % poll_every == 0) s.poll(span);
        if (const Number* n = values[i].number()) {
            for (std::int64_t l = 0; l < lines; ++l) write_number(*n, out.dtype(), to + l * line + at, 0);
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
        if (s.checking() && std::ranges::any_of(values, is_array)) // which may have no elements
            return runtime::Array::abstract(joining.dtype, joining.shape);
        runtime::Array out = runtime::Array::empty(joining.dtype, joining.shape, s.host().allocator);
        const Shape outer(joining.shape.begin(), joining.shape.begin() + static_cast<std::ptrdiff_t>(joining.axis));
        if (out.elements() > 0) copy_parts(s, values, ir::product(outer), out, span);
        return out;
    } catch (const runtime::Failure& f) {
        raise(failure_diagnostic(f, span));
    }
}

Value Stager::stack_values(const std::vector<Value>& items, Span span, std::optional<DType> as) {
    if (items.empty()) return runtime::Array::zeros(as.value_or(DType::f32), {0}, host_.allocator);
    require_rows(items, span);
    const DType dtype = as ? *as : promoted(items, span).dtype;
    if (joined_at_once(*this, items)) {
        Shape shape = numeric_type(items[0]).type.shape;
        shape.insert(shape.begin(), static_cast<std::int64_t>(items.size()));
        return joined(*this, items, {dtype, std::move(shape), 0}, span);
    }
    return array_work(span, [&] {
        ir::Values parts;
        for (const Value& v : items) {
            const ir::Value x = use(v, dtype);
            Shape shape = build().shape(x);
            shape.insert(shape.begin(), 1);
            parts.push_back(build().reshape(x, shape));
        }
        return wrap(build().concatenate(parts, 0));
    });
}

} // namespace pm::stage
