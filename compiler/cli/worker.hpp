#pragma once
#include "compiler/api/deep_stack.hpp"
#include "compiler/base/source.hpp"

#include <atomic>
#include <chrono>
#include <functional>

namespace pm::cli {

/// Whether Ctrl-C was pressed since the start of the process, or of the current entry of a session. All work polls this
/// flag.
extern std::atomic<bool> interrupted;
/// For signal handlers: interrupts the work and wakes the thread that waits for the work.
void interrupt();

/// Runs work on a separate thread with a deep stack, and handles Ctrl-C during the work. Most work stops within a few
/// milliseconds and reports the stop itself. Some work cannot stop at once: it frees memory, compiles a function in
/// LLVM, or reads from a FIFO without a writer. Such work continues without output, and the thread that called run()
/// does not wait for it.
class Worker {
  public:
    /// Runs `work`, which must not throw. Returns true if the work has ended. Returns false if Ctrl-C was pressed and
    /// the work has not ended 60 ms later. The objects that the work uses must then live until idle() is true. Must be
    /// called only when idle() is true.
    bool run(std::function<void()> work);
    /// Waits for unfinished work of run(). Calls `notice` if the wait takes longer than `quiet`. Returns false if
    /// Ctrl-C was pressed during the wait and the work has not ended.
    bool wait(std::chrono::milliseconds quiet, const std::function<void()>& notice);
    bool idle() const { return !busy_; }

  private:
    bool ends_within(std::chrono::milliseconds time);

    std::atomic<bool> busy_{false};
    api::DeepStack thread_;
};

/// False after the running work has been reported as stopped; later output of this work is not shown.
bool heard();

/// From now on nothing is shown: another process of the job shows it.
void be_silent();
bool is_silent();

/// True for the first call during each piece of work. The caller must then report that Ctrl-C has stopped the work.
bool first_to_tell();

/// Sets the place of the work. `source` is null if the place is not known; otherwise the source must live until the
/// next call.
void work_is_at(const Source* source, Span place);
/// A copy of the place and its source, since running work may add sources.
struct WorkPlace {
    SourceMap sources;
    Span place;
};
WorkPlace place_of_work();

/// True while a program is compiled.
extern std::atomic<bool> compiling;
/// The errno of a flush of standard output by write_printed() that failed; 0 if none has failed.
extern std::atomic<int> output_error;
/// Flushes the output of work that has not stopped yet, so that this output precedes later messages. Gives up if
/// standard output is a pipe that stays full for 20 ms.
void write_printed();

/// Flushes the output of work that has not stopped yet, then ends the process at once.
[[noreturn]] void leave(int code);

} // namespace pm::cli
