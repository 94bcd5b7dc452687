#include "compiler/base/check.hpp"
#include "compiler/syntax/format/writer.hpp"

#include <algorithm>

namespace pm::syntax::format {

// -- Operators

Writer::Expression Writer::expression() {
    const DocId front = lead(true);
    Expression e = chain();
    if (is(Kind::kw_with)) {
        std::vector<DocId> updates;
        while (is(Kind::kw_with)) {
            updates.push_back(d_.line(" "));
            updates.push_back(update());
        }
        e = {d_.group(d_.concat({e.doc, d_.indent(d_.concat(std::move(updates)))}))};
    }
    if (front) e = {d_.concat({front, e.doc}), e.even ? d_.concat({front, e.even}) : DocId{}};
    return e;
}

/// An expression before a block. The further lines of the expression are indented more than the block.
DocId Writer::condition() {
    const Expression e = expression();
    return e.even ? d_.indent(e.doc) : e.doc;
}

/// `with path op= value`.
DocId Writer::update() {
    std::vector<DocId> parts{take(Kind::kw_with), d_.space()};
    bool first = true;
    while (!is_update()) {
        if (is(Kind::square_open)) {
            parts.push_back(indices());
        } else {
            parts.push_back(first ? take(Kind::dot) : glued());
            parts.push_back(glued());
        }
        first = false;
    }
    parts.push_back(d_.space());
    const bool touching = !is_assignment(kind()); // min=
    parts.push_back(take());
    if (touching) parts.push_back(take(Kind::assign));
    parts.push_back(d_.space());
    parts.push_back(chain().doc);
    return d_.concat(std::move(parts));
}

Writer::Expression Writer::chain() {
    std::vector<Expression> operands{operand()};
    std::vector<std::pair<DocId, Precedence>> operators;
    while (true) {
        const std::optional<Operator> op = binary_operator(kind());
        if (!op || (is(Kind::kw_not) && kind(1) != Kind::kw_in)) break;
        DocId doc = op->range ? glued() : take();
        if (tokens_.list[at_ - 1].kind == Kind::kw_not) doc = d_.concat({doc, d_.space(), take(Kind::kw_in)});
        operators.emplace_back(doc, precedence(*op));
        operands.push_back(operand());
    }
    return level(operands, operators, 0, operators.size());
}

/// The operands `first` to `last` and the operators between them. Lines are broken after operators of low precedence
/// before they are broken after operators of higher precedence.
Writer::Expression Writer::level(const std::vector<Expression>& operands,
                                 const std::vector<std::pair<DocId, Precedence>>& operators, std::size_t first,
                                 std::size_t last) {
    if (first == last) return operands[first];
    Precedence loosest = operators[first].second;
    for (std::size_t i = first; i < last; ++i) loosest = std::min(loosest, operators[i].second);
    const bool range = loosest == Precedence::range;
    std::vector<DocId> head; // the first operand and the operator after it
    std::vector<DocId> rest;
    Expression part;
    std::size_t begin = first;
    for (std::size_t i = first; i <= last; ++i) {
        if (i < last && operators[i].second != loosest) continue;
        part = level(operands, operators, begin, i);
        if (i == last) break;
        std::vector<DocId>& to = begin == first ? head : rest;
        to.insert(to.end(), {part.doc, range ? DocId{} : d_.space(), operators[i].first});
        if (!range) rest.push_back(d_.line(" "));
        begin = i + 1;
    }
    if (range) return {d_.concat({d_.concat(head), d_.concat(rest), part.doc})};
    const DocId front = d_.concat({d_.concat(head), d_.concat(rest)});
    rest.push_back(part.doc);
    const DocId behind = d_.concat(std::move(rest));
    const DocId start = d_.concat(std::move(head));
    const auto laid_out = [&](DocId broken) {
        return d_.group(part.literal ? d_.hug(front, part.doc, {}, broken) : broken);
    };
    return {laid_out(d_.concat({start, d_.indent(behind)})), laid_out(d_.concat({start, behind}))};
}

// -- Operands

Writer::Expression Writer::operand() {
    const DocId front = lead(true);
    std::vector<DocId> prefixes;
    while (prefix_operator(kind())) {
        const bool word = is(Kind::kw_not);
        prefixes.push_back(take());
        if (word) prefixes.push_back(d_.space());
    }
    Expression e = primary();
    std::vector<DocId> head{e.doc};        // up to the first point
    std::vector<std::vector<DocId>> steps; // from each point to the next
    bool comments = false;
    int calls = 0;
    while (is(Kind::round_open) || is(Kind::square_open) || is(Kind::dot)) {
        std::vector<DocId>& step = is(Kind::dot) ? steps.emplace_back() : steps.empty() ? head : steps.back();
        if (is(Kind::dot)) {
            comments = comments || !trivia_[at_].leading.empty() || !trivia_[at_ - 1].trailing.empty();
            step.push_back(member());
            if (is(Kind::round_open)) ++calls;
        } else {
            step.push_back(is(Kind::round_open) ? arguments() : indices());
        }
        e = {};
    }
    // A chain of three or more calls may be broken before each point. If only a name precedes the first point, the
    // chain is not broken there.
    const bool may_break = calls >= 3 || comments;
    const bool name_first = head.size() == 1 && !steps.empty() && !comments;
    std::vector<DocId> broken;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (may_break && !(i == 0 && name_first)) broken.push_back(d_.line(""));
        std::vector<DocId>& to = broken.empty() ? head : broken;
        to.insert(to.end(), steps[i].begin(), steps[i].end());
    }
    DocId doc = d_.concat(std::move(head));
    if (!broken.empty()) doc = d_.group(d_.concat({doc, d_.indent(d_.concat(std::move(broken)))}));
    if (front || !prefixes.empty()) {
        const bool number = e.number && !front && prefixes.size() == 1;
        prefixes.insert(prefixes.begin(), front);
        prefixes.push_back(doc);
        return {.doc = d_.concat(std::move(prefixes)), .number = number};
    }
    e.doc = doc;
    return e;
}

