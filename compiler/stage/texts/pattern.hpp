#pragma once
#include "compiler/stage/core/stager.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace pm::stage::texts {

/// The compiled form of a regular expression in UTF-8. Raises at `span` if the pattern is not valid. The stager keeps
/// the most recent patterns.
std::shared_ptr<const re2::RE2> compiled_pattern(Stager& s, std::string_view pattern, Span span);

} // namespace pm::stage::texts
