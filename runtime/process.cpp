#include "runtime/process.hpp"

#include <atomic>

#include <pthread.h>

namespace pm::runtime {
namespace {

std::atomic<std::uint64_t> count{0};

const int registered = pthread_atfork(nullptr, nullptr, [] { count.fetch_add(1, std::memory_order_relaxed); });

} // namespace

std::uint64_t ProcessMark::forks() {
    static_cast<void>(registered);
    return count.load(std::memory_order_relaxed);
}

} // namespace pm::runtime
