#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/syntax/token.hpp"

#include <optional>

namespace pm::syntax {

/// The error for a text that contains `needs_version("V")`, where V is newer than this version of Polymap. Only the
/// tokens are read, so the error is also found in a program with newer syntax, which cannot be parsed.
std::optional<Diagnostic> unmet_version(const Tokens& tokens);

} // namespace pm::syntax
