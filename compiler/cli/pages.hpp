#pragma once
#include <optional>
#include <span>
#include <string_view>

namespace pm::cli {

/// The text of docs/diagnostics/NAME.md, which is embedded in `pm`. Empty if there is no such page.
std::optional<std::string_view> page_source(std::string_view name);
/// The names of all pages: their codes, in order.
std::span<const std::string_view> page_names();

} // namespace pm::cli
