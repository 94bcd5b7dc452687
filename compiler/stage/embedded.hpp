#pragma once
#include <optional>
#include <span>
#include <string_view>

namespace pm::stage {

/// The text of a module of the standard library (stdlib/NAME.pm, part of the program), or nothing.
std::optional<std::string_view> embedded_module(std::string_view name);
/// The names of all modules.
std::span<const std::string_view> embedded_modules();

} // namespace pm::stage
