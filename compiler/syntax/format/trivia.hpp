#pragma once
#include "compiler/syntax/token.hpp"

#include <string_view>
#include <vector>

namespace pm::syntax::format {

/// A comment without trailing blanks.
struct Comment {
    std::string_view text;
    bool blank_before = false; ///< there is an empty line before it
};

/// The text between a token and the one before it, and after it on its line.
struct Trivia {
    std::vector<Comment> leading; ///< comments on separate lines
    std::string_view trailing;    ///< the comment that ends its line; empty if there is none
    bool newline_before = false;
    bool blank_before = false; ///< there is an empty line between its leading comments and the token
    bool blank_at_all = false; ///< there is an empty line before the token or before its first leading comment
};

/// The trivia of every token; empty for `newline`. The tokens must be without errors: then there are only blanks and
/// comments between them.
std::vector<Trivia> read_trivia(const Tokens& tokens);

/// The comments of a text in their order.
std::vector<std::string_view> comments(const std::vector<Trivia>& trivia);

} // namespace pm::syntax::format
