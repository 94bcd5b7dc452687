#include "compiler/base/check.hpp"
#include "compiler/syntax/build/builder.hpp"
#include "compiler/syntax/build/number_text.hpp"
#include "compiler/syntax/parse.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace pm::syntax {
namespace {

using runtime::DType;

std::string without_underscores(std::string_view text) {
    std::string out(text);
    out.erase(std::remove(out.begin(), out.end(), '_'), out.end());
    return out;
}

/// The value of the digits of an integer. Empty if the value exceeds 2^64-1.
std::optional<std::uint64_t> parse_integer(std::string_view digits) {
    int base = 10;
    if (digits.size() > 2 && digits[0] == '0') {
        const char mark = static_cast<char>(digits[1] | 0x20);
        base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
        if (base != 10) digits.remove_prefix(2);
    }
    std::uint64_t value = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (result.ec != std::errc{}) return {};
    return value;
}

} // namespace

std::uint32_t Builder::bounded(std::initializer_list<std::uint32_t> below, Span span) {
    const std::uint32_t height = below.size() == 0 ? 1 : 1 + std::max(below);
    if (height <= max_tree_height) return height;
    report(
        diagnose(Diag::nesting_too_deep, span, max_tree_height).fix("name a part with `let` and go on from the name"));
    throw GiveUp{};
}

ExprId Builder::add(Expr expr, std::initializer_list<std::uint32_t> below) {
    expr_heights_.push_back(bounded(below, expr.span));
    return module_.add(std::move(expr));
}

std::uint32_t Builder::height(const std::vector<Item>& items) const {
    std::uint32_t most = 0;
    for (const Item& item : items) most = std::max(most, height(item.value));
    return most;
}

std::uint32_t Builder::height(const std::vector<Argument>& arguments) const {
    std::uint32_t most = 0;
    for (const Argument& argument : arguments) most = std::max(most, height(argument.value));
    return most;
}

std::uint32_t Builder::height(const std::vector<IndexItem>& items) const {
    std::uint32_t most = 0;
    for (const IndexItem& item : items)
        most = std::max({most, height(item.first), height(item.last), height(item.step)});
    return most;
}

std::uint32_t Builder::height(const std::vector<Selector>& path) const {
    std::uint32_t most = 0;
    for (const Selector& step : path) most = std::max(most, height(step.items));
    return most;
}

ExprId Builder::number(const Token* token) {
    const Span where = span(token);
    const std::string_view whole = tokens_.text_of(*token);
    const std::string digits = without_underscores(whole.substr(0, token->extra - token->begin));
    const std::string_view suffix = whole.substr(token->extra - token->begin);
    const std::optional<DType> dtype = suffix.empty() ? std::nullopt : dtype_named(suffix);
    const bool based =
        digits.size() > 1 && digits[0] == '0' && std::isalpha(static_cast<unsigned char>(digits[1])) != 0;
    if (token->kind == TokenKind::real || token->kind == TokenKind::imaginary ||
        (dtype && runtime::is_float(*dtype) && !based)) {
        const double value = parse_double(digits);
        if (std::isinf(value)) {
            report(diagnose(Diag::number_too_large, where, whole, "f64").fix("infinity is `inf`"));
            return add({where, Invalid{}}, {});
        }
        if (token->kind == TokenKind::imaginary) return add({where, ImaginaryLiteral{value}}, {});
        return add({where, FloatLiteral{value, dtype}}, {});
    }
    const std::optional<std::uint64_t> value = parse_integer(digits);
    // The number may be the operand of a minus, so the maximum of the dtype plus one is allowed.
    std::uint64_t most = ~std::uint64_t{0};
    if (dtype && runtime::is_integer(*dtype)) {
        const auto bits = 8 * runtime::size_of(*dtype);
        most = runtime::is_signed_integer(*dtype) ? std::uint64_t{1} << (bits - 1) : most >> (64 - bits);
    }
    if (!value || *value > most) {
        Diagnostic d = diagnose(Diag::number_too_large, where, whole, suffix.empty() ? "a whole number" : suffix);
        const bool decimal = digits.find_first_not_of("0123456789_") == std::string_view::npos;
        if (suffix.empty() && decimal) d.help.emplace_back("write it with a point, as a float");
        report(std::move(d));
        return add({where, Invalid{}}, {});
    }
    if (dtype && runtime::is_float(*dtype)) return add({where, FloatLiteral{static_cast<double>(*value), dtype}}, {});
    return add({where, IntLiteral{*value, dtype}}, {});
}

