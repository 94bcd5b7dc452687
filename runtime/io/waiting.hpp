#pragma once
#include <cerrno>
#include <functional>

#include <poll.h>

namespace pm::runtime {

/// The longest time between two calls of `poll`.
constexpr int milliseconds_between_polls = 20;

/// Waits until the descriptor `file` can be read (if `event` is POLLIN) or written (POLLOUT), is at its end, or has
/// failed. A pipe may never become ready, so `poll`, if not null, is called regularly. An exception from `poll` ends
/// the wait.
inline void wait_for(int file, short event, const std::function<void()>& poll) {
    pollfd waiting{file, event, 0};
    for (;;) {
        if (poll) poll();
        const int ready = ::poll(&waiting, 1, milliseconds_between_polls);
        if (ready > 0 || (ready < 0 && errno != EINTR)) return;
    }
}

/// Waits a short time. Callers use this function in a loop, to wait for a condition that the system's poll() cannot
/// report.
inline void wait_a_moment(const std::function<void()>& poll) {
    if (poll) poll();
    ::poll(nullptr, 0, milliseconds_between_polls);
}

} // namespace pm::runtime
