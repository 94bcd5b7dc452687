#include "compiler/syntax/build/builder.hpp"
#include "compiler/syntax/parse.hpp"
#include "compiler/syntax/repairs.hpp"

#include <algorithm>

/// Messages for tokens that the grammar expected and did not find, and the token at which the parse continues.
namespace pm::syntax {
namespace {

using Kind = TokenKind;

std::string_view closer_of(Kind opener) {
    if (opener == Kind::round_open) return ")";
    if (opener == Kind::square_open) return "]";
    return "}";
}

/// The name of the found token in messages: "`foo`", "`let`", "a number" ...
std::string found(const Tokens& tokens, const Token& token) {
    if (is_any_word(token.kind) || token.kind == Kind::integer || token.kind == Kind::real ||
        token.kind == Kind::imaginary)
        return fmt::format("`{}`", tokens.text_of(token).substr(0, 40));
    return std::string(shown(token.kind));
}

/// The expected tokens as text of a message. After an element of a list, the grammar expects only "`)`", but a comma
/// would be correct too.
std::string wanted(std::string_view expected, const Token& previous) {
    const bool element_due = previous.kind == Kind::comma || previous.kind == Kind::round_open ||
                             previous.kind == Kind::square_open || previous.kind == Kind::record_open;
    if (expected == "`)`" || expected == "`]`")
        return fmt::format("{} or {}", element_due ? "an expression" : "`,`", expected);
    if (expected == "`}`") return fmt::format("{} or {}", element_due ? "the name of a field" : "`,`", expected);
    return std::string(expected);
}

} // namespace

void Builder::report(Diagnostic diagnostic) {
    errors_.push_back(std::move(diagnostic));
    if (errors_.size() >= max_errors) throw GiveUp{};
}

void Builder::enter(const Token* where) {
    if (++nesting_ <= max_nesting) return;
    report(diagnose(Diag::nesting_too_deep, span(where), max_nesting)
               .fix("name a part with `let` or `fn` and go on from the name"));
    throw GiveUp{};
}

Diagnostic Builder::keyword_as_name(const Token* token) const {
    Diagnostic d = diagnose(Diag::keyword_as_name, span(token), tokens_.text_of(*token));
    if (is_transform(token->kind)) d.notes.emplace_back("the transformations and collectives cannot be bound anew");
    if (token->kind == Kind::kw_mut) {
        d.help.emplace_back("a name that changes is made by `mut x = ...`, without `let`");
        return d;
    }
    d.help.push_back(fmt::format("choose another name, as `{}_`", tokens_.text_of(*token)));
    return d;
}

Diagnostic Builder::explain(const Token* first, const Token* where, std::string_view expected) const {
    const Token& previous = where == tokens_.list.data() ? *where : where[-1];
    const Span behind{tokens_.source, previous.end,
                      std::min(previous.end + 1, static_cast<std::uint32_t>(tokens_.text.size()))};
    const auto unclosed = [&](std::uint32_t opener) {
        const Token& open = tokens_.list[opener];
        const std::string_view closer = closer_of(open.kind);
        const bool begins_statement = opener == 0 || tokens_.list[opener - 1].kind == Kind::newline;
        const bool record = begins_statement && closer == "}";
        return diagnose(Diag::unclosed_bracket, behind, closer)
            .label(span(&open), fmt::format("this `{}` is not closed", spelling(open.kind)))
            .fix(record ? "a `{` at the beginning of a statement begins a record; a block follows `if true`, or is the "
                          "body of a function"
                        : fmt::format("add `{}`", closer));
    };
    if (where->kind == Kind::missing) return unclosed(where->extra);
    if (where->kind == Kind::end && !layout_.open_at_end.empty()) return unclosed(layout_.open_at_end.back());
    if (where->kind == Kind::foreign) {
        const std::string_view text = tokens_.text_of(*where);
        Diagnostic d = diagnose(Diag::foreign_token, span(where), text);
        // the message cannot quote a backquote in backquotes
        if (text == "`") d.message = "a backquote is not part of the language";
        if (const std::string_view fix = repair_of_symbol(text); !fix.empty()) d.help.emplace_back(fix);
        return d;
    }
    if (expected == "a name" && is_keyword(where->kind)) return keyword_as_name(where);
    if (is_closer(where->kind) && where->extra != 0) {
        Diagnostic d = diagnose(Diag::unmatched_bracket, span(where), tokens_.text_of(*where));
        if (const Token* open = enclosing_bracket(first, where); open != nullptr)
            d.label(span(open),
                    fmt::format("this `{}` is closed by `{}`", spelling(open->kind), closer_of(open->kind)));
        return d;
    }
    const bool line_ends = where->kind == Kind::newline || where->kind == Kind::end;
    Diagnostic d = diagnose(Diag::syntax_expected, line_ends ? behind : span(where),
                            fmt::format("{}, found {}", wanted(expected, previous), found(tokens_, *where)));
    if (std::string fix = repair(tokens_, first, where, expected); !fix.empty()) d.help.push_back(std::move(fix));
    // The unexpected token is on a later line than the token before it, inside of an open bracket. The likely mistake
    // is that the bracket was not closed, so the bracket is shown.
    const Token* open = line_ends ? nullptr : enclosing_bracket(first, where);
    const std::string_view between =
        tokens_.text.substr(previous.end, where->begin - std::min(previous.end, where->begin));
    if (open != nullptr && open->kind != Kind::block_open && between.find('\n') != std::string_view::npos)
        d.label(span(open), fmt::format("this `{}` is still open", spelling(open->kind)));
    return d;
}

const Token* Builder::recover(const Token* first, const Token* where, std::string_view expected) {
    // If the lexer or the layout pass reported a mistake in this statement, that mistake is the likely cause.
    const bool known = std::any_of(errors_.begin(), errors_.begin() + early_, [&](const Diagnostic& d) {
        return d.span.begin >= first->begin && d.span.begin <= where->end;
    });
    const bool at_end = where->kind == Kind::end;
    if (!known) {
        if (at_end) ++at_end_;
        report(explain(first, where, expected));
    }
    const Token* end = where;
    // If the body is missing here but a `{` begins the next line, the text in braces belongs to this statement.
    if (where->kind == Kind::newline && where[1].kind == Kind::record_open &&
        (expected == "`{`" || expected == "a body"))
        ++end;
    const auto ends = [&](const Token& token) {
        if (token.depth < first->depth || token.kind == Kind::end) return true;
        return token.depth == first->depth && (token.kind == Kind::newline || token.kind == Kind::semicolon);
    };
    while (!ends(*end)) ++end;
    // Skips at least one token, so that the parse makes progress.
    if (end == first && end->kind != Kind::end) ++end;
    return end;
}

} // namespace pm::syntax
