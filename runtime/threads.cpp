// Built without the thread sanitizer (see CMakeLists.txt): TBB's library is not instrumented, so that the
// sanitizer would not see the order it gives to what its headers do. The order that counts is made by Workers
// itself.
#include "runtime/threads.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>

#include <optional>

namespace pm::runtime {

struct Threads::State {
    explicit State(int count) : arena(count + 1, 1) {
        // TBB holds to the number of cores unless told otherwise.
        if (count + 1 > tbb::info::default_concurrency())
            control.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count) + 1);
    }
    std::optional<tbb::global_control> control;
    tbb::task_arena arena;
};

Threads::Threads(int count) : state_(std::make_unique<State>(count)) {}
Threads::~Threads() = default;

void Threads::ask(void (*fn)(void*), void* argument) {
    state_->arena.enqueue([fn, argument] { fn(argument); });
}

} // namespace pm::runtime
