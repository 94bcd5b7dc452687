#include "compiler/base/version.hpp"

#include <charconv>

namespace pm {

std::optional<std::array<std::int32_t, 3>> read_version(std::string_view text) {
    std::array<std::int32_t, 3> numbers{};
    const char* at = text.data();
    const char* const end = at + text.size();
    for (std::size_t i = 0;; ++i) {
        if (i == numbers.size() || at == end || *at < '0' || *at > '9') return {};
        const auto [next, error] = std::from_chars(at, end, numbers[i]);
        if (error != std::errc()) return {};
        if (next == end) return numbers;
        if (*next != '.') return {};
        at = next + 1;
    }
}

std::optional<Diagnostic> unmet_version(std::string_view needed, Span span) {
    const auto version = read_version(needed);
    if (!version || *version <= *read_version(PM_VERSION)) return {};
    return diagnose(Diag::version_too_old, span, needed, PM_VERSION)
        .fix(fmt::format("install Polymap {} or newer, or use an older version of the program", needed));
}

} // namespace pm
