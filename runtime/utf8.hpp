#pragma once
#include <cstddef>
#include <string_view>

namespace pm::runtime {

/// How many bytes the UTF-8 character has that begins at `at`; 0 where none does: no first byte, cut short, longer than
/// it need be, a surrogate, or above U+10FFFF.
std::size_t utf8_length(std::string_view text, std::size_t at);
/// The first byte that is no part of valid UTF-8, or the text's size.
std::size_t first_invalid_utf8(std::string_view text);

} // namespace pm::runtime
