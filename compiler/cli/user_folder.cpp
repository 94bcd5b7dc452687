#include "compiler/cli/user_folder.hpp"

#include <cstdlib>

namespace pm::cli {

std::string user_folder(const char* variable, std::string_view below) {
    // A relative path would mean a different folder in each working directory.
    if (const char* folder = std::getenv(variable); folder != nullptr && *folder == '/') return folder;
    if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
        return std::string(home) + "/" + std::string(below);
    return {};
}

} // namespace pm::cli
