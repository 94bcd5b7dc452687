#include "runtime/kernels/abandonable_work.hpp"

#include "runtime/call.hpp"
#include "runtime/failure.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include <pthread.h>
#include <unistd.h>

namespace pm::runtime {
namespace {

struct Work {
    std::function<void()> run;
    std::mutex mutex; // guards the members below
    std::condition_variable ended;
    bool done = false;
    bool abandoned = false; ///< true if the call was abandoned, so that no thread waits for the work
    std::exception_ptr thrown;
};

/// The number of threads that still execute the work of run_detached(). If it is not 0, leave() must not let the
/// process end normally.
std::atomic<int> running_count{0};
/// The number of threads of run_detached() whose call was abandoned. This number has a limit, because each of these
/// threads uses a processor and memory.
std::atomic<int> abandoned_count{0};
constexpr int most_abandoned = 8;

/// Called at the end of the process, before libraries destroy state that the remaining threads may use.
void leave(int status, void*) {
    if (running_count.load() == 0) return;
    std::fflush(nullptr);
    _exit(status);
}

} // namespace

bool run_detached(PmCall* call, std::function<void()> work) {
    static const int at_exit = on_exit(leave, nullptr);
    // A fork of the process has no threads of run_detached().
    static const int at_fork = pthread_atfork(nullptr, nullptr, [] { running_count = abandoned_count = 0; });
    static_cast<void>(at_exit);
    static_cast<void>(at_fork);
    if (abandoned_count.load() >= most_abandoned)
        throw Failure(FailureKind::bad_argument, "too many factorizations of stopped calls are still running",
                      "wait for them");
    const auto shared = std::make_shared<Work>();
    shared->run = std::move(work);
    ++running_count;
    try {
        std::thread([shared] {
            std::exception_ptr thrown;
            try {
                shared->run();
            } catch (...) {
                thrown = std::current_exception();
            }
            shared->run = nullptr; // frees the memory of the work before its end is signalled
            const std::lock_guard lock(shared->mutex);
            shared->thrown = std::move(thrown); // from here on only the thread that waits uses `thrown`
            shared->done = true;
            if (shared->abandoned) --abandoned_count;
            --running_count;
            shared->ended.notify_all();
        }).detach();
    } catch (...) {
        --running_count;
        throw;
    }
    std::unique_lock lock(shared->mutex);
    while (!shared->ended.wait_for(lock, std::chrono::milliseconds(5), [&] { return shared->done; }))
        if (CallState::abandoned(call)) {
            shared->abandoned = true;
            ++abandoned_count;
            return false;
        }
    if (shared->thrown) std::rethrow_exception(std::exchange(shared->thrown, nullptr));
    return true;
}

} // namespace pm::runtime
