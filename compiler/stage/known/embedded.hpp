#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace pm::stage {

/// The text of a module of the standard library (stdlib/NAME.pm, embedded in the program). Empty if there is none.
std::optional<std::string_view> embedded_module(std::string_view name);
/// The names of all modules.
std::span<const std::string_view> embedded_modules();
/// The modules for programs. Inner modules, whose text begins with `# Inner module`, are left out.
std::vector<std::string_view> offered_modules();
/// The modules for programs that define the function `name` (a line `fn NAME(`), in their order.
std::vector<std::string_view> modules_with(std::string_view name);

/// The text of a part of the prelude (stdlib/prelude/NAME.pm), which every program sees. Empty if there is none.
std::optional<std::string_view> prelude_part(std::string_view name);
/// The names of all parts.
std::span<const std::string_view> prelude_parts();

} // namespace pm::stage