ExprId Builder::text(TextParts parts) {
    std::uint32_t most = 0;
    for (const StringPiece& piece : parts.pieces)
        most = std::max({most, height(piece.value), height(piece.computed_format)});
    return add({parts.span, StringLiteral{std::move(parts.pieces)}}, {most});
}

void Builder::set_format(StringPiece& piece, TextParts parts) {
    if (parts.pieces.size() == 1 && !parts.pieces.front().value)
        piece.format = std::move(parts.pieces.front().text);
    else
        piece.computed_format = text(std::move(parts));
}

ExprId Builder::name_ref(const Token* token) {
    const std::string_view text = tokens_.text_of(*token);
    if (text == "True" || text == "False" || text == "None") {
        std::string own(text);
        own.front() = static_cast<char>(own.front() | 0x20);
        report(diagnose(Diag::foreign_token, span(token), text).fix(fmt::format("write `{}`", own)));
    }
    return add({span(token), NameRef{std::string(text)}}, {});
}

ExprId Builder::transform(const Token* token) {
    const std::optional<TransformKind> kind = transform_named(tokens_.text_of(*token));
    PM_CHECK(kind.has_value());
    return add({span(token), Transform{*kind}}, {});
}

ExprId Builder::comprehension(const Group& group, bool tuple) {
    ExprId body = group.items.front().value;
    for (std::size_t i = group.loops.size(); i-- > 0;) {
        const ForPart& loop = group.loops[i];
        const bool nested = i + 1 < group.loops.size();
        body = add({group.span, Comprehension{tuple, body, nested, loop.pattern, loop.source, loop.condition}},
                   {height(body), height(loop.source), height(loop.condition)});
    }
    return body;
}

ExprId Builder::round(Group group) {
    if (!group.loops.empty()) return comprehension(group, true);
    if (group.items.size() == 1 && !group.comma && !group.items.front().spread) {
        // the span of an expression in brackets includes the brackets
        module_[group.items.front().value].span = group.span;
        return group.items.front().value;
    }
    const std::uint32_t below = height(group.items);
    return add({group.span, Tuple{std::move(group.items)}}, {below});
}

ExprId Builder::square(Group group) {
    if (!group.loops.empty()) return comprehension(group, false);
    const std::uint32_t below = height(group.items);
    return add({group.span, Array{std::move(group.items)}}, {below});
}

ExprId Builder::record(Entries entries) {
    std::uint32_t most = 0;
    std::vector<Name> names;
    for (const RecordEntry& entry : entries.list) {
        most = std::max(most, height(entry.value));
        if (!entry.spread) names.push_back(entry.name);
    }
    check_distinct(names, Diag::duplicate_field);
    return add({entries.span, Record{std::move(entries.list)}}, {most});
}

RecordEntry Builder::text_entry(const TextParts& key, ExprId value) {
    return {{plain_text(key, "the name of a field"), key.span}, value};
}

RecordEntry Builder::shorthand(const Token* name) { return {this->name(name), name_ref(name)}; }

std::string Builder::plain_text(const TextParts& parts, std::string_view whose) {
    std::string out;
    for (const StringPiece& piece : parts.pieces) {
        if (piece.value)
            report(diagnose(Diag::text_key_with_value, piece.span, whose).fix("for braces, write `{{` and `}}`"));
        out += piece.text;
    }
    return out;
}

