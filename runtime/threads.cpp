// Built without the thread sanitizer (see CMakeLists.txt): TBB's library is not instrumented, so that the
// sanitizer would not see the order it gives to what its headers do. The order that counts is made by Workers
// itself.
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

/// The process that TBB has its threads in. They are of the whole process, and a fork of it has none of them.
const ProcessMark& process_of_tbb() {
    static const ProcessMark first;
    return first;
}

/// Without TBB: a thread of its own, or where none can be made the calling one.
void run_apart(void (*fn)(void*), void* argument) {
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
        // TBB holds to the number of cores unless told otherwise.
        if (count + 1 > tbb::info::default_concurrency())
            control.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count) + 1);
    }
    std::optional<tbb::global_control> control;
    std::optional<tbb::task_arena> arena; ///< none in a fork of TBB's process
};

Threads::Threads(int count) : state_(std::make_unique<State>(count)) {}
Threads::~Threads() = default;

void Threads::ask(void (*fn)(void*), void* argument) {
    if (!state_->arena) return run_apart(fn, argument);
    state_->arena->enqueue([fn, argument] { fn(argument); });
}

} // namespace pm::runtime
