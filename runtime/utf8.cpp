#include "runtime/utf8.hpp"

#include <cstring>

namespace pm::runtime {

std::size_t utf8_length(std::string_view text, std::size_t at) {
    // A byte after the end is 0, which is no continuation byte.
    const auto byte = [&](std::size_t i) {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
    };
    const unsigned first = byte(0);
    if (first < 0x80) return at < text.size() ? 1 : 0;
    if (first < 0xC2 || first > 0xF4) return 0;
    const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    for (std::size_t i = 1; i < length; ++i)
        if (at + i >= text.size() || !utf8_continues(text[at + i])) return 0;
    const bool too_long = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
    const bool no_character = (first == 0xED && byte(1) > 0x9F) || (first == 0xF4 && byte(1) > 0x8F);
    return too_long || no_character ? 0 : length;
}

namespace {

constexpr std::size_t word = sizeof(std::uint64_t);

/// Whether the next eight bytes from `at` on exist and are all ASCII characters.
bool word_of_ascii(std::string_view text, std::size_t at) {
    std::uint64_t bytes = 0;
    if (at + word > text.size()) return false;
    std::memcpy(&bytes, text.data() + at, word);
    return (bytes & 0x8080808080808080U) == 0;
}

/// The end of the part that begins at `at` and is processed between two polls. The part does not end within a
/// character.
std::size_t part_end(std::string_view text, std::size_t at) {
    if (text.size() - at <= bytes_between_polls) return text.size();
    std::size_t end = at + bytes_between_polls;
    while (end < text.size() && utf8_continues(text[end])) ++end;
    return end;
}

std::size_t invalid_in(std::string_view part) {
    std::size_t at = 0;
    while (at < part.size()) {
        const std::size_t length = word_of_ascii(part, at) ? word : utf8_length(part, at);
        if (length == 0) break;
        at += length;
    }
    return at;
}

std::size_t count_in(std::string_view part) {
    std::size_t count = 0;
    for (std::size_t at = 0; at < part.size();) {
        const bool whole = word_of_ascii(part, at);
        count += whole ? word : utf8_continues(part[at]) ? 0U : 1U;
        at += whole ? word : 1;
    }
    return count;
}

/// The number of bytes of the first n characters of `part`, or of all characters if there are fewer than n. Subtracts
/// the number of these characters from n.
std::size_t prefix_of(std::string_view part, std::size_t& n) {
    std::size_t bytes = 0;
    // A continuation byte belongs to the bytes before it, even after a complete character.
    const auto ends = [&](std::size_t at) { return at >= part.size() || !utf8_continues(part[at]); };
    for (; n >= word && word_of_ascii(part, bytes) && ends(bytes + word); n -= word) bytes += word;
    for (; bytes < part.size() && n > 0; --n) {
        ++bytes;
        while (bytes < part.size() && utf8_continues(part[bytes])) ++bytes;
    }
    return bytes;
}

} // namespace

std::size_t first_invalid_utf8(std::string_view text, const std::function<void()>& poll) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = part_end(text, at);
        const std::size_t valid = invalid_in(text.substr(at, end - at));
        if (at + valid < end) return at + valid;
        at = end;
        if (poll && at < text.size()) poll();
    }
    return text.size();
}

std::size_t utf8_count(std::string_view text, const std::function<void()>& poll) {
    std::size_t count = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = part_end(text, at);
        count += count_in(text.substr(at, end - at));
        at = end;
        if (poll && at < text.size()) poll();
    }
    return count;
}

std::size_t utf8_prefix(std::string_view text, std::size_t n, const std::function<void()>& poll) {
    std::size_t at = 0;
    while (at < text.size() && n > 0) {
        const std::size_t end = part_end(text, at);
        at += prefix_of(text.substr(at, end - at), n);
        if (poll && n > 0) poll();
    }
    return at;
}

void append_utf8(std::string& out, std::uint32_t code) {
    const auto put = [&out](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
    const auto tail = [&](std::uint32_t shift) { put(0x80U | ((code >> shift) & 0x3FU)); };
    if (code < 0x80) return put(code);
    if (code < 0x800) return put(0xC0U | (code >> 6U)), tail(0);
    if (code < 0x10000) return put(0xE0U | (code >> 12U)), tail(6), tail(0);
    put(0xF0U | (code >> 18U)), tail(12), tail(6), tail(0);
}

} // namespace pm::runtime
