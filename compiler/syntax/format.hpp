#pragma once
#include "compiler/base/diagnostic.hpp"

#include <string>
#include <vector>

/// The formatter of sources, `pm fmt`.
///
/// It works on tokens, not on the tree:
///  - the lexer and the layout pass cut the text, and so tell blocks from records, and newlines that end statements
///    from others;
///  - the text between the tokens is kept as their trivia (format/trivia.hpp);
///  - a walk along the grammar makes a document of both (format/writer.hpp);
///  - the document is laid out on lines of 100 (format/document.hpp).
/// So every token and comment is printed, in its order, by construction. The formatter decides only blanks, line ends,
/// `;`, and commas before a closing bracket.
///
/// The author decides which statements have an empty line before them; several become one. A block that fits is on one
/// line if it was written so. A list stays on several lines if its last item has a comma and the bracket is on the next
/// line. All else depends on the tokens alone.
namespace pm::syntax {

struct Formatted {
    std::string text;               ///< empty if there are errors
    std::vector<Diagnostic> errors; ///< of the source, which is then not formatted
    bool ok() const { return errors.empty(); }
};

/// Formats a source. The result has the same tree, tokens and comments, which is checked here (InternalError). It does
/// not change when it is formatted again.
Formatted format_source(const SourceMap& sources, std::uint32_t source);

} // namespace pm::syntax
