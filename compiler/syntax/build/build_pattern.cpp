#include "compiler/syntax/build/builder.hpp"

#include <algorithm>
#include <unordered_map>

namespace pm::syntax {

PatternId Builder::name_pattern(const Token* token) {
    const std::string_view text = tokens_.text_of(*token);
    if (text == "_") return module_.add(Pattern{span(token), WildcardPattern{}});
    return module_.add(Pattern{span(token), NamePattern{std::string(text)}});
}

PatternId Builder::keyword_pattern(const Token* token) {
    report(keyword_as_name(token));
    return module_.add(Pattern{span(token), WildcardPattern{}});
}

PatternId Builder::round_pattern(PatternEntries parts) {
    if (parts.elements.size() == 1 && !parts.comma && !parts.elements.front().rest) {
        module_[parts.elements.front().pattern].span = parts.span;
        return parts.elements.front().pattern;
    }
    Span first;
    for (const TuplePattern::Element& element : parts.elements) {
        if (!element.rest) continue;
        const Span where = module_[element.pattern].span;
        if (first) report(diagnose(Diag::several_rests, where).label(first, "the first one"));
        first = where;
    }
    return module_.add(Pattern{parts.span, TuplePattern{std::move(parts.elements)}});
}

PatternId Builder::record_pattern(PatternEntries parts) {
    std::vector<Name> names;
    for (const RecordPattern::Entry& entry : parts.fields) names.push_back(entry.field);
    check_distinct(names, Diag::duplicate_field);
    return module_.add(Pattern{parts.span, RecordPattern{std::move(parts.fields)}});
}

void Builder::check_distinct(const std::vector<Name>& names, Diag id) {
    if (names.size() < 2) return;
    std::unordered_map<std::string_view, Span> seen;
    for (const Name& name : names) {
        const auto [place, fresh] = seen.emplace(name.text, name.span);
        if (!fresh) report(diagnose(id, name.span, name.text).label(place->second, "the first time"));
    }
}

/// Appends the names that a pattern binds or assigns, in the order of the text.
void Builder::collect(PatternId id, std::vector<Name>& names) const {
    if (!id) return;
    const Pattern& pattern = module_[id];
    if (const auto* name = std::get_if<NamePattern>(&pattern.node)) names.push_back({name->text, pattern.span});
    if (const auto* tuple = std::get_if<TuplePattern>(&pattern.node))
        for (const TuplePattern::Element& element : tuple->elements) collect(element.pattern, names);
    if (const auto* record = std::get_if<RecordPattern>(&pattern.node))
        for (const RecordPattern::Entry& entry : record->entries) collect(entry.pattern, names);
}

void Builder::check_distinct(PatternId pattern) {
    std::vector<Name> names;
    collect(pattern, names);
    check_distinct(names, Diag::duplicate_binding);
}

// -- Left of `=`: an expression becomes a pattern

PatternId Builder::no_place(ExprId id) {
    const Expr& expr = module_[id];
    struct Visitor {
        std::string operator()(const Transform& t) const {
            return fmt::format("`{}`: it is a keyword", syntax::name(t.kind));
        }
        std::string operator()(const IntLiteral&) const { return "a number"; }
        std::string operator()(const FloatLiteral&) const { return "a number"; }
        std::string operator()(const ImaginaryLiteral&) const { return "a number"; }
        std::string operator()(const BoolLiteral& b) const { return b.value ? "`true`" : "`false`"; }
        std::string operator()(const NoneLiteral&) const { return "`none`"; }
        std::string operator()(const StringLiteral&) const { return "a text"; }
        std::string operator()(const Array&) const { return "an array"; }
        std::string operator()(const Call&) const { return "the result of a call"; }
        std::string operator()(const TransformCall&) const { return "the result of a call"; }
        std::string operator()(const MethodCall&) const { return "the result of a call"; }
        std::string operator()(const Lambda&) const { return "a function"; }
        std::string operator()(const Invalid&) const { return "this"; }
        std::string operator()(const NameRef&) const { return "this name"; }
        std::string operator()(const Tuple&) const { return "a tuple"; }
        std::string operator()(const Record&) const { return "a record"; }
        std::string operator()(const Comprehension&) const { return "a comprehension"; }
        std::string operator()(const Unary&) const { return "the result of an operator"; }
        std::string operator()(const Binary&) const { return "the result of an operator"; }
        std::string operator()(const Range&) const { return "a range"; }
        std::string operator()(const Field&) const { return "a field of a value without a name"; }
        std::string operator()(const TupleIndex&) const { return "an element of a value without a name"; }
        std::string operator()(const Index&) const { return "an element of a value without a name"; }
        std::string operator()(const With&) const { return "the result of `with`"; }
        std::string operator()(const If&) const { return "the result of `if`"; }
    };
    Diagnostic d = diagnose(Diag::not_a_place, expr.span, std::visit(Visitor{}, expr.node));
    if (std::holds_alternative<Array>(expr.node))
        d.help.push_back("a pattern for several values is a tuple: (a, b) = ...");
    if (std::holds_alternative<Binary>(expr.node)) d.help.push_back("`==` compares");
    report(std::move(d));
    return module_.add(Pattern{expr.span, WildcardPattern{}});
}

PatternId Builder::tuple_target(const Tuple& tuple, Span span) {
    PatternEntries parts;
    parts.span = span;
    parts.comma = true;
    for (const Item& item : tuple.items) parts.elements.push_back({target(item.value), item.spread});
    return round_pattern(std::move(parts));
}

PatternId Builder::record_target(const Record& record, Span span) {
    PatternEntries parts;
    parts.span = span;
    for (const RecordEntry& entry : record.entries) {
        if (entry.spread)
            report(diagnose(Diag::not_a_place, span_of(entry.value), "`..`")
                       .fix("other fields are ignored; leave it out"));
        else
            parts.fields.push_back({entry.name, target(entry.value)});
    }
    return record_pattern(std::move(parts));
}

/// The pattern for an assignment to a place such as `name.f[i].0`. The innermost object must be a name.
PatternId Builder::place_target(ExprId id) {
    std::vector<Selector> path;
    ExprId at = id;
    while (true) {
        const Expr& expr = module_[at];
        Selector step;
        step.span = expr.span;
        ExprId object;
        if (const auto* field = std::get_if<Field>(&expr.node)) {
            object = field->object;
            step.kind = Selector::Kind::field;
            step.name = field->name;
            step.span = field->name.span;
        } else if (const auto* element = std::get_if<TupleIndex>(&expr.node)) {
            object = element->object;
            step.kind = Selector::Kind::tuple_index;
            step.number = element->index;
            step.span = element->index_span;
        } else if (const auto* index = std::get_if<Index>(&expr.node)) {
            object = index->object;
            step.kind = Selector::Kind::index;
            step.items = index->items;
            step.span.begin = span_of(object).end;
        } else if (const auto* name = std::get_if<NameRef>(&expr.node)) {
            std::reverse(path.begin(), path.end());
            return module_.add(Pattern{span_of(id), PlacePattern{{name->text, expr.span}, std::move(path)}});
        } else {
            return no_place(id);
        }
        path.push_back(std::move(step));
        at = object;
    }
}

PatternId Builder::target(ExprId id) {
    const Expr& expr = module_[id];
    if (const auto* name = std::get_if<NameRef>(&expr.node)) {
        if (name->text == "_") return module_.add(Pattern{expr.span, WildcardPattern{}});
        return module_.add(Pattern{expr.span, NamePattern{name->text}});
    }
    if (const auto* tuple = std::get_if<Tuple>(&expr.node)) return tuple_target(*tuple, expr.span);
    if (const auto* record = std::get_if<Record>(&expr.node)) return record_target(*record, expr.span);
    return place_target(id);
}

StmtId Builder::assignment(ExprId left, AssignOperator op, ExprId value) {
    const std::size_t errors_before = errors_.size();
    const PatternId place = target(left);
    const auto& node = module_[place].node;
    if (errors_.size() == errors_before && op.op != UpdateOp::set && !std::holds_alternative<NamePattern>(node) &&
        !std::holds_alternative<PlacePattern>(node))
        report(diagnose(Diag::update_of_pattern, op.span, spelling(op.op),
                        std::holds_alternative<TuplePattern>(node)    ? "a tuple"
                        : std::holds_alternative<RecordPattern>(node) ? "a record"
                                                                      : "`_`"));
    check_distinct(place);
    return add({join(span_of(left), span_of(value)), Assign{place, op.op, op.span, value}},
               {height(left), height(value)});
}

} // namespace pm::syntax
