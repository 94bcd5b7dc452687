#pragma once
#include "compiler/base/diagnostic.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pm {

/// The numbers of a version such as "0.9" or "1.2.3"; numbers that are left out are 0. Empty for other texts.
std::optional<std::array<std::int32_t, 3>> read_version(std::string_view text);
/// The error of a program that needs this version of Polymap or a newer one. Empty if this Polymap has the version, or
/// if the text is not a version.
std::optional<Diagnostic> unmet_version(std::string_view needed, Span span);

} // namespace pm
