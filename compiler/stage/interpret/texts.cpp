// Searches in long strings. The searches poll.
#include "compiler/stage/interpret/texts.hpp"

#include <cstring>

namespace pm::stage {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

template <class Wanted>
std::size_t next(Stager& s, std::string_view text, std::size_t at, const Wanted& wanted) {
    while (at < text.size()) {
        const std::size_t end = std::min(text.size(), at + bytes_between_polls);
        while (at < end && !wanted(text[at])) ++at;
        if (at < end) return at;
        s.poll();
    }
    return text.size();
}

} // namespace

std::size_t find_text(Stager& s, std::string_view text, std::string_view part, std::size_t at) {
    if (part.empty()) return at;
    // Each call of memmem preprocesses `part` in linear time. So each call searches at least as many bytes as `part`
    // has.
    const std::size_t most = std::max(bytes_between_polls, part.size()) + part.size() - 1;
    while (text.size() - at >= part.size()) {
        const std::string_view within = text.substr(at, most);
        if (const void* found = ::memmem(within.data(), within.size(), part.data(), part.size()))
            return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
        at += within.size() - (part.size() - 1);
        s.poll();
    }
    return std::string_view::npos;
}

std::size_t next_blank(Stager& s, std::string_view text, std::size_t at) { return next(s, text, at, is_blank); }
std::size_t next_after_blanks(Stager& s, std::string_view text, std::size_t at) {
    return next(s, text, at, [](char c) { return !is_blank(c); });
}

} // namespace pm::stage
