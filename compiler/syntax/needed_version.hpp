#pragma once
#include "compiler/base/diagnostic.hpp"
#include "compiler/syntax/token.hpp"

#include <optional>

namespace pm::syntax {

/// The error of a text with `needs_version("V")`, if V is newer than this version. The tokens are enough to find it, so
/// it is found in a program whose syntax is newer, too.
std::optional<Diagnostic> unmet_version(const Tokens& tokens);

} // namespace pm::syntax
