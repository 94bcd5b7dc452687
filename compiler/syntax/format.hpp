#pragma once
#include "compiler/base/diagnostic.hpp"

#include <string>
#include <vector>

/// The formatter of sources, `pm fmt`.
///
/// It works on tokens, not on the tree:
/// - The lexer and the layout pass cut the text into tokens. They distinguish blocks from records, and ends of
///   statements from other newlines.
/// - The text between the tokens is kept as their trivia (format/trivia.hpp).
/// - A walk that follows the grammar builds a document from the tokens and trivia (format/writer.hpp).
/// - The document is printed on lines of at most 100 columns (format/document.hpp).
/// Every token and comment is therefore printed, in its order. The formatter decides only blanks, line ends, `;`, and
/// commas before a closing bracket.
///
/// Three choices of the author are kept. Empty lines before a statement become one. A block that fits is on one line
/// only if it was written so. A list stays on several lines if its last item has a comma and the bracket is on the next
/// line. Everything else depends on the tokens alone.
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
