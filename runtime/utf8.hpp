#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace pm::runtime {

/// The number of bytes of a text that are processed between two polls. Processing them takes about a millisecond.
constexpr std::size_t bytes_between_polls = std::size_t{1} << 20;

/// The number of bytes of the UTF-8 character at `at`. Returns 0 if no valid character begins there, but a continuation
/// byte, a truncated or overlong character, a surrogate, or a code point above U+10FFFF.
std::size_t utf8_length(std::string_view text, std::size_t at);
/// The index of the first byte that is not part of valid UTF-8. If all bytes are valid, the size of the text. `poll` is
/// called after each `bytes_between_polls` bytes; an exception from `poll` ends the search.
std::size_t first_invalid_utf8(std::string_view text, const std::function<void()>& poll = {});

/// Whether a byte is a continuation byte of UTF-8, that is, not the first byte of a character.
inline bool utf8_continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }
/// utf8_count(): the number of characters of a text. utf8_prefix(): the number of bytes of the first n characters of a
/// text, or of the whole text if it has fewer than n. In invalid text each byte that is no continuation byte counts as
/// a character. `poll` is as for first_invalid_utf8().
std::size_t utf8_count(std::string_view text, const std::function<void()>& poll = {});
std::size_t utf8_prefix(std::string_view text, std::size_t n, const std::function<void()>& poll = {});
/// Appends a code point.
void append_utf8(std::string& out, std::uint32_t code);

} // namespace pm::runtime
