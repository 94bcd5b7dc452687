#pragma once
#include "compiler/base/check.hpp"
#include "compiler/syntax/build/builder.hpp"
#include "compiler/syntax/build/operators.hpp"

#include <boost/spirit/home/x3.hpp>

#include <string>

/// The terminals of the grammar. The grammar reads tokens, not characters. The attribute of a terminal is its token, a
/// `const Token*`.
namespace pm::syntax::grammar {

namespace x3 = boost::spirit::x3;

using Iterator = const Token*;

struct builder_tag;
using Context = x3::context<builder_tag, Builder, x3::unused_type>;

/// Returns, within a semantic action, the Builder of this parse.
template <class ActionContext>
Builder& build(const ActionContext& context) {
    return x3::get<builder_tag>(context);
}

template <class Derived>
struct Terminal : x3::parser<Derived> {
    using attribute_type = const Token*;
    static constexpr bool has_attribute = true;

    template <class ParseContext, class RContext, class Attribute>
    bool parse(Iterator& first, const Iterator& last, const ParseContext&, RContext&, Attribute& attribute) const {
        if (first == last || !static_cast<const Derived*>(this)->accepts(first)) return false;
        x3::traits::move_to(first, attribute);
        ++first;
        return true;
    }
};

/// Matches one token of the given kind.
struct KindTerminal : Terminal<KindTerminal> {
    explicit constexpr KindTerminal(TokenKind kind) : kind(kind) {}
    bool accepts(Iterator token) const { return token->kind == kind; }
    std::string what() const { return std::string(shown(kind)); }
    TokenKind kind;
};

/// Matches one token whose kind is in a class.
struct ClassTerminal : Terminal<ClassTerminal> {
    using Test = bool (*)(TokenKind);
    constexpr ClassTerminal(Test test, const char* name) : test(test), name(name) {}
    bool accepts(Iterator token) const { return test(token->kind); }
    std::string what() const { return name; }
    Test test;
    const char* name;
};

/// Matches a binary operator. `not in` consists of two tokens.
struct BinaryTerminal : x3::parser<BinaryTerminal> {
    using attribute_type = Operator;
    static constexpr bool has_attribute = true;

    template <class ParseContext, class RContext, class Attribute>
    bool parse(Iterator& first, const Iterator& last, const ParseContext& context, RContext&,
               Attribute& attribute) const {
        if (first == last) return false;
        const bool not_in = first->kind == TokenKind::kw_not;
        if (not_in && (first + 1 == last || first[1].kind != TokenKind::kw_in)) return false;
        auto op = binary_operator(first->kind);
        if (!op) return false;
        const Iterator end = first + (not_in ? 1 : 0);
        op->span = build(context).span(first, end);
        first = end + 1;
        x3::traits::move_to(*op, attribute);
        return true;
    }
    std::string what() const { return "an operator"; }
};

/// Matches `=`, `+=` ..., and `min=` and `max=`, which consist of two adjacent tokens.
struct AssignTerminal : x3::parser<AssignTerminal> {
    using attribute_type = AssignOperator;
    static constexpr bool has_attribute = true;

    template <class ParseContext, class RContext, class Attribute>
    bool parse(Iterator& first, const Iterator& last, const ParseContext& context, RContext&,
               Attribute& attribute) const {
        if (first == last) return false;
        auto op = update_operator(first->kind);
        Iterator end = first;
        const bool least = first->kind == TokenKind::cw_min;
        if (least || first->kind == TokenKind::cw_max) {
            if (first + 1 == last || first[1].kind != TokenKind::assign || first[1].begin != first->end) return false;
            op = least ? UpdateOp::minimum : UpdateOp::maximum;
            end = first + 1;
        }
        if (!op) return false;
        x3::traits::move_to(AssignOperator{*op, build(context).span(first, end)}, attribute);
        first = end + 1;
        return true;
    }
    std::string what() const { return "an update: = += -= *= /= min= max="; }
};

/// Increases the nesting level while its subject is parsed.
template <class Subject>
struct Deeper : x3::unary_parser<Subject, Deeper<Subject>> {
    using base_type = x3::unary_parser<Subject, Deeper<Subject>>;
    static constexpr bool is_pass_through_unary = true;
    static constexpr bool handles_container = Subject::handles_container;
    explicit constexpr Deeper(const Subject& subject) : base_type(subject) {}

