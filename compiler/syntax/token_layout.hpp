#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/syntax/token.hpp"

#include <vector>

namespace pm::syntax {

struct TokenLayout {
    /// The token indices of the brackets that are not closed at the end of the text, outermost first.
    std::vector<std::uint32_t> open_at_end;
    /// True if the text ends inside a statement: in a bracket or after an operator.
    bool goes_on = false;
    /// True if brackets are nested deeper than max_nesting. The error has been reported, and the rest of the text is
    /// skipped.
    bool too_deep = false;
};

/// Makes the decisions that depend on the innermost open bracket, which the lexer does not know. Removes the newlines
/// that do not end a statement, distinguishes blocks from records, and sets the depth of each token. Inserts a
/// `missing` token for a bracket that was never closed. The `missing` token is placed where a statement begins inside
/// of the bracket, or where an outer bracket is closed. So all brackets match in the grammar's input, with two
/// exceptions: closing brackets without an opening bracket, and the brackets in `open_at_end`. The time is linear in
/// the number of tokens.
TokenLayout lay_out(Tokens& tokens, std::vector<Diagnostic>& errors);

} // namespace pm::syntax
