// The interactive session: with the editor in a terminal, with plain lines in a simple terminal, without prompts from a
// pipe.
#include "compiler/cli/editor/input_bytes.hpp"
#include "compiler/cli/repl/interactive.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace pm::cli {
namespace {

constexpr const char* prompt = "> ";

/// The number of presses of Ctrl-C that the session has not answered yet, and the time in seconds of the first of these
/// presses.
std::atomic<int> unanswered{0};
std::atomic<std::int64_t> first_interrupt{0};

/// Handles a press of Ctrl-C. The third or a later unanswered press ends the process if it comes more than a second
/// after the first unanswered press (for instance because the output is blocked).
void on_session_interrupt(int) {
    editor::wake_for_interrupt(); // called first, so that the thread that interrupt() wakes can discard this wake
    interrupt();
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (++unanswered == 1) first_interrupt = now.tv_sec;
    if (unanswered > 2 && now.tv_sec - first_interrupt > 1) _exit(exit_interrupted);
}

void install_session_handler() {
    struct sigaction action{};
    action.sa_handler = on_session_interrupt;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGINT, &action, nullptr);
    mask_interrupts(
        // unblocked on this thread only: when this thread wakes, the handler has ended, so one press counts once
        SIG_UNBLOCK);
}

bool blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

/// The output. The object records whether the last line of the output has ended, so that a prompt begins on a new line.
class Output {
  public:
    void write(std::string_view text) {
        if (text.empty()) return;
        std::fwrite(text.data(), 1, text.size(), stdout);
        line_ended_ = text.back() == '\n';
    }
    /// Writes the output of an entry.
    void write_of_entry(std::string_view text) {
        write_output(text);
        if (!text.empty()) line_ended_ = text.back() == '\n' && !interrupted;
    }
    void end_line() {
        if (!line_ended_) write("\n");
        std::fflush(stdout);
    }

  private:
    std::atomic<bool> line_ended_{true}; ///< atomic, since an unfinished entry on another thread may still write
};

/// Runs entries on another thread. An entry that does not stop at once after Ctrl-C continues on the other thread.
class Runner {
  public:
    explicit Runner(Interactive& session) : session_(session) {}

    /// Waits for an unfinished entry, then runs `entry`. Returns the exit code.
    int run(const std::string& entry) {
        unanswered = 0;
        const int code = run_or_wait(entry);
        editor::Bytes::forget_signals(); // signals that arrived until now were for this entry
        return code;
    }
    bool leaving() const { return worker_.idle() && session_.leaving(); }
    editor::Completion complete(const std::string& text, std::size_t cursor) {
        return worker_.idle() ? session_.complete(text, cursor) : editor::Completion{};
    }
    bool idle() const { return worker_.idle(); }

  private:
    int run_or_wait(const std::string& entry) {
        const bool ended = worker_.wait(std::chrono::milliseconds(200), [&] {
            if (Interactive::leaves(entry)) leave(exit_done);
            write_error("waiting for the end of what was stopped before; Ctrl-C gives up, :quit leaves\n");
        });
        if (!ended) return exit_interrupted;
        interrupted = false; // a press of Ctrl-C before this entry must not stop it
        const Errors form = session_.options().errors;
        if (!worker_.run([this, entry] { code_ = session_.run(entry); })) return tell_interrupted(form);
        return code_;
    }

    Interactive& session_;
    int code_ = exit_done; ///< the exit code of the last entry that has ended
    Worker worker_;        // the last member: its work uses the other members
};

int run_terminal(Interactive& session, Runner& runner, Output& output) {
    output.write(fmt::format("Polymap {}   :help for help, :quit to leave\n", PM_VERSION));
    std::fflush(stdout);
    editor::Language language;
    language.incomplete = [&](const std::string& text) { return session.incomplete(text); };
    language.complete = [&](const std::string& text, std::size_t cursor) { return runner.complete(text, cursor); };
    language.highlight = [&](std::string_view text) {
        return session.options().color ? highlight(text) : std::vector<editor::Style>{};
    };
    editor::LineEditor lines(std::move(language), editor::History::default_file());
    while (!runner.leaving()) {
        unanswered = 0;
        const editor::LineEditor::Entry entry = lines.read(prompt);
        using End = editor::LineEditor::Entry::End;
        if (entry.end == End::closed) break;
        if (entry.end == End::interrupted || blank(entry.text)) continue;
        if (runner.run(entry.text) == exit_interrupted) output.write("\n");
        output.end_line();
    }
    return exit_done;
}

/// A line of standard input with its newline.
struct PipedLine {
    enum class End { line, closed, interrupted } end;
    std::string text;
};
PipedLine read_line(editor::Bytes& bytes) {
    std::string text;
    for (;;) {
        const int byte = bytes.next(-1);
        if (byte == editor::Input::resized || byte == editor::Input::nothing) continue;
        if (byte == editor::Input::interrupted) return {PipedLine::End::interrupted, {}};
        if (byte < 0) return {text.empty() ? PipedLine::End::closed : PipedLine::End::line, std::move(text)};
        text += static_cast<char>(byte);
        if (byte == '\n') return {PipedLine::End::line, std::move(text)};
    }
}

/// Runs a session without the editor. If the input is a pipe, there are no prompts, and errors determine the exit code.
/// In a terminal, an incomplete entry is run after one empty line. In a pipe, an incomplete entry is run after two
/// empty lines, because the text of the pipe may contain single empty lines.
int run_lines(Interactive& session, Runner& runner, Output& output, bool terminal) {
    editor::Bytes bytes;
    std::string entry;
    int code = exit_done;
    int blank_lines = 0; ///< at the end of the entry
    while (!runner.leaving()) {
        unanswered = 0;
        if (terminal) {
            output.write(entry.empty() ? prompt : "... ");
            std::fflush(stdout);
        }
        const PipedLine line = read_line(bytes);
        if (line.end == PipedLine::End::interrupted) {
            if (!terminal) return exit_interrupted;
            entry.clear();
            output.write("\n");
            continue;
        }
        entry += line.text;
        const bool closed = line.end == PipedLine::End::closed;
        blank_lines = blank(line.text) ? blank_lines + 1 : 0;
        const bool forced = closed || blank_lines >= (terminal ? 1 : 2);
        if (!blank(entry) && (forced || !session.incomplete(entry))) {
            const int ended = runner.run(entry);
            if (!terminal && ended == exit_interrupted) return ended;
            output.end_line();
            code = std::max(code, ended);
            entry.clear();
        }
        if (blank(entry)) entry.clear();
        if (closed) break;
    }
    if (terminal && !runner.leaving()) output.write("\n");
    return terminal ? static_cast<int>(exit_done) : code;
}

} // namespace

int repl(Options& options) {
    Output output;
    options.session.stage.output = [&output](std::string_view text) { output.write_of_entry(text); };
    say_messages(options);
    answer_interrupts(options.session);
    options.session.stage.terminal = ::isatty(STDERR_FILENO) != 0;
    const char* no_color = std::getenv("NO_COLOR");
    options.color = !no_color || !*no_color;
    install_session_handler();
    return guarded(options, nullptr, [&] {
        Interactive session(options);
        Runner runner(session);
        const int code = editor::Terminal::capable() ? run_terminal(session, runner, output)
                                                     : run_lines(session, runner, output, ::isatty(STDIN_FILENO) != 0);
        if (!runner.idle()) leave(code); // ends the process without waiting for the unfinished entry
        return code;
    });
}

} // namespace pm::cli
