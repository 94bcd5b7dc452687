#include "compiler/base/check.hpp"
#include "compiler/syntax/format/writer.hpp"

#include <algorithm>

namespace pm::syntax::format {
namespace {

bool closes(TokenKind kind) { return is_closer(kind); }

} // namespace

// -- Lists

Writer::List Writer::read_list(Comma comma, const Reader& read) {
    List list;
    list.open = take();
    while (!closes(kind())) {
        Part part;
        part.blank = trivia_[at_].blank_at_all && !list.parts.empty();
        part.lead = lead(false);
        part.is = read();
        while (is(Kind::kw_for)) {
            list.comprehension = true;
            part.is = {comprehension(part.is.doc)};
        }
        list.comma = is(Kind::comma);
        if (list.comma) part.remark = remark();
        list.parts.push_back(part);
    }
    const bool only = list.parts.size() == 1 && comma == Comma::means;
    list.forced = list.comma && !only && trivia_[at_].newline_before;
    list.remark = last_comments(!list.parts.empty());
    list.close = take();
    return list;
}

DocId Writer::comprehension(DocId body) {
    const DocId word = take(Kind::kw_for);
    const DocId names = pattern();
    const DocId in = take(Kind::kw_in);
    std::vector<DocId> parts{body, d_.line(" "), word, d_.space(), names, d_.space(), in, d_.space(), expression().doc};
    if (is(Kind::kw_if)) {
        const DocId condition = take(Kind::kw_if);
        parts.insert(parts.end(), {d_.line(" "), condition, d_.space(), expression().doc});
    }
    return d_.concat(std::move(parts));
}

DocId Writer::list(Comma comma, const Reader& read, bool call) {
    const List list = read_list(comma, read);
    const DocId apart = broken(list, comma);
    return d_.group(hugged(list, comma, apart, call));
}

/// The list on several lines: one item per line, or, if all items are numbers, as many as fit.
DocId Writer::broken(const List& list, Comma comma) {
    const bool single = list.parts.size() == 1;
    const bool fill =
        list.parts.size() > 1 && std::ranges::all_of(list.parts, [](const Part& p) { return p.is.number; });
    std::vector<DocId> inside;
    for (std::size_t i = 0; i < list.parts.size(); ++i) {
        const Part& part = list.parts[i];
        const bool last = i + 1 == list.parts.size();
        DocId behind;
        if (!last || (single && list.comma && comma == Comma::means))
            behind = d_.comma(false);
        else if (!list.comprehension && !(single && comma == Comma::means))
            behind = d_.comma(true);
        const DocId item = part.is.even && single ? part.is.even : part.is.doc;
        const bool filled = fill && i > 0 && !part.blank;
        if (!filled) inside.push_back(d_.line(i == 0 ? "" : " ", part.blank));
        inside.insert(inside.end(), {part.lead, filled ? d_.fill(item) : item, behind, part.remark});
    }
    const bool empty = inside.empty();
    inside.push_back(list.remark);
    return d_.concat({list.open, list.forced ? d_.apart() : DocId{}, d_.indent(d_.concat(std::move(inside))),
                      empty && !list.remark ? DocId{} : d_.line(""), list.close});
}

/// The layout in which only the last item of the list is broken. It applies to a call whose last argument is a body,
/// and to a list whose only item is a literal. Otherwise returns `broken`.
DocId Writer::hugged(const List& list, Comma comma, DocId broken, bool call) {
    if (list.parts.empty() || list.forced || list.remark || list.comprehension) return broken;
    const Part& last = list.parts.back();
    if (last.lead || last.remark) return broken;
    const bool alone = list.parts.size() == 1;
    if (alone && list.comma && comma == Comma::means) return broken;
    // If a string literal is the only item, it remains on the line of the brackets.
    if (alone && last.is.text) return d_.concat({list.open, last.is.doc, list.close});
    if (!(call && last.is.body) && !(last.is.literal && alone)) return broken;
    std::vector<DocId> first{list.open};
    for (std::size_t i = 0; i + 1 < list.parts.size(); ++i) {
        const Part& part = list.parts[i];
        first.insert(first.end(), {part.lead, part.is.doc, d_.comma(false), part.remark, d_.line(" ")});
    }
    return d_.hug(d_.concat(std::move(first)), last.is.doc, list.close, broken);
}

// -- Values

DocId Writer::round() {
    return list(Comma::means, [this]() -> Expression {
        if (!is(Kind::star)) return expression();
        const DocId star = take();
        return {d_.concat({star, expression().doc})};
    });
}

DocId Writer::square() {
    return list(Comma::free, [this]() -> Expression {
        if (!is(Kind::star)) return expression();
        const DocId star = take();
        return {d_.concat({star, expression().doc})};
    });
}

DocId Writer::record() {
    return list(Comma::free, [this]() -> Expression {
        if (is(Kind::dot_dot)) {
            const DocId dots = take();
            return {d_.concat({dots, expression().doc})};
        }
        const DocId name = is(Kind::text_begin) ? text() : take();
        if (!is(Kind::colon)) return {name};
        const DocId colon = take();
        return {d_.concat({name, colon, d_.space(), expression().doc})};
    });
}

DocId Writer::arguments() {
    return list(
        Comma::free,
        [this]() -> Expression {
            if (is(Kind::star)) {
                const DocId star = take();
                return {d_.concat({star, expression().doc})};
            }
            if (!is_any_word(kind()) || kind(1) != Kind::assign) return expression();
            const DocId name = take();
            const DocId assign = take();
            return {d_.concat({name, assign, expression().doc})};
        },
        true);
}

DocId Writer::indices() {
    return list(Comma::free, [this] { return Expression{index()}; });
}

/// `...`, `i`, `a:b:c`, `a:+n`.
DocId Writer::index() {
    if (is(Kind::ellipsis)) return take();
    std::vector<DocId> parts;
    const auto ends = [this] { return is(Kind::colon) || is(Kind::comma) || is(Kind::square_close); };
    if (!ends()) parts.push_back(expression().doc);
    while (is(Kind::colon)) {
        parts.push_back(take());
        if (is(Kind::plus)) parts.push_back(take());
        if (!ends()) parts.push_back(expression().doc);
    }
    return d_.concat(std::move(parts));
}

// -- Parameters, patterns, types

DocId Writer::parameter() {
    if (is(Kind::star)) {
        const DocId star = take();
        return d_.concat({star, take()});
    }
    DocId doc = pattern();
    const bool typed = is(Kind::colon);
    if (typed) {
        const DocId colon = take();
        doc = d_.concat({doc, colon, d_.space(), type()});
    }
    if (!is(Kind::assign)) return doc;
    const DocId assign = take();
    const DocId space = typed ? d_.space() : DocId{};
    return d_.concat({doc, space, assign, space, expression().doc});
}

DocId Writer::pattern() {
    const DocId front = lead(true);
    DocId doc;
    if (is(Kind::round_open)) {
        doc = list(Comma::means, [this]() -> Expression {
            if (!is(Kind::star)) return {.doc = pattern(), .literal = false};
            const DocId star = take();
            return {d_.concat({star, take()})};
        });
    } else if (is(Kind::record_open)) {
        doc = list(Comma::free, [this]() -> Expression {
            const DocId name = take();
            if (!is(Kind::colon)) return {name};
            const DocId colon = take();
            return {d_.concat({name, colon, d_.space(), pattern()})};
        });
    } else {
        doc = take();
    }
    return d_.concat({front, doc});
}

DocId Writer::type() {
    const DocId front = lead(true);
    DocId doc;
    if (is(Kind::round_open)) {
        doc = list(Comma::means, [this] { return Expression{type()}; });
    } else if (is(Kind::record_open)) {
        doc = list(Comma::free, [this]() -> Expression {
            const DocId name = take();
            const DocId colon = take(Kind::colon);
            return {d_.concat({name, colon, d_.space(), type()})};
        });
    } else {
        doc = take();
        if (is(Kind::square_open))
            doc = d_.concat({doc, list(Comma::free,
                                       [this] { return Expression{is(Kind::ellipsis) ? take() : expression().doc}; })});
    }
    return d_.concat({front, doc});
}

} // namespace pm::syntax::format
