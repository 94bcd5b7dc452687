#pragma once
#include <algorithm>
#include <array>
#include <string_view>

namespace pm::stage {

/// Names, modules and arguments of the language that this version does not have: they are told from names that are
/// merely wrong. Empty when the language is complete.
inline bool comes_later(std::string_view name) {
    constexpr std::array<std::string_view, 2> names = {
        "shard",
        "axis_index_groups",
    };
    return std::find(names.begin(), names.end(), name) != names.end();
}

} // namespace pm::stage
