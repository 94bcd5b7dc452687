#pragma once
#include "compiler/cli/options.hpp"

namespace pm::cli {

/// Runs a command of `pm`. Returns the exit code.
using Command = int (*)(Options& options);

struct CommandLine {
    Command command = nullptr; ///< null if there is nothing to run; the process then ends with `code`
    int code = exit_done;
    Options options;
};
/// Reads the command line. Prints `--help` and `--version`, and the error of a wrong command line.
CommandLine read_command_line(int argc, char** argv);

} // namespace pm::cli
