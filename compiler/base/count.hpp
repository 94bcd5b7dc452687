#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string_view>

namespace pm {

/// A number that is formatted with its noun: `{:axis|axes}` of Count{n} is "1 axis" or "3 axes".
struct Count {
    template <std::integral T>
    explicit Count(T number) : n(static_cast<std::int64_t>(number)) {}

    std::int64_t n;
};

} // namespace pm

template <>
struct fmt::formatter<pm::Count> {
    constexpr auto parse(fmt::format_parse_context& context) {
        const auto* const end = std::find(context.begin(), context.end(), '}');
        const auto* const bar = std::find(context.begin(), end, '|');
        if (bar == end) throw fmt::format_error("a count needs its noun");
        one_ = {context.begin(), bar};
        many_ = {bar + 1, end};
        return end;
    }
    /// Not a template, because fmt::format_to takes 2.5 s to compile (Xeon, 2.5 GHz).
    fmt::appender format(const pm::Count& count, fmt::format_context& context) const;

  private:
    std::string_view one_;
    std::string_view many_;
};
