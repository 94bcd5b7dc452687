#pragma once
#include "compiler/api/session.hpp"
#include "compiler/cli/report.hpp"
#include "compiler/cli/worker.hpp"

#include <string>
#include <vector>

namespace pm::cli {

/// Exit codes of `pm`. Documented in docs/language.md and `pm --help`.
enum Exit : int {
    exit_done = 0,
    exit_error = 1,     ///< the program has an error: a diagnostic has been printed
    exit_usage = 2,     ///< the command line is wrong
    exit_internal = 70, ///< an internal error of pm
    exit_lost = 75,     ///< a process of the job is lost
    exit_interrupted = 130,
};

struct Options {
    api::SessionOptions session;
    Errors errors = Errors::long_form;
    std::string command;                ///< the command line, for reports
    std::vector<std::string> words;     ///< the command line, from the name of the program on
    std::string file;                   ///< "-" or empty: standard input
    std::string after;                  ///< pm ir: the stage or pass
    std::string architecture = "sm_80"; ///< the GPU architecture for which PTX is generated
    std::string folder;                 ///< pm build: the folder for the files
    bool time = false;
    std::vector<std::string> files; ///< pm check, fmt and test: files and folders
    std::string code;               ///< pm explain: the diagnostic; empty: all diagnostics are listed
    std::string filter;             ///< pm test: only tests with this text in their name run
    bool check = false;             ///< pm fmt: if true, only the files that would change are reported
    int processes = 1;              ///< pm run: the number of processes to start
    std::vector<std::string> hosts; ///< pm run: the hosts on which to start processes; empty: this one
    int restarts = 0;               ///< pm run: how often the processes are started again after one is lost
    double patience = 300;          ///< pm run: the time in seconds for which a process waits for others
    std::string engine;             ///< pm run: the library of the engine, or "none"; empty: that of MPI
    bool color = false;             ///< pm repl: true if the editor uses colours
};

/// From now on Ctrl-C interrupts the running work, and a second Ctrl-C after more than a second ends the process. In
/// both cases the exit code is exit_interrupted.
void install_interrupt_handler();
/// Sets the options of a session so that Ctrl-C stops its work and work_is_at() is called with the place of the work.
void answer_interrupts(api::SessionOptions& session);
/// SIG_BLOCK: this thread does not handle Ctrl-C. If no thread handles Ctrl-C, it stays pending. SIG_UNBLOCK: this
/// thread handles Ctrl-C.
void mask_interrupts(int how);

int run(Options& options);
int check(Options& options);
int show_ir(Options& options);
/// Writes the PTX of the compiled programs of a file to files, and prints their names.
int build(Options& options);
int repl(Options& options);
/// Prints the page of a diagnostic, or the list of all pages.
int explain(Options& options);
int format(Options& options);
int test(Options& options);

/// The text of an error and its exit code.
struct Said {
    std::string text{}; ///< empty: no error
    int code = exit_done;
};
/// The text and exit code for the current exception; to be called within a `catch`. `file` is the running program.
Said current_error(const Options& options, const SourceMap& sources, const std::string& file);
/// Prints an error in this form. Returns the exit code.
int report(const Error& error, const SourceMap& sources, Errors form);
/// Prints that Ctrl-C has stopped the work, and the place of the work. If the work itself has already printed this,
/// prints nothing. Returns the exit code.
int tell_interrupted(Errors form);
/// Calls `work`. Returns its exit code, or the text and the code of its exception.
Said error_of(const Options& options, const SourceMap* sources, const std::function<int()>& work);
/// Writes the error, if there is one. Returns the exit code.
int show(const Said& said);
/// Calls `work` and turns every exception into a report and an exit code.
int guarded(const Options& options, const SourceMap* sources, const std::function<int()>& work);

/// As api::read_source, but Ctrl-C stops the read.
std::string read_file(const std::string& path);
/// The text of standard input, up to the size limit of sources. Throws pm::Error if the text cannot be read, or if
/// Ctrl-C stops the read.
std::string read_input();
/// Writes the output of a program to standard output, unless Ctrl-C has stopped the program (interrupted, heard()).
/// Throws pm::Error if the text cannot be written, so that the program stops.
void write_output(std::string_view text);
/// Writes text to standard error. Errors of the write are ignored.
void write_error(std::string_view text);
/// Writes text of running work to standard error, but only while heard() is true.
void say(std::string_view text);
/// Makes the session write its notes and warnings with say(). Warnings have the form that --errors requests.
void say_messages(Options& options);
/// Writes the remaining output at the end of the process. Returns `code`, or the exit code of an error if the output
/// cannot be written.
int end_output(int code, Errors form);
/// Reads "cpu:4", "gpu-emulated": the target and the number of devices. Throws pm::Error for other texts.
void parse_devices(const std::string& text, api::SessionOptions& session);
} // namespace pm::cli
