#pragma once
#include "compiler/syntax/token.hpp"

#include <string_view>
#include <vector>

namespace pm::syntax::format {

/// A comment without the blanks at its end.
struct Comment {
    std::string_view text;
    bool blank_before = false; ///< an empty line stands before it
};

/// What stands between a token and the one before it, and behind it on its line.
struct Trivia {
    std::vector<Comment> leading; ///< comments on lines of their own
    std::string_view trailing;    ///< the comment that ends its line; empty without one
    bool newline_before = false;
    bool blank_before = false; ///< an empty line stands before it, behind its leading comments
    bool blank_at_all = false; ///< an empty line stands before it or before its first leading comment
};

/// For every token; nothing for `newline`, which is no text. The tokens must be without errors: then there are
/// only blanks and comments between them.
std::vector<Trivia> read_trivia(const Tokens& tokens);

/// The comments of a text in their order.
std::vector<std::string_view> comments(const std::vector<Trivia>& trivia);

} // namespace pm::syntax::format
