#pragma once
#include <string>
#include <string_view>

namespace pm::runtime {

/// What helps with a file that is cut short or damaged.
inline constexpr const char* fetch_again = "copy or download it again, and compare its size with the original's";

/// For a file of another format than the one that was to be read: the function that reads it, as far as its name and
/// first bytes tell.
std::string reader_of(std::string_view bytes, std::string_view name);

/// The beginning of a text of a file, for a message: its first 40 characters on one line.
std::string excerpt(std::string_view text);

} // namespace pm::runtime
