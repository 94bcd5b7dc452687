#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace pm::stage {

/// The text of a module of the standard library (stdlib/NAME.pm, part of the program), or nothing.
std::optional<std::string_view> embedded_module(std::string_view name);
/// The names of all modules.
std::span<const std::string_view> embedded_modules();
/// Of those the ones for programs: not what other modules are made of, whose text begins with `# Inner module`.
std::vector<std::string_view> offered_modules();
/// Of these the ones that define the function `name` (a line `fn NAME(`), in their order.
std::vector<std::string_view> modules_with(std::string_view name);

/// The text of a part of what every program sees (stdlib/prelude/NAME.pm), or nothing.
std::optional<std::string_view> prelude_part(std::string_view name);
/// The names of all parts.
std::span<const std::string_view> prelude_parts();

} // namespace pm::stage
