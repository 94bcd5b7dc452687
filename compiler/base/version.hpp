#pragma once
#include "compiler/base/diagnostic.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pm {

/// The three numbers of a version such as "0.9" or "1.2.3". A number that is left out is 0. Empty if the text is not a
/// version.
std::optional<std::array<std::int32_t, 3>> read_version(std::string_view text);
/// The error for a program that needs Polymap `needed` or newer. Empty if this Polymap is new enough, or if `needed` is
/// not a version.
std::optional<Diagnostic> unmet_version(std::string_view needed, Span span);

} // namespace pm
