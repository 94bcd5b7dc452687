#pragma once
#include <string>
#include <vector>

namespace pm::lang {

struct Finished {
    int code = 0;      ///< exit code; 128 + signal when a signal ended it
    bool late = false; ///< killed after its time limit
    std::string output;
    std::string errors;
};

/// Runs a program to its end in `folder`, with standard input from a file. Standard output and error are stored in
/// files there.
Finished run_process(const std::vector<std::string>& command, const std::string& input, const std::string& folder,
                     int seconds);

std::string read_whole(const std::string& path);

} // namespace pm::lang