ExprId Builder::conditional(Conditional parts) {
    std::uint32_t most = height(parts.otherwise);
    for (const If::Branch& branch : parts.branches)
        most = std::max({most, height(branch.condition), height(branch.block)});
    return add({parts.span, If{std::move(parts.branches), parts.otherwise}}, {most});
}

ExprId Builder::lambda(FunctionParts parts) {
    const Span where = parts.span;
    const FunctionId id = function(std::move(parts));
    return add({where, Lambda{id}}, {function_heights_[id.value - 1]});
}

void Builder::check_arguments(const std::vector<Argument>& arguments) {
    std::vector<Name> names;
    for (const Argument& argument : arguments) {
        if (argument.named())
            names.push_back(argument.name);
        else if (!names.empty())
            report(diagnose(Diag::argument_order, span_of(argument.value))
                       .label(names.back().span, "the named argument")
                       .fix("put the named arguments last"));
    }
    check_distinct(names, Diag::duplicate_argument);
}

ExprId Builder::call(ExprId callee, Arguments arguments) {
    check_arguments(arguments.list);
    const Span callee_span = span_of(callee);
    const Span where = join(callee_span, arguments.span);
    const std::uint32_t below = height(arguments.list);
    if (const Transform* keyword = std::get_if<Transform>(&module_[callee].node))
        return add({where, TransformCall{keyword->kind, callee_span, std::move(arguments.list)}}, {below});
    return add({where, Call{callee, std::move(arguments.list)}}, {height(callee), below});
}

void Builder::check_indices(const std::vector<IndexItem>& items) {
    Span first;
    for (const IndexItem& item : items) {
        if (item.kind != IndexItem::Kind::ellipsis) continue;
        if (first) report(diagnose(Diag::several_ellipses, item.span).label(first, "the first one"));
        first = item.span;
    }
}

ExprId Builder::index(ExprId object, Indices indices) {
    check_indices(indices.list);
    const std::uint32_t below = height(indices.list);
    return add({join(span_of(object), indices.span), Index{object, std::move(indices.list)}}, {height(object), below});
}

ExprId Builder::member(ExprId object, Member member) {
    const Span where = join(span_of(object), span(member.token));
    if (member.token->kind == TokenKind::integer) {
        const Selector step = selector(member);
        return add({where, TupleIndex{object, step.number, step.span}}, {height(object)});
    }
    if (!member.called) return add({where, Field{object, name(member.token)}}, {height(object)});
    check_arguments(member.arguments.list);
    const std::uint32_t below = height(member.arguments.list);
    return add(
        {join(where, member.arguments.span), MethodCall{object, name(member.token), std::move(member.arguments.list)}},
        {height(object), below});
}

Selector Builder::selector(const Member& member) {
    Selector step;
    step.span = span(member.token);
    if (member.token->kind != TokenKind::integer) {
        step.kind = Selector::Kind::field;
        step.name = name(member.token);
        return step;
    }
    step.kind = Selector::Kind::tuple_index;
    const std::optional<std::uint64_t> number = parse_integer(without_underscores(tokens_.text_of(*member.token)));
    if (!number) report(diagnose(Diag::number_too_large, step.span, tokens_.text_of(*member.token), "an index"));
    step.number = number.value_or(0);
    return step;
}

Selector Builder::selector(Indices indices) {
    check_indices(indices.list);
    Selector step;
    step.kind = Selector::Kind::index;
    step.span = indices.span;
    step.items = std::move(indices.list);
    return step;
}

ExprId Builder::update(ExprId base, Update update) {
    if (update.op > UpdateOp::maximum)
        report(diagnose(Diag::update_operator, update.op_span, spelling(update.op))
                   .fix("the updates are = += -= *= /= min= max="));
    const std::uint32_t below = height(update.path);
    return add({join(span_of(base), span_of(update.value)),
                With{base, std::move(update.path), update.op, update.op_span, update.value}},
               {height(base), below, height(update.value)});
}

} // namespace pm::syntax
