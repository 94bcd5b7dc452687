#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/syntax/token.hpp"

#include <vector>

namespace pm::syntax {

/// Cuts a valid UTF-8 text into tokens. A run of line ends is one `newline`. All braces outside of string literals are
/// record_open and record_close. Comments have no tokens. Mistakes are appended to `errors`. The tokens at a mistake
/// are chosen so that the grammar can continue. The time is linear in the size of the text.
Tokens lex(std::uint32_t source, std::string_view text, std::vector<Diagnostic>& errors);

} // namespace pm::syntax
