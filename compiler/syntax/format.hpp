#pragma once
#include "compiler/base/diagnostic.hpp"

#include <string>
#include <vector>

/// The formatter of sources, `pm fmt`.
///
/// The formatter works on tokens, not on the syntax tree:
/// - The lexer and the layout pass cut the text into tokens. These passes distinguish blocks from records, and
///   newlines that end a statement from other newlines.
/// - The comments and empty lines between the tokens are stored as trivia of the tokens (format/trivia.hpp).
/// - A walk that follows the grammar builds a document from the tokens and trivia (format/writer.hpp).
/// - The document is printed on lines of at most 100 columns (format/document.hpp).
/// Every token and comment is therefore printed, in the order of the source. The formatter decides only blanks, line
/// ends, `;`, and commas before a closing bracket.
///
/// The formatter respects three choices of the author. One or more empty lines before a statement become one empty
/// line. A block that fits on one line is printed on one line only if it is on one line in the source. A list remains
/// on several lines if its last item has a comma and the closing bracket is on the next line. Everything else depends
/// on the tokens alone.
namespace pm::syntax {

struct Formatted {
    std::string text;               ///< empty if there are errors
    std::vector<Diagnostic> errors; ///< errors of the source; a source with errors is not formatted
    bool ok() const { return errors.empty(); }
};

/// Formats a source. The result has the same tree, tokens and comments as the source; otherwise InternalError is
/// thrown. Formatting the result again does not change it.
Formatted format_source(const SourceMap& sources, std::uint32_t source);

} // namespace pm::syntax
