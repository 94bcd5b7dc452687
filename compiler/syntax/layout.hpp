#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/syntax/token.hpp"

#include <vector>

namespace pm::syntax {

struct Layout {
    /// The brackets still open at the end, as numbers of tokens, outermost first.
    std::vector<std::uint32_t> open_at_end;
    /// The text ends where a statement goes on: in a bracket or after an operator.
    bool goes_on = false;
    /// Brackets are nested deeper than max_nesting, which is reported; the rest was not looked at.
    bool too_deep = false;
};

/// Decides what the lexer cannot, by the innermost open bracket: keeps the newlines that end statements,
/// tells blocks from records, sets each token's depth. Where a bracket was never closed (a statement begins
/// inside of it, or an outer bracket is closed) it puts a `missing` token, so that brackets match up in what
/// the grammar reads, except for closing brackets without an opening one and those of `open_at_end`. Linear
/// in the number of tokens.
Layout lay_out(Tokens& tokens, std::vector<Diagnostic>& errors);

} // namespace pm::syntax
