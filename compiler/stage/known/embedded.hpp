#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace pm::stage {

/// The source text of the module `name` of the standard library (stdlib/NAME.pm, embedded in the executable). Empty if
/// the library has no such module.
std::optional<std::string_view> embedded_module(std::string_view name);
/// The names of all modules of the standard library.
std::span<const std::string_view> embedded_modules();
/// The names of the modules that programs may import. Modules whose source text begins with `# Inner module` are left
/// out.
std::vector<std::string_view> offered_modules();
/// The names in offered_modules() of the modules that define the function `name` with a line `fn NAME(`. The order is
/// that of offered_modules().
std::vector<std::string_view> modules_with(std::string_view name);

/// The source text of the part `name` of the prelude (stdlib/prelude/NAME.pm). All programs see the names of the
/// prelude. Empty if the prelude has no such part.
std::optional<std::string_view> prelude_part(std::string_view name);
/// The names of all parts of the prelude.
std::span<const std::string_view> prelude_parts();

} // namespace pm::stage
