// Colours the tokens of the language's lexer, so that colours always agree with the parser.
#include "compiler/cli/repl/interactive.hpp"
#include "compiler/syntax/lexer.hpp"
#include "runtime/utf8.hpp"

#include <algorithm>

namespace pm::cli {
namespace {

using editor::Style;
using syntax::TokenKind;

Style style_of(TokenKind kind) {
    if (syntax::is_keyword(kind)) return Style::keyword;
    switch (kind) {
    case TokenKind::integer:
    case TokenKind::real:
    case TokenKind::imaginary: return Style::number;
    case TokenKind::text_begin:
    case TokenKind::text_piece:
    case TokenKind::text_end: return Style::text;
    case TokenKind::bad:
    case TokenKind::foreign: return Style::wrong;
    default: return Style::plain;
    }
}

void highlight_code(std::string_view text, std::size_t from, std::vector<Style>& styles) {
    const std::string_view code = text.substr(from);
    if (runtime::first_invalid_utf8(code) != code.size()) return;
    std::vector<Diagnostic> ignored;
    const syntax::Tokens tokens = syntax::lex(0, code, ignored);
    std::vector<bool> covered(code.size(), false);
    for (const syntax::Token& token : tokens.list) {
        if (token.kind == TokenKind::newline || token.kind == TokenKind::end) continue;
        const Style style = style_of(token.kind);
        for (std::size_t i = token.begin; i < std::min<std::size_t>(token.end, code.size()); ++i) {
            styles[from + i] = style;
            covered[i] = true;
        }
    }
    // A `#` outside of tokens begins a comment, up to the end of the line.
    for (std::size_t i = 0; i < code.size(); ++i) {
        if (covered[i] || code[i] != '#') continue;
        for (; i < code.size() && code[i] != '\n'; ++i) styles[from + i] = Style::comment;
    }
}

} // namespace

std::vector<Style> highlight(std::string_view text) {
    std::vector<Style> styles(text.size(), Style::plain);
    std::size_t from = 0;
    if (is_command(text)) {
        const CommandLine line = command_line(std::string(text));
        const Command* command = find_command(line.word);
        const std::size_t end = text.substr(0, line.argument_begin).find_last_not_of(" \t\n") + 1;
        std::fill_n(styles.begin(), end, command ? Style::command : Style::wrong);
        if (!command || command->takes != Command::Takes::code) return styles;
        from = line.argument_begin;
    }
    highlight_code(text, from, styles);
    return styles;
}

} // namespace pm::cli
