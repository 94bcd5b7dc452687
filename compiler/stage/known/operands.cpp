// Messages about operands that do not fit, with the positions and types of the operands and a suggestion.
#include "compiler/stage/known/operands.hpp"

#include "compiler/ops/core/build.hpp"
#include "compiler/ops/effects/check_attributes.hpp"
#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/known/signature.hpp"
#include "compiler/stage/values/promotion.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pm::stage {
namespace {

bool fit(const Shape& a, const Shape& b) { return ops::broadcast_shapes(a, b).has_value(); }

/// The suggestion `x[:, none]`. It adds axes of size 1 after some of the first axes of `shape`, so that `shape`
/// broadcasts with `other`. Empty if no such axes exist.
std::string with_axes(const Shape& shape, const Shape& other) {
    const std::size_t count = std::max<std::size_t>(1, other.size() > shape.size() ? other.size() - shape.size() : 1);
    for (std::size_t kept = shape.size(); kept > 0; --kept) {
        Shape made = shape;
        made.insert(made.begin() + static_cast<std::ptrdiff_t>(kept), count, 1);
        if (!fit(made, other)) continue;
        std::string index;
        for (std::size_t i = 0; i < kept + count; ++i) index += i == 0 ? ":" : i < kept ? ", :" : ", none";
        // If both have as many axes, the result has more: one element for each pair of an element of both.
        return fmt::format("{}add an axis: `x[{}]` of the one of shape {} has shape {}",
                           shape.size() == other.size() ? "for all pairs of elements, " : "", index,
                           ir::to_string(shape), ir::to_string(made));
    }
    return {};
}

/// The suggestion `x[:2]`. It takes a slice of the array with shape `shape` that has the sizes of `other`. Empty if a
/// size in `shape` is smaller than the size of the same axis in `other`.
std::string cut(const Shape& shape, const Shape& other) {
    std::vector<std::string> parts;
    bool smaller = false;
    for (std::size_t back = 1; back <= std::min(shape.size(), other.size()); ++back) {
        const std::int64_t have = shape[shape.size() - back];
        const std::int64_t want = other[other.size() - back];
        const bool same = have == want || have == 1 || want == 1;
        smaller = smaller || (!same && have < want);
        parts.push_back(same ? ":" : fmt::format(":{}", want));
    }
    if (smaller) return {};
    std::reverse(parts.begin(), parts.end());
    const bool all = parts.size() == shape.size();
    while (all && parts.size() > 1 && parts.back() == ":") parts.pop_back();
    return fmt::format("take the part that fits: `x[{}{}]` of the one of shape {}", all ? "" : "..., ",
                       fmt::join(parts, ", "), ir::to_string(shape));
}

std::string repair(const Shape& a, const Shape& b) {
    if (a.size() == 2 && b.size() == 2 && fit({a[1], a[0]}, b))
        return fmt::format("transpose one: `x.T` of the one of shape {} has shape {}", ir::to_string(a),
                           ir::to_string(Shape{a[1], a[0]}));
    const Shape& less = a.size() <= b.size() ? a : b;
    const Shape& more = a.size() <= b.size() ? b : a;
    for (const std::string& text : {with_axes(less, more), cut(more, less), cut(less, more)})
        if (!text.empty()) return text;
    return "take equal parts of both with slices, or `reshape` one";
}

} // namespace

Diagnostic no_broadcast(Span span, const Shape& first, const Shape& second) {
    return diagnose(Diag::shapes_do_not_broadcast, span, ir::to_string(first), ir::to_string(second))
        .note("axes are lined up from the last; sizes must be equal, or one of them 1")
        .fix(repair(first, second));
}

void show_operands(Diagnostic& d, Span span, const std::vector<std::pair<Span, const Value*>>& operands) {
    const bool about_shapes = d.id == Diag::shapes_do_not_broadcast || d.id == Diag::shapes_disagree;
    if (!about_shapes || !d.labels.empty() || d.span != span) return;
    for (const auto& [place, value] : operands) {
        const bool one_number = value->is_numeric() && numeric_type(*value).type.rank() == 0;
        if (place && place != span && !one_number) d.label(place, describe(*value));
    }
}

std::string valid_indices(std::int64_t size) {
    if (size == 0) return "there is nothing to index: ask for the size first";
    if (size == 1) return "the only index is 0 (or -1)";
    return fmt::format("indices go from 0 to {}, or from -{} to -1", size - 1, size);
}

std::string valid_starts(std::int64_t size, std::int64_t count) {
    if (size == count) return "the only start is 0";
    return fmt::format("a window of {} can begin at 0 to {}", count, size - count);
}

void check_divisor(ops::Build& b, ir::Value divisor, ir::Value result) {
    b.emit(ir::Op::check, {b.compare(ir::Op::not_equal, divisor, b.zeros_like(divisor)), result},
           ops::check_attributes({Diag::division_by_zero, "division of an integer by zero", nonzero_divisor(), true}));
}

std::string nonzero_divisor() { return "replace the zero: `where(b == 0, 1, b)`; or divide as floats: `a / b` is inf"; }

Diagnostic negative_power(const std::string& base, const Number& exponent, Span span) {
    return diagnose(Diag::operator_kind, span, "**", base, fmt::format("{}", exponent.i))
        .note("integers have no inverses among integers")
        .fix(fmt::format("compute with floats: `f32(x) ** {}`", exponent.i));
}

std::string argument_text(const Value& function, std::size_t argument, const std::string& path) {
    const Function* f = function.function();
    if (f && f->closure()) {
        const auto& parameters = f->closure()->text().parameters;
        const bool has_own = argument < parameters.size() && !parameters[argument].rest;
        const std::string name = has_own ? f->closure()->parameter_name(parameters[argument]) : "";
        if (!name.empty()) return fmt::format("argument {}, `{}{}`", argument, name, path);
    }
    return path.empty() ? fmt::format("argument {}", argument) : fmt::format("`{}` of argument {}", path, argument);
}

std::vector<std::string> needed_arguments(const Value& function) {
    const Function* f = function.function();
    while (f && f->transformed()) f = f->transformed()->function().function();
    std::vector<std::string> names;
    if (f && f->native()) {
        for (const Signature::Parameter& p : signature_of(*f->native()).parameters)
            if (!p.otherwise) names.push_back(p.rest ? "..." : p.name);
    } else if (f && f->closure()) {
        for (const syntax::Parameter& p : f->closure()->text().parameters) {
            const std::string name = p.rest ? "" : f->closure()->parameter_name(p);
            if (!p.otherwise) names.emplace_back(name.empty() ? "..." : name);
        }
    }
    return names;
}

Value stand_in(const NumericType& type) {
    return std::make_shared<Context>(Context::Kind::region, nullptr, "types")->parameter(type.type, type.weak);
}

std::optional<Value> fitted(Stager& s, const Value& given, const NumericType& type) {
    const NumericType g = numeric_type(given);
    const DType dtype = type.type.dtype;
    const bool fits = g.type.dtype == dtype || (g.weak && promote(g.type.dtype, true, dtype, type.weak).dtype == dtype);
    if (g.type.shape != type.type.shape || !fits) return {};
    return s.wrap(s.use(given, dtype));
}

} // namespace pm::stage
