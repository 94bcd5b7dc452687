#include "compiler/syntax/format/writer.hpp"

#include "compiler/base/check.hpp"
#include "compiler/syntax/grammar/lexical.hpp"

namespace pm::syntax::format {

// -- Tokens

/// Returns the comments before the next token, and removes them from the token's trivia.
DocId Writer::lead(bool first_blank) {
    Trivia& trivia = trivia_[at_];
    if (trivia.leading.empty()) return {};
    std::vector<DocId> parts;
    for (const Comment& comment : trivia.leading) {
        parts.push_back(d_.own_line(comment.text, comment.blank_before && (first_blank || !parts.empty())));
    }
    if (trivia.blank_before) parts.push_back(d_.blank());
    trivia.leading.clear();
    return d_.concat(std::move(parts));
}

/// The comments at the end of a list, a block or the file, on new lines.
DocId Writer::last_comments(bool may_be_blank) {
    Trivia& trivia = trivia_[at_];
    if (trivia.leading.empty()) return {};
    trivia.blank_before = false;
    const DocId line = d_.hard_line(may_be_blank && trivia.blank_at_all);
    return d_.concat({line, lead(false)});
}

/// Skips a comma or a semicolon, and returns the comments around this token.
DocId Writer::remark() {
    trivia_[at_].blank_before = false;
    const DocId front = lead(true);
    const std::string_view behind = trivia_[at_++].trailing;
    return d_.concat({front, behind.empty() ? DocId{} : d_.trailing(behind)});
}

DocId Writer::take() {
    const DocId front = lead(true);
    const DocId text = d_.text(tokens_.text_of(tokens_.list[at_]));
    const std::string_view behind = trivia_[at_++].trailing;
    return d_.concat({front, text, behind.empty() ? DocId{} : d_.trailing(behind)});
}

DocId Writer::take(Kind expected) {
    PM_CHECK(is(expected), std::string(shown(kind())));
    return take();
}

/// The next token. A blank precedes the token only if, without the blank, the lexer would join it with the previous
/// token.
DocId Writer::glued() {
    const DocId between = must_part(at_) ? d_.space() : DocId{};
    return d_.concat({between, take()});
}

/// Whether the lexer would read token `right` and the token before it as other tokens if no blank were between them:
/// `1. ..n`, `1 .0`.
bool Writer::must_part(std::size_t right) const {
    const Token& before = tokens_.list[right - 1];
    const Token& token = tokens_.list[right];
    const std::string left(tokens_.text_of(before));
    std::string both = left + std::string(tokens_.text_of(token));
    const std::size_t size = both.size();
    if (token.kind == Kind::dot)
        both += tokens_.text_of(tokens_.list[right + 1]); // the lexer of numbers reads the character after a point
    const bool after_point = right >= 2 && tokens_.list[right - 2].kind == Kind::dot;
    const char* const middle = both.data() + left.size();
    const char* const end = both.data() + both.size();
    if (before.kind != Kind::text_end && grammar::read_lexeme(both.data(), end, after_point).end != middle) return true;
    return token.kind != Kind::text_begin &&
           grammar::read_lexeme(middle, end, before.kind == Kind::dot).end != both.data() + size;
}

/// Whether the next token is an assignment operator. `min=` and `max=` consist of two adjacent tokens.
bool Writer::is_update() const {
    if (is_assignment(kind())) return true;
    return (is(Kind::cw_min) || is(Kind::cw_max)) && kind(1) == Kind::assign &&
           tokens_.list[at_].end == tokens_.list[at_ + 1].begin;
}

// -- Statements

std::vector<Writer::Part> Writer::statements(bool& several_lines) {
    std::vector<Part> parts;
    while (!is(Kind::block_close) && !is(Kind::end)) {
        if (is(Kind::newline)) {
            ++at_;
            continue;
        }
        several_lines = several_lines || trivia_[at_].newline_before;
        if (is(Kind::semicolon)) {
            if (parts.empty()) parts.emplace_back();
            DocId& before = parts.back().is.doc;
            before = d_.concat({before, remark()});
            continue;
        }
        Part part;
        part.blank = trivia_[at_].blank_at_all;
        part.lead = lead(false);
        part.is.doc = statement();
        parts.push_back(part);
    }
    return parts;
}

DocId Writer::file() {
    bool several_lines = true;
    std::vector<DocId> lines;
    for (const Part& part : statements(several_lines)) {
        lines.push_back(d_.hard_line(part.blank));
        lines.push_back(part.lead);
        lines.push_back(part.is.doc);
    }
    lines.push_back(last_comments(!lines.empty()));
    PM_CHECK(is(Kind::end));
    return d_.concat(std::move(lines));
}

/// A block is not a group: either all blocks of a statement (for example of an `if`) are broken, or none. A block is on
/// one line only if it is on one line in the source.
DocId Writer::block() {
    const DocId open = take(Kind::block_open);
    bool several_lines = false;
    std::vector<DocId> inside;
    for (const Part& part : statements(several_lines)) {
        inside.push_back(inside.empty() ? d_.line(" ") : d_.line("; ", part.blank));
        inside.push_back(part.lead);
        inside.push_back(part.is.doc);
    }
    several_lines = several_lines || trivia_[at_].newline_before;
    const DocId last = last_comments(!inside.empty());
    if (last) inside.push_back(last);
    const bool empty = inside.empty();
    const DocId body = d_.indent(d_.concat(std::move(inside)));
    return d_.concat({open, several_lines && !empty ? d_.apart() : DocId{}, body, empty ? DocId{} : d_.line(" "),
                      take(Kind::block_close)});
}

DocId Writer::statement() {
    switch (kind()) {
    case Kind::kw_let:
    case Kind::kw_mut: {
        const DocId word = take();
        DocId name = d_.concat({word, d_.space(), pattern()});
        if (is(Kind::colon)) {
            const DocId colon = take();
            name = d_.concat({name, colon, d_.space(), type()});
        }
        return d_.concat({name, tail()});
    }
    case Kind::kw_fn: return is_any_word(kind(1)) ? function().doc : plain();
    case Kind::kw_for:
    case Kind::kw_while: return loop();
    case Kind::kw_break:
    case Kind::kw_continue: return take();
    case Kind::kw_return: {
        const DocId word = take();
        if (is(Kind::newline) || is(Kind::semicolon) || is(Kind::block_close) || is(Kind::end)) return word;
        return d_.concat({word, d_.space(), expression().doc});
    }
    case Kind::kw_import: return import_line();
    case Kind::cw_test: {
        if (kind(1) != Kind::text_begin) return plain();
        const DocId word = take();
        const DocId title = text();
        return d_.group(d_.concat({word, d_.space(), title, d_.space(), block()}));
    }
    default: return plain(); // other statements begin with one of the kinds above
    }
}

DocId Writer::import_line() {
    const DocId word = take();
    const DocId source = is(Kind::text_begin) ? text() : take();
    if (!is(Kind::cw_as)) return d_.concat({word, d_.space(), source});
    const DocId as = take();
    return d_.concat({word, d_.space(), source, d_.space(), as, d_.space(), take()});
}

DocId Writer::loop() {
    const bool each = is(Kind::kw_for);
    DocId head = d_.concat({take(), d_.space()});
    if (each) {
        const DocId names = pattern();
        const DocId in = take(Kind::kw_in);
        head = d_.concat({head, names, d_.space(), in, d_.space()});
    }
    const DocId source = condition();
    return d_.group(d_.concat({head, source, d_.space(), block()}));
}

/// An expression or an assignment.
DocId Writer::plain() {
    const Expression left = expression();
    if (!is_update()) return left.doc;
    return d_.concat({left.doc, tail()});
}

/// `= e`, `min= e`.
DocId Writer::tail() {
    DocId op = take();
    if (is(Kind::assign) && tokens_.list[at_ - 1].kind != Kind::assign && !is_assignment(tokens_.list[at_ - 1].kind))
        op = d_.concat({op, take()});
    const bool apart = !trivia_[at_ - 1].trailing.empty() || !trivia_[at_].leading.empty();
    const Expression right = expression();
    return d_.tail(op, right.even ? right.even : right.doc, static_cast<bool>(right.even), apart);
}

} // namespace pm::syntax::format
