#pragma once
#include <string>
#include <vector>

namespace pm::lang {

struct Finished {
    int code = 0;      ///< exit code; 128 + signal when a signal ended it
    bool late = false; ///< ended by us after its time
    std::string output;
    std::string errors;
};

/// Runs a program to its end with standard input from a file, in `folder`, its output kept in files there.
Finished run_process(const std::vector<std::string>& command, const std::string& input, const std::string& folder,
                     int seconds);

std::string read_whole(const std::string& path);

} // namespace pm::lang
