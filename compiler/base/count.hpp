#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <string_view>

namespace pm {

/// A number that is formatted with its noun: `{:axis|axes}` of Count{n} is "1 axis" or "3 axes".
template <std::integral T>
struct Count {
    T n;
};

} // namespace pm

template <class T>
struct fmt::formatter<pm::Count<T>> {
    constexpr auto parse(fmt::format_parse_context& context) {
        const auto* const end = std::find(context.begin(), context.end(), '}');
        const auto* const bar = std::find(context.begin(), end, '|');
        if (bar == end) throw fmt::format_error("a count needs its noun");
        one_ = {context.begin(), bar};
        many_ = {bar + 1, end};
        return end;
    }
    template <class Context>
    auto format(const pm::Count<T>& count, Context& context) const {
        return fmt::format_to(context.out(), "{} {}", count.n, count.n == 1 ? one_ : many_);
    }

  private:
    std::string_view one_;
    std::string_view many_;
};
