#include "runtime/gpu/device/memory_waiters.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

namespace pm::runtime {

bool MemoryWaiters::has_this_thread() const {
    const std::scoped_lock lock(mutex_);
    return std::ranges::find(users_, std::this_thread::get_id(), &User::thread) != users_.end();
}

MemoryWaiters::User* MemoryWaiters::of_this_thread() {
    const auto found = std::ranges::find(users_, std::this_thread::get_id(), &User::thread);
    return found == users_.end() ? nullptr : &*found;
}

void MemoryWaiters::begin() {
    const std::scoped_lock lock(mutex_);
    if (User* const user = of_this_thread(); user != nullptr)
        ++user->depth;
    else
        users_.push_back({std::this_thread::get_id(), 1, false});
}

void MemoryWaiters::end() {
    const std::scoped_lock lock(mutex_);
    User* const user = of_this_thread();
    if (--user->depth > 0) return;
    users_.erase(users_.begin() + (user - users_.data()));
    for (User& other : users_) other.waits = false; // each waiting user may try again now
    ++ended_;
    changed_.notify_all();
}

bool MemoryWaiters::wait(std::uint64_t before, const std::function<bool()>& leave) {
    constexpr std::chrono::milliseconds between_questions{5};
    bool leaving = leave(); // `leave` is polled at least once, even if further uses have already ended
    std::unique_lock lock(mutex_);
    const auto set_waiting = [&](bool waits) {
        if (User* const user = of_this_thread(); user != nullptr) user->waits = waits;
    };
    const auto me = std::this_thread::get_id();
    const auto is_at_work = [&](const User& user) { return !user.waits && user.thread != me; };
    set_waiting(true);
    while (ended_ == before && !leaving && std::ranges::any_of(users_, is_at_work)) {
        changed_.wait_for(lock, between_questions);
        lock.unlock();
        leaving = leave(); // without the lock, since `leave` may lock mutexes
        lock.lock();
    }
    set_waiting(false);
    return ended_ != before && !leaving;
}

std::function<bool()> for_a_moment() {
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds moment{100};
    return [end = std::optional<Clock::time_point>()]() mutable { // the time counts from the first poll
        if (!end) end = Clock::now() + moment;
        return Clock::now() >= *end;
    };
}

} // namespace pm::runtime
