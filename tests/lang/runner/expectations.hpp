#pragma once
#include <optional>
#include <string>
#include <vector>

namespace pm::lang {

/// An underlined source text, and the text beside the underline.
struct Underlined {
    std::string place;
    std::string label;
};

/// A diagnostic that a program must report, in order. An empty text is not compared, except the text beside an
/// underlined place.
struct ExpectedError {
    std::string code;
    Underlined caret;               ///< underlined by ^
    std::string message;            ///< the whole line after the code
    std::vector<Underlined> second; ///< underlined by -; each must exist
    std::vector<std::string> help;  ///< parts of help lines
    std::vector<std::string> notes; ///< parts of `=` lines
    std::vector<std::string> calls; ///< all calls as LINE:COLUMN, innermost first, if it is not empty
};

struct ExpectedLine {
    std::optional<int> devices; ///< only with that many devices
    std::string text;           ///< `{*}` matches any text
};

/// The expectations in a file's comments. A line counts if it starts with `# KEY: `:
///   expect: TEXT              the next line of standard output (`expect@4: TEXT`: on 4 devices)
///   error: PM0101 "text"      the next diagnostic and the underlined text; `error: PM0101` for any place
///   message: TEXT             of the previous diagnostic: its first line after the code
///   caret: TEXT               of the previous diagnostic: the text beside its carets. Without it there must be none,
///                             if `error` has the underlined text
///   second: "text" TEXT       of the previous diagnostic: another place and the text beside it, which may be missing
///   help: TEXT, note: TEXT    part of a help or note line of the previous diagnostic
///   calls: 5:13 10:1          the calls that led to the previous diagnostic, innermost first; `calls: none`
///   devices: 1 2 4            one run for each number; without it one run with the default
///   args: a b                 the program's arguments
///   options: --x              further options of pm
///   configs: compiled ...     only in these configurations
///   program: PATH             the program is another file (for *.expect)
///   session: yes              the file is piped into a session, entry by entry
///   command: test             runs `pm test` on it instead of `pm run`
///   exit: N                   exit code; without it 0, or 1 when diagnostics are expected
///   seconds: N                time limit, a guard against hangs: machines differ by several times (120)
///   slow: yes                 compiling it takes more than five seconds: skipped with --slow=no
///   slow: on processors       the same, and its kernels are assembled (tests/gpu/ptxas.sh)
///   stderr: TEXT              the next line of standard error, which is then compared as a whole
/// Without an `error` or `stderr`, standard error must be empty. Standard output is always compared as a whole.
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

/// Throws std::runtime_error with the line that is invalid.
Expectations read_expectations(const std::string& path);

/// The differences between a run's output and the expectations, as text. Empty if there are none.
std::string compare_output(const Expectations& expected, int devices, const std::string& output);
std::string compare_errors(const Expectations& expected, const std::string& errors);

/// The comments that would expect this output, to be checked and pasted.
std::string as_expectations(const std::string& output, const std::string& errors);

} // namespace pm::lang
