#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace pm::runtime {

/// Bytes of a text that are gone through between two questions whether the work is still wanted: a millisecond or so.
constexpr std::size_t bytes_between_polls = std::size_t{1} << 20;

/// How many bytes the UTF-8 character has that begins at `at`; 0 where none does: no first byte, cut short, longer than
/// it need be, a surrogate, or above U+10FFFF.
std::size_t utf8_length(std::string_view text, std::size_t at);
/// The first byte that is no part of valid UTF-8, or the text's size. `poll` is called for every `bytes_between_polls`
/// or less; what it throws ends the search.
std::size_t first_invalid_utf8(std::string_view text, const std::function<void()>& poll = {});

/// A byte that is not the first of its character.
inline bool utf8_continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }
/// How many characters a text has, and the bytes of its first n (of all, when there are fewer). What is not valid
/// counts by its first bytes. `poll` as above.
std::size_t utf8_count(std::string_view text, const std::function<void()>& poll = {});
std::size_t utf8_prefix(std::string_view text, std::size_t n, const std::function<void()>& poll = {});
/// Appends a code point.
void append_utf8(std::string& out, std::uint32_t code);

} // namespace pm::runtime
