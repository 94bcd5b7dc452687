#include "compiler/syntax/format/trivia.hpp"

#include <algorithm>

namespace pm::syntax::format {
namespace {

std::string_view without_blanks(std::string_view text) {
    const std::size_t last = text.find_last_not_of(" \t\r\f");
    return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

} // namespace

std::vector<Trivia> read_trivia(const Tokens& tokens) {
    std::vector<Trivia> all(tokens.list.size());
    std::size_t before = tokens.list.size(); // the index of the previous token; list.size(): none
    std::uint32_t at = 0;
    for (std::size_t i = 0; i < tokens.list.size(); ++i) {
        const Token& token = tokens.list[i];
        if (token.kind == TokenKind::newline) continue;
        Trivia& trivia = all[i];
        int line_ends = before == tokens.list.size() ? 1 : 0; // 1 at the beginning of the text
        for (; at < token.begin; ++at) {
            if (tokens.text[at] == '\n') ++line_ends;
            if (tokens.text[at] != '#') continue;
            const std::size_t end = std::min<std::size_t>(tokens.text.find('\n', at), token.begin);
            const std::string_view text = without_blanks(tokens.text.substr(at, end - at));
            if (line_ends == 0)
                all[before].trailing = text;
            else
                trivia.leading.push_back({text, line_ends > 1});
            trivia.newline_before = true;
            at = static_cast<std::uint32_t>(end) - 1;
            line_ends = 0;
        }
        trivia.newline_before = trivia.newline_before || line_ends > 0;
        trivia.blank_before = line_ends > 1;
        trivia.blank_at_all = trivia.leading.empty() ? trivia.blank_before : trivia.leading.front().blank_before;
        before = i;
        at = token.end;
    }
    return all;
}

std::vector<std::string_view> comments(const std::vector<Trivia>& trivia) {
    std::vector<std::string_view> all;
    for (const Trivia& t : trivia) {
        for (const Comment& comment : t.leading) all.push_back(comment.text);
        if (!t.trailing.empty()) all.push_back(t.trailing);
    }
    return all;
}

} // namespace pm::syntax::format
