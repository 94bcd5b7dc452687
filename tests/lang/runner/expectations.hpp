#pragma once
#include <optional>
#include <string>
#include <vector>

namespace pm::lang {

/// A source text that is underlined and what stands beside the line under it.
struct Underlined {
    std::string place;
    std::string beside;
};

/// One diagnostic that a program must give, in order. Empty texts are not compared, but for that beside a known place.
struct ExpectedError {
    std::string code;
    Underlined caret;               ///< by ^
    std::string message;            ///< the whole line after the code
    std::vector<Underlined> second; ///< by -, each must be there
    std::vector<std::string> help;  ///< parts of help lines
    std::vector<std::string> notes; ///< parts of `=` lines
};

struct ExpectedLine {
    std::optional<int> devices; ///< only with that many
    std::string text;           ///< `{*}` stands for any text
};

/// What the comments of a file say about its run. A line counts when it starts with `# KEY: `:
///   expect: TEXT              the next line of standard output (`expect@4: TEXT`: on 4 devices)
///   error: PM0101 "text"      the next diagnostic and what is underlined; `error: PM0101` leaves the place open
///   message: TEXT             of the diagnostic before, its first line after the code
///   caret: TEXT               of the diagnostic before, what stands beside its carets; without it nothing does, where
///                             `error` says what is underlined
///   second: "text" TEXT       of the diagnostic before, another place and what stands beside it, which may be left out
///   help: TEXT, note: TEXT    part of a help or note line of the diagnostic before
///   devices: 1 2 4            one run for each; without it one run on the default
///   args: a b                 the program's arguments
///   options: --x              further options of pm
///   configs: compiled ...     only in these configurations
///   program: PATH             the program is another file (for *.expect)
///   session: yes              the file is piped into a session, entry by entry
///   command: test             runs `pm test` on it instead of `pm run`
///   exit: N                   exit code; without it 0, or 1 when diagnostics are expected
///   seconds: N                time limit, a guard against hangs: machines differ by several times (120)
///   slow: yes                 compiling it takes more than five seconds: left out where --slow=no is given
///   stderr: TEXT              the next line of standard error, which then is compared as a whole
/// Without an `error` or `stderr` standard error must stay empty; standard output is always compared as a whole.
struct Expectations {
    std::string program;
    std::vector<ExpectedLine> lines;
    std::vector<ExpectedError> errors;
    std::vector<std::string> standard_error;
    std::vector<int> devices;
    std::vector<std::string> arguments;
    std::vector<std::string> options;
    std::vector<std::string> configs;
    std::string command = "run";
    bool session = false;
    std::optional<int> exit;
    int seconds = 120;
    bool slow = false;
};

/// Throws std::runtime_error naming the line that cannot be read.
Expectations read_expectations(const std::string& path);

/// What is wrong with a run's output, in words; empty when all is as expected.
std::string compare_output(const Expectations& expected, int devices, const std::string& output);
std::string compare_errors(const Expectations& expected, const std::string& errors);

/// What a run printed, as the comments that would expect it: to be read, then pasted.
std::string as_expectations(const std::string& output, const std::string& errors);

} // namespace pm::lang
