#pragma once
#include <string>
#include <string_view>

namespace pm::cli {

/// The folder that `variable` of the environment names, or else `below` in the user's home folder ($HOME). Empty where
/// neither is known. As the XDG Base Directory Specification demands, a path that is not absolute counts as none.
std::string user_folder(const char* variable, std::string_view below);

} // namespace pm::cli
