#pragma once
#include "compiler/base/diagnostic.hpp"

#include <string>
#include <vector>

/// The formatter of sources, `pm fmt`.
///
/// It works on tokens, not on the tree: the lexer and the layout pass cut the text (so blocks are told from
/// records and newlines that end statements from others), what stands between the tokens is kept as their trivia
/// (format/trivia.hpp), a walk along the grammar makes a document of both (format/writer.hpp), and
/// that is laid out on lines of 100 (format/document.hpp). So every token and comment of the text comes
/// out again, in its order, by construction; only blanks, line ends, `;`, and commas before a closing bracket are the
/// formatter's own.
///
/// What the author decides: which statements have an empty line before them (several become one), whether a block
/// that fits stands on one line (it does if it was written so), and whether a list stays on several lines (it does if
/// its last item has a comma and the bracket stands on the next line). All else follows from the tokens alone.
namespace pm::syntax {

struct Formatted {
    std::string text;               ///< empty with errors
    std::vector<Diagnostic> errors; ///< those of the text; it is not formatted then
    bool ok() const { return errors.empty(); }
};

/// Formats a source. The result has the same tree, tokens and comments and is formatted itself; the former is
/// checked here, and an InternalError thrown if it should not hold.
Formatted format_source(const SourceMap& sources, std::uint32_t source);

} // namespace pm::syntax