/// `.name`, `.0`
DocId Writer::member() {
    const DocId point = glued();
    return d_.concat({point, glued()});
}

Writer::Expression Writer::primary() {
    switch (kind()) {
    case Kind::text_begin: return {.doc = text(), .text = true};
    case Kind::round_open: return {.doc = round(), .literal = true};
    case Kind::square_open: return {.doc = square(), .literal = true};
    case Kind::record_open: return {.doc = record(), .literal = true, .body = true};
    case Kind::kw_if: return conditional();
    case Kind::kw_fn: return function();
    case Kind::integer:
    case Kind::real:
    case Kind::imaginary: return {.doc = take(), .number = true};
    default: break; // any other operand consists of one token
    }
    PM_CHECK(is_any_word(kind()), std::string(shown(kind())));
    return {take()};
}

/// A string literal is printed as in the source.
DocId Writer::text() {
    const DocId front = lead(true);
    const std::uint32_t begin = tokens_.list[at_].begin;
    int open = 0;
    do {
        if (is(Kind::text_begin)) ++open;
        if (is(Kind::text_end)) --open;
        ++at_;
    } while (open > 0);
    const std::string_view behind = trivia_[at_ - 1].trailing;
    return d_.concat({front, d_.text(tokens_.text.substr(begin, tokens_.list[at_ - 1].end - begin)),
                      behind.empty() ? DocId{} : d_.trailing(behind)});
}

Writer::Expression Writer::conditional() {
    std::vector<DocId> parts;
    while (true) {
        parts.push_back(take(Kind::kw_if));
        parts.push_back(d_.space());
        parts.push_back(condition());
        parts.push_back(d_.space());
        parts.push_back(block());
        if (!is(Kind::kw_else)) break;
        parts.push_back(d_.space());
        parts.push_back(take());
        parts.push_back(d_.space());
        if (is(Kind::kw_if)) continue;
        parts.push_back(block());
        break;
    }
    return {.doc = d_.group(d_.concat(std::move(parts))), .literal = true};
}

// -- Functions

/// `fn name(parameters) -> type` with its body, or the same without a name.
Writer::Expression Writer::function() {
    const DocId head = signature();
    if (is(Kind::assign)) return {d_.concat({head, tail()})};
    return {.doc = d_.group(d_.concat({head, d_.space(), block()})), .literal = true, .body = true};
}

DocId Writer::signature() {
    DocId head = take(Kind::kw_fn);
    if (!is(Kind::round_open)) head = d_.concat({head, d_.space(), take()});
    head = d_.concat({head, list(Comma::free, [this] { return Expression{parameter()}; })});
    if (!is(Kind::arrow)) return head;
    const DocId arrow = take();
    return d_.concat({head, d_.space(), arrow, d_.space(), type()});
}

} // namespace pm::syntax::format
