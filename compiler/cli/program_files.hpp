#pragma once
#include <string>
#include <vector>

namespace pm::cli {

struct ProgramFile {
    std::string path;
    bool given = false; ///< true if the file is named on the command line; false if it was found in a folder
};

/// The programs at these paths. A folder means all .pm files below it, sorted by path. Throws pm::Error if a folder
/// cannot be read.
std::vector<ProgramFile> program_files(const std::vector<std::string>& paths);

} // namespace pm::cli
