#pragma once
#include <string>
#include <string_view>

namespace pm::runtime {

/// The help for a file that is truncated or damaged.
inline constexpr const char* fetch_again = "copy or download it again, and compare its size with the original's";

/// The help for a file that does not have the expected format. If the file's name or first bytes show another format,
/// the help names the function that reads that format.
std::string reader_of(std::string_view bytes, std::string_view name);

/// The beginning of a file's text for a message: its first 40 characters on one line.
std::string excerpt(std::string_view text);

} // namespace pm::runtime
