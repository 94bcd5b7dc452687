#pragma once
#include "compiler/api/session.hpp"
#include "compiler/cli/report.hpp"
#include "compiler/cli/worker.hpp"

#include <string>
#include <vector>

namespace pm::cli {

/// Exit codes: what `pm` answers the shell. Documented in README and `pm --help`.
enum Exit : int {
    exit_done = 0,
    exit_error = 1,     ///< an error of the program: a diagnostic has been printed
    exit_usage = 2,     ///< the command line itself is wrong
    exit_internal = 70, ///< an error of pm
    exit_interrupted = 130,
};

struct Options {
    api::SessionOptions session;
    Errors errors = Errors::long_form;
    std::string command;                ///< the command line, for reports
    std::string file;                   ///< "-" or empty: standard input
    std::string after;                  ///< pm ir: the pass
    std::string architecture = "sm_80"; ///< of the GPU that PTX is made for
    std::string folder;                 ///< pm build: where its files go
    bool time = false;
    std::vector<std::string> files; ///< pm fmt; pm test, where folders count too
    std::string filter;             ///< pm test: only tests with this in their name
    bool check = false;             ///< pm fmt: only say what would change
    bool color = false;             ///< pm repl: colours while typing
};

/// Ctrl-C interrupts what runs, and ends the process when it is pressed again after a second. Either way the exit code
/// is exit_interrupted.
void install_interrupt_handler();
/// What runs in such a session is stopped by it, and says where it is.
void answer_interrupts(api::SessionOptions& session);
/// SIG_BLOCK: this thread does not handle Ctrl-C, and one that no other thread handles waits. SIG_UNBLOCK: it does.
void mask_interrupts(int how);

int run(Options& options);
int check(Options& options);
int show_ir(Options& options);
/// Writes the PTX of what a program compiles into files; prints their names.
int build(Options& options);
int repl(Options& options);
/// Prints the page of a diagnostic, or the list of all for an empty code.
int explain(const Options& options, const std::string& code);
int format(Options& options);
int test(Options& options);

/// What a user is told of an error, and the exit code it means.
struct Said {
    std::string text;
    int code;
};
/// Of the exception at hand: within a `catch`. `file` is what runs.
Said current_error(const Options& options, const SourceMap& sources, const std::string& file);
/// Prints an error as the user asked for; answers the exit code.
int report(const Error& error, const SourceMap& sources, Errors form);
/// Prints that Ctrl-C has stopped what runs, which has not said it itself, and where that is; answers the exit code.
int tell_interrupted(Errors form);
/// Calls `work` and turns every exception into a report and an exit code.
int guarded(const Options& options, const SourceMap* sources, const std::function<int()>& work);

/// As api::read_source, until it is interrupted.
std::string read_file(const std::string& path);
/// The text of standard input, as far as a source may be long. Throws pm::Error, also when it is interrupted.
std::string read_input();
/// What a program prints, to standard output, as long as it is heard() and not interrupted. Throws pm::Error where it
/// cannot be written: there is no use in going on.
void write_output(std::string_view text);
/// Text to standard error. Where that cannot be written there is nobody to tell.
void write_error(std::string_view text);
/// The same for what runs: only while it is heard().
void say(std::string_view text);
/// At the end: what is still to be written. The exit code, or that of an error when the output was not taken.
int end_output(int code, Errors form);
/// "cpu:4", "gpu-emulated": what runs programs, and on how many devices. Throws pm::Error for anything else.
void parse_devices(const std::string& text, api::SessionOptions& session);
/// Throws pm::Error unless `pm ir --after` can be this.
void check_stage(const std::string& after);

} // namespace pm::cli
