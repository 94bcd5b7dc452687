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
/// The names of the modules that programs may import. Inner modules, whose text begins with `# Inner module`, are left
/// out.
std::vector<std::string_view> offered_modules();
/// The names of the modules of offered_modules() that define the function `name` (a line `fn NAME(`), in the order of
/// offered_modules().
std::vector<std::string_view> modules_with(std::string_view name);

/// The text of a part of the prelude (stdlib/prelude/NAME.pm), which every program sees. Empty if there is none.
std::optional<std::string_view> prelude_part(std::string_view name);
/// The names of all parts of the prelude.
std::span<const std::string_view> prelude_parts();

} // namespace pm::stage
