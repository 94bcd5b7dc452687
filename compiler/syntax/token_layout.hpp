#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/syntax/token.hpp"

#include <vector>

namespace pm::syntax {

struct Layout {
    /// The brackets still open at the end of the text, as token indices, outermost first.
    std::vector<std::uint32_t> open_at_end;
    /// The text ends inside a statement: in a bracket or after an operator.
    bool goes_on = false;
    /// Brackets are nested deeper than max_nesting. This is reported, and the rest of the text is skipped.
    bool too_deep = false;
};

/// Makes the decisions that depend on the innermost open bracket, which the lexer does not know. It keeps the newlines
/// that end statements, tells blocks from records, and sets the depth of each token.
/// It inserts a `missing` token where a bracket was never closed: where a statement begins inside of it, or an outer
/// bracket is closed. The grammar's input thus has matching brackets, except closing brackets without an opening one
/// and the brackets of `open_at_end`. Takes time linear in the number of tokens.
Layout lay_out(Tokens& tokens, std::vector<Diagnostic>& errors);

} // namespace pm::syntax
