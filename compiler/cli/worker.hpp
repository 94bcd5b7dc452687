#pragma once
#include "compiler/api/deep_stack.hpp"
#include "compiler/base/source.hpp"

#include <atomic>
#include <chrono>
#include <functional>

namespace pm::cli {

/// Ctrl-C was pressed since the process began, or the entry of a session; polled by everything that runs.
extern std::atomic<bool> interrupted;
/// For handlers of signals: tells the work, and whoever waits for it.
void interrupt();

/// Runs work on a thread of its own with a deep stack, and answers Ctrl-C for it: most work stops within a few
/// milliseconds and says so itself; what is held up then (memory to be given back, one function in LLVM, a file that
/// nobody writes to) goes on unheard until it stops, while who waits here has gone on.
class Worker {
  public:
    /// Runs `work`, which must not throw. True: it has ended. False: Ctrl-C was pressed and it has not ended within 60
    /// ms; what it refers to must live until idle(). Only when idle().
    bool run(std::function<void()> work);
    /// Waits for work that run() has left; calls `notice` when that takes longer than `quiet`. False: Ctrl-C was
    /// pressed meanwhile, and the work has not ended.
    bool wait(std::chrono::milliseconds quiet, const std::function<void()>& notice);
    bool idle() const { return !busy_; }

  private:
    bool ends_within(std::chrono::milliseconds time);

    std::atomic<bool> busy_{false};
    api::DeepStack thread_;
};

/// False: what runs has been answered for, and nothing more of it is shown.
bool heard();

/// True once for each work: that Ctrl-C has stopped it is told by who gets it.
bool first_to_tell();

/// Where the work is; `nullptr`: nobody knows. The source lives until something else is said.
void work_is_at(const Source* source, Span place);
/// A copy, for while the work goes on: its sources may become more.
struct WorkPlace {
    SourceMap sources;
    Span place;
};
WorkPlace place_of_work();

/// Has what the work has printed written before something else is said, though it has not stopped yet: not to a pipe
/// that nobody reads.
void write_printed();

/// Ends the process, whose work has not stopped yet, where it stands. What has been printed is written.
[[noreturn]] void leave(int code);

} // namespace pm::cli
