#pragma once
#include "compiler/api/deep_stack.hpp"
#include "compiler/base/source.hpp"

#include <atomic>
#include <chrono>
#include <functional>

namespace pm::cli {

/// Ctrl-C was pressed since the start of the process or of the session's entry. All work polls it.
extern std::atomic<bool> interrupted;
/// For signal handlers: interrupts the work and wakes the thread that waits for it.
void interrupt();

/// Runs work on a separate thread with a deep stack, and handles Ctrl-C for it. Most work stops within a few
/// milliseconds and reports the stop itself. Work that cannot stop yet (freeing memory, one function in LLVM, a read of
/// a file without a writer) continues without output. The waiting thread does not wait for it.
class Worker {
  public:
    /// Runs `work`, which must not throw. True if it has ended. False if Ctrl-C was pressed and it has not ended within
    /// 60 ms; the objects that it uses must then live until idle(). Must be called only when idle().
    bool run(std::function<void()> work);
    /// Waits for unfinished work of run(). Calls `notice` if that takes longer than `quiet`. False if Ctrl-C was
    /// pressed meanwhile and the work has not ended.
    bool wait(std::chrono::milliseconds quiet, const std::function<void()>& notice);
    bool idle() const { return !busy_; }

  private:
    bool ends_within(std::chrono::milliseconds time);

    std::atomic<bool> busy_{false};
    api::DeepStack thread_;
};

/// False after the running work has been reported as stopped; its later output is not shown.
bool heard();

/// True for the first call during each work: this caller must report the stop by Ctrl-C.
bool first_to_tell();

/// Sets the place of the work. `source` is null if it is not known, and must live until the next call.
void work_is_at(const Source* source, Span place);
/// A copy of the place and its source, since running work may add sources.
struct WorkPlace {
    SourceMap sources;
    Span place;
};
WorkPlace place_of_work();

/// Flushes the output of work that has not stopped yet, so that it comes before later messages. Gives up after 20 ms if
/// the output is a full pipe.
void write_printed();

/// Ends the process at once, with work that has not stopped yet. Flushes its output first.
[[noreturn]] void leave(int code);

} // namespace pm::cli
