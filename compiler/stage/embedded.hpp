#pragma once
#include <optional>
#include <string_view>

namespace pm::stage {

/// The text of a module of the standard library (stdlib/NAME.pm, part of the program), or nothing.
std::optional<std::string_view> embedded_module(std::string_view name);

} // namespace pm::stage
