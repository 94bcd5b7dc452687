#include "compiler/stage/interpret/literals.hpp"

#include "compiler/stage/index/indexing.hpp"
#include "compiler/stage/index/stacking.hpp"
#include "compiler/stage/interpret/expressions.hpp"
#include "compiler/stage/known/arrays.hpp"
#include "compiler/stage/known/known.hpp"
#include "compiler/stage/known/known_arithmetic.hpp"
#include "compiler/stage/known/printing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace pm::stage {

namespace {

/// The magnitude of the least number of a dtype, such as 128 for i8. A literal with this value fits the dtype only
/// after a minus.
std::uint64_t magnitude_of_least(DType dtype) { return std::uint64_t{1} << (8 * runtime::size_of(dtype) - 1); }

} // namespace

Value literal(const syntax::IntLiteral& n, Span span, const SourceMap& sources) {
    const auto written = [&] { return sources.text(span); };
    if (!n.dtype) {
        if (n.value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
            raise(diagnose(Diag::number_too_large, span, written(), "i64")
                      .fix(fmt::format("write it as a u64: {}u64", written())));
        return Value::integer(static_cast<std::int64_t>(n.value));
    }
    // For a signed dtype, the parser accepts the maximum of the dtype plus one, because a minus may precede the
    // literal.
    if (runtime::is_signed_integer(*n.dtype) && n.value == magnitude_of_least(*n.dtype))
        raise(diagnose(Diag::number_too_large, span, written(), runtime::name(*n.dtype)));
    if (!runtime::is_integer(*n.dtype)) return rounded(Number::of(static_cast<double>(n.value)), *n.dtype);
    Number made;
    made.dtype = n.dtype;
    made.i = static_cast<std::int64_t>(n.value);
    return made;
}

std::optional<Number> least_number(const syntax::Module& tree, const syntax::Unary& n) {
    const auto* digits = std::get_if<syntax::IntLiteral>(&tree[n.operand].node);
    if (n.op != syntax::UnaryOp::negate || !digits) return {};
    const DType dtype = digits->dtype.value_or(DType::i64);
    if (!runtime::is_signed_integer(dtype) || digits->value != magnitude_of_least(dtype)) return {};
    Number made = Number::of(-static_cast<std::int64_t>(digits->value - 1) - 1);
    made.dtype = digits->dtype;
    return made;
}

Value literal(const syntax::FloatLiteral& n) {
    const Number made = Number::of(n.value);
    return n.dtype ? rounded(made, *n.dtype) : made;
}

// ---- records, arrays, strings

Value Expressions::record_literal(const syntax::Record& r) {
    std::vector<std::pair<std::string, Value>> fields;
    std::unordered_map<std::string, std::size_t> places;
    const auto put = [&](const std::string& name, Value value) {
        const auto [at, fresh] = places.try_emplace(name, fields.size());
        if (fresh)
            fields.emplace_back(name, std::move(value));
        else
            fields[at->second].second = std::move(value);
    };
    for (const syntax::RecordEntry& entry : r.entries) {
        Value v = evaluate(entry.value);
        if (!entry.spread) {
            put(entry.name.text, std::move(v));
            continue;
        }
        if (!v.record())
            raise(diagnose(Diag::wrong_kind, s_.tree()[entry.value].span, "`..` in a record", "a record", describe(v)));
        for (const auto& [name, value] : v.record()->fields) put(name, value);
    }
    return Value::record(std::move(fields));
}

std::vector<Value> Expressions::values_of(const std::vector<syntax::Item>& written, bool literals) {
    std::vector<Value> items;
    items.reserve(written.size());
    for (const syntax::Item& item : written) {
        const auto* inner = literals ? std::get_if<syntax::Array>(&s_.tree()[item.value].node) : nullptr;
        Value v = inner ? Value::tuple(values_of(inner->items, true)) : evaluate(item.value);
        if (!item.spread)
            items.push_back(std::move(v));
        else
            for (Value& part : spread(s_, v, s_.tree()[item.value].span)) items.push_back(std::move(part));
    }
    return items;
}

Value Expressions::typed_literal(const syntax::Array& a, DType dtype, Span span) {
    std::vector<Value> items;
    for (const syntax::Item& item : a.items) {
        const auto* inner = item.spread ? nullptr : std::get_if<syntax::Array>(&s_.tree()[item.value].node);
        const Value v = inner ? typed_literal(*inner, dtype, span) : evaluate(item.value);
        const std::vector<Value> parts =
            item.spread ? spread(s_, v, s_.tree()[item.value].span) : std::vector<Value>{v};
        for (const Value& part : parts) items.push_back(cast(s_, part, dtype, s_.tree()[item.value].span));
    }
    return stack_values(s_, items, span, dtype);
}

/// The source text of an array literal with round brackets: `(a, b)` for the literal `[a, b]` at `span`. nullopt for a
/// long literal.
std::optional<std::string> Expressions::in_round_brackets(Span span, std::size_t items) {
    std::string_view inner = s_.sources().text(span);
    if (inner.size() < 2 || inner.size() > 80 || inner.find('\n') != inner.npos) return {};
    inner = inner.substr(1, inner.size() - 2);
    return fmt::format("({}{})", inner, items == 1 && inner.back() != ',' ? "," : "");
}

Value Expressions::array_literal(const syntax::Array& a, Span span) {
    const std::vector<Value> items = values_of(a.items);
    const auto other = std::find_if(items.begin(), items.end(), [](const Value& v) { return !v.is_numeric(); });
    if (other != items.end())
        if (const auto tuple = in_round_brackets(span, items.size()))
            raise(diagnose(Diag::wrong_kind, span, "an array", "numbers or arrays as elements", describe(*other))
                      .fix(fmt::format("put anything else in a tuple, which has round brackets: {}", *tuple)));
    return stack_values(s_, items, span);
}

Value Expressions::string(const syntax::StringLiteral& s) {
    if (s.pieces.size() == 1 && !s.pieces[0].value) return s.pieces[0].text;
    std::string text;
    Template pieces;
    // The width and the number of digits in a format must be known, because the format is fixed before the program
    // runs.
    const auto known_part = [&](syntax::ExprId part) -> Value {
        const Value v = evaluate(part);
        return v.staged() ? Value::integer(need_integer(s_, v, s_.tree()[part].span, "a format")) : v;
    };
    const auto format_of = [&](const syntax::StringPiece& p) {
        if (!p.computed_format) return p.format;
        std::string format;
        for (const syntax::StringPiece& f : std::get<syntax::StringLiteral>(s_.tree()[p.computed_format].node).pieces)
            format += f.value ? need_text(s_, text_of(known_part(f.value), {}, f.span), f.span, "a format") : f.text;
        return format;
    };
    for (const syntax::StringPiece& p : s.pieces) {
        if (!p.value) {
            text += p.text;
            continue;
        }
        append_formatted(pieces, text, evaluate(p.value), format_of(p), p.span);
    }
    return text_value(std::move(pieces), std::move(text));
}

namespace {

/// Whether `name` is written like the exponent of a number, such as "e5".
bool is_exponent(std::string_view name) {
    return name.size() > 1 && (name[0] == 'e' || name[0] == 'E') &&
           name.find_first_not_of("0123456789_", 1) == std::string_view::npos;
}

} // namespace

Value Expressions::field_of_literal(const syntax::Field& f) {
    try {
        return field(s_, evaluate(f.object), f.name);
    } catch (Error& e) {
        if (e.diagnostic().id == Diag::unknown_field && is_exponent(f.name.text)) {
            e.diagnostic().notes.clear(); // the notes list fields, which a number does not have
            e.diagnostic().help.push_back(fmt::format("a float has a digit after its point: {}.0{}",
                                                      s_.sources().text(s_.tree()[f.object].span), f.name.text));
        }
        throw;
    }
}

} // namespace pm::stage
