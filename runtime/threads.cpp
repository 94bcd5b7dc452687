// Built without the thread sanitizer (see CMakeLists.txt): TBB's library is not instrumented, so the sanitizer would
// not see the synchronization in TBB's headers. The threads share data only through Workers, which does not rely on TBB
// for its synchronization.
#include "runtime/threads.hpp"

#include "runtime/process.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>

#include <optional>
#include <system_error>
#include <thread>

namespace pm::runtime {
namespace {

/// The process in which TBB's threads run. A fork of that process has none of these threads.
const ProcessMark& process_of_tbb() {
    static const ProcessMark first;
    return first;
}

/// Runs fn without TBB: on a new thread, or on the calling thread if none can be created.
void run_without_tbb(void (*fn)(void*), void* argument) {
    try {
        std::thread(fn, argument).detach();
    } catch (const std::system_error&) {
        fn(argument);
    }
}

} // namespace

struct Threads::State {
    explicit State(int count) {
        if (!process_of_tbb().here()) return;
        arena.emplace(count + 1, 1);
        // Without this, TBB uses at most as many threads as cores.
        if (count + 1 > tbb::info::default_concurrency())
            control.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count) + 1);
    }
    std::optional<tbb::global_control> control;
    std::optional<tbb::task_arena> arena; ///< empty in a fork of TBB's process
};

Threads::Threads(int count) : state_(std::make_unique<State>(count)) {}
Threads::~Threads() = default;

void Threads::enqueue(void (*fn)(void*), void* argument) {
    if (!state_->arena) return run_without_tbb(fn, argument);
    state_->arena->enqueue([fn, argument] { fn(argument); });
}

} // namespace pm::runtime
