#pragma once
#include "compiler/stage/core/stager.hpp"
#include "runtime/utf8.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace pm::stage {

using runtime::bytes_between_polls;
/// The number of parts of a string or tuple that are processed between two polls. To process this many parts takes
/// about a millisecond.
constexpr std::size_t parts_between_polls = 1024;

/// The index of the first occurrence of `part` in `text` from index `at` on. npos if `part` does not occur there. Takes
/// linear time and polls.
std::size_t find_text(Stager& s, std::string_view text, std::string_view part, std::size_t at = 0);

/// The index of the first character from index `at` on that is a blank (next_blank), or that is not a blank
/// (next_after_blanks). If no such character exists, the size of `text`.
std::size_t next_blank(Stager& s, std::string_view text, std::size_t at);
std::size_t next_after_blanks(Stager& s, std::string_view text, std::size_t at);

} // namespace pm::stage
