#pragma once
#include "compiler/stage/core/stager.hpp"
#include "runtime/utf8.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace pm::stage {

using runtime::bytes_between_polls;
/// Parts of a text that are made between two questions whether the work is still wanted: a millisecond or so.
constexpr std::size_t parts_between_polls = 1024;

/// Where `part` stands first in `text`, from `at` on; npos: nowhere. In linear time, and it can be stopped.
std::size_t find_text(Stager& s, std::string_view text, std::string_view part, std::size_t at = 0);

/// The first character from `at` on that is a blank, or that is none; the text's size where there is none such.
std::size_t next_blank(Stager& s, std::string_view text, std::size_t at);
std::size_t next_after_blanks(Stager& s, std::string_view text, std::size_t at);

} // namespace pm::stage