    template <class ParseContext, class RContext, class Attribute>
    bool parse(Iterator& first, const Iterator& last, const ParseContext& context, RContext& rcontext,
               Attribute& attribute) const {
        struct Level {
            Builder& builder;
            Level(Builder& builder, Iterator where) : builder(builder) { builder.enter(where); }
            ~Level() { builder.leave(); }
        } level(build(context), first);
        return this->subject.parse(first, last, context, rcontext, attribute);
    }
};

template <class Subject>
constexpr auto deeper(const Subject& subject) {
    return Deeper<typename x3::extension::as_parser<Subject>::value_type>(x3::as_parser(subject));
}

/// Wraps the whole right side of a rule. Sets the span of the rule's value (parts or a statement) to the span of the
/// tokens that the rule matched.
template <class Subject>
struct Spanned : x3::unary_parser<Subject, Spanned<Subject>> {
    using base_type = x3::unary_parser<Subject, Spanned<Subject>>;
    static constexpr bool is_pass_through_unary = true;
    static constexpr bool handles_container = Subject::handles_container;
    explicit constexpr Spanned(const Subject& subject) : base_type(subject) {}

    template <class ParseContext, class RuleValue, class Attribute>
    bool parse(Iterator& first, const Iterator& last, const ParseContext& context, RuleValue& value,
               Attribute& attribute) const {
        const Iterator begin = first;
        if (!this->subject.parse(first, last, context, value, attribute)) return false;
        if (first == begin) return true;
        const Span span = build(context).span(begin, first - 1);
        if constexpr (std::is_same_v<RuleValue, StmtId>)
            build(context).set_span(value, span);
        else
            value.span = span;
        return true;
    }
};

template <class Subject>
constexpr auto spanned(const Subject& subject) {
    return Spanned<typename x3::extension::as_parser<Subject>::value_type>(x3::as_parser(subject));
}

/// Parses a statement, and continues after a mistake in it. The Builder reports the mistake and returns the end of the
/// statement, where the parse continues. This parser then succeeds, as if the statement had been parsed. So a text is
/// correct only if no mistake was reported; success of the parse is not sufficient. The handler `on_error` of rules is
/// not used, for two reasons. First, since Boost 1.77 a rule does not pass the beginning of its match to the handler.
/// Second, if a handler inside of `*`, `-` or `|` returns `fail`, the parser accepts wrong texts.
template <class Subject>
struct Recovering : x3::unary_parser<Subject, Recovering<Subject>> {
    using base_type = x3::unary_parser<Subject, Recovering<Subject>>;
    static constexpr bool is_pass_through_unary = true;
    static constexpr bool handles_container = Subject::handles_container;
    explicit constexpr Recovering(const Subject& subject) : base_type(subject) {}

    template <class ParseContext, class RuleValue, class Attribute>
    bool parse(Iterator& first, const Iterator& last, const ParseContext& context, RuleValue& value,
               Attribute& attribute) const {
        const Iterator begin = first;
        const int nesting = build(context).nesting();
        try {
            return this->subject.parse(first, last, context, value, attribute);
        } catch (const x3::expectation_failure<Iterator>& failure) {
            PM_CHECK(build(context).nesting() == nesting);
            value = RuleValue{}; // the value of an incomplete statement is dropped
            first = build(context).recover(begin, failure.where(), failure.which());
            return true;
        }
    }
};

template <class Subject>
constexpr auto recovering(const Subject& subject) {
    return Recovering<typename x3::extension::as_parser<Subject>::value_type>(x3::as_parser(subject));
}

constexpr KindTerminal token(TokenKind kind) { return KindTerminal(kind); }

inline constexpr ClassTerminal any_name{is_name, "a name"};
inline constexpr ClassTerminal any_word{is_any_word, "a name"};
inline constexpr BinaryTerminal any_binary{};
inline constexpr AssignTerminal any_assignment{};

} // namespace pm::syntax::grammar

/// The name of a terminal in messages "expected ...".
namespace boost::spirit::x3 {
template <>
struct get_info<pm::syntax::grammar::KindTerminal> {
    using result_type = std::string;
    std::string operator()(const pm::syntax::grammar::KindTerminal& p) const { return p.what(); }
};
template <>
struct get_info<pm::syntax::grammar::ClassTerminal> {
    using result_type = std::string;
    std::string operator()(const pm::syntax::grammar::ClassTerminal& p) const { return p.what(); }
};
/// An action has the name of its subject.
template <class Subject, class Action>
struct get_info<action<Subject, Action>> {
    using result_type = std::string;
    std::string operator()(const action<Subject, Action>& p) const { return x3::what(p.subject); }
};
template <>
struct get_info<pm::syntax::grammar::AssignTerminal> {
    using result_type = std::string;
    std::string operator()(const pm::syntax::grammar::AssignTerminal& p) const { return p.what(); }
};
} // namespace boost::spirit::x3
