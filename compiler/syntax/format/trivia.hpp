#pragma once
#include "compiler/syntax/token.hpp"

#include <string_view>
#include <vector>

namespace pm::syntax::format {

/// A comment without trailing blanks.
struct Comment {
    std::string_view text;
    bool blank_before = false; ///< true if an empty line precedes the comment
};

/// The comments and empty lines between a token and the previous token, and the comment after the token on the same
/// line.
struct Trivia {
    std::vector<Comment> leading; ///< comments on separate lines
    /// the comment after the token, at the end of the line; empty if the line has no such comment
    std::string_view trailing;
    bool newline_before = false;
    bool blank_before = false; ///< true if an empty line is between the last leading comment and the token
    bool blank_at_all = false; ///< true if an empty line is before the token or before the first leading comment
};

/// The trivia of every token. A token of kind `newline` has no trivia. The text must have no errors, so that only
/// blanks, newlines and comments are between the tokens.
std::vector<Trivia> read_trivia(const Tokens& tokens);

/// All comments, in the order of the text.
std::vector<std::string_view> comments(const std::vector<Trivia>& trivia);

} // namespace pm::syntax::format
