#include "compiler/syntax/format.hpp"

#include "compiler/base/check.hpp"
#include "compiler/syntax/format/writer.hpp"
#include "compiler/syntax/lexer.hpp"
#include "compiler/syntax/parse.hpp"
#include "compiler/syntax/print.hpp"
#include "compiler/syntax/token_layout.hpp"

namespace pm::syntax {
namespace {

struct Cut {
    Tokens tokens;
    std::vector<format::Trivia> trivia;
};

/// The tokens and trivia of a text that has been parsed without errors.
Cut cut(std::string_view text) {
    std::vector<Diagnostic> errors;
    Cut result{lex(0, text, errors), {}};
    lay_out(result.tokens, errors);
    PM_CHECK(errors.empty());
    result.trivia = format::read_trivia(result.tokens);
    return result;
}

/// The texts of the tokens, except tokens that the formatter may add or remove: ends of statements, and commas before a
/// closing bracket. A comma that makes a tuple of one element is checked by the comparison of the trees.
std::vector<std::string_view> texts(const Tokens& tokens) {
    std::vector<std::string_view> all;
    for (std::size_t i = 0; i < tokens.list.size(); ++i) {
        const Token& token = tokens.list[i];
        if (token.kind == TokenKind::newline || token.kind == TokenKind::semicolon) continue;
        if (token.kind == TokenKind::comma && is_closer(tokens.list[i + 1].kind)) continue;
        all.push_back(tokens.text_of(token));
    }
    return all;
}

/// Throws if the tree, the tokens or the comments of the formatted text differ from those of the source.
void compare(const Module& tree, const Cut& before, const std::string& text) {
    SourceMap sources;
    const ParseResult parsed = parse(sources, sources.add("formatted", text));
    PM_CHECK(parsed.ok(), "the formatted text is wrong: " + parsed.errors.front().message);
    const Cut after = cut(text);
    PM_CHECK(texts(before.tokens) == texts(after.tokens), "the formatted text has other tokens");
    PM_CHECK(format::comments(before.trivia) == format::comments(after.trivia),
             "the formatted text has other comments");
    PM_CHECK(print(tree) == print(*parsed.module), "the formatted text has another tree");
}

} // namespace

Formatted format_source(const SourceMap& sources, std::uint32_t source) {
    ParseResult parsed = parse(sources, source);
    if (!parsed.ok()) return {{}, std::move(parsed.errors)};
    const Cut given = cut(sources[source].text());
    format::Document document;
    const format::DocId file = format::Writer(given.tokens, given.trivia, document).file();
    Formatted result{document.render(file), {}};
    compare(*parsed.module, given, result.text);
    return result;
}

} // namespace pm::syntax
