#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/syntax/token.hpp"

#include <vector>

namespace pm::syntax {

/// Cuts a valid UTF-8 text into tokens: one `newline` for each run of line ends, all braces outside of texts as
/// record_open and record_close, no comments. It reports mistakes to `errors`, with tokens around them that let the
/// grammar continue. Takes time linear in the size.
Tokens lex(std::uint32_t source, std::string_view text, std::vector<Diagnostic>& errors);

} // namespace pm::syntax
