#pragma once
#include "compiler/stage/core/stager.hpp"

#include <span>

/// The natives that work with known strings.
namespace pm::stage::texts {

std::span<const Native> text_functions(); ///< encode, decode, and the natives of the module `text`
std::span<const Native> patterns();       ///< regular expressions, for the module `regex`

} // namespace pm::stage::texts
