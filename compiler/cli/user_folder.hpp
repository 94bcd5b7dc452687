#pragma once
#include <string>
#include <string_view>

namespace pm::cli {

/// The folder in the environment variable `variable`. If this variable is not set, the folder `below` in the user's
/// home folder ($HOME). Empty if neither variable is set. As in the XDG Base Directory Specification, a path that is
/// not absolute is ignored.
std::string user_folder(const char* variable, std::string_view below);

} // namespace pm::cli
