#pragma once
#include <cerrno>
#include <functional>

#include <poll.h>

namespace pm::runtime {

/// How long nobody asks whether the work is still wanted.
constexpr int milliseconds_between_polls = 20;

/// Waits until `file` can be read (POLLIN) or written (POLLOUT), has come to its end or has failed. A pipe may say
/// nothing for ever: `poll`, if there is one, is called now and then, and what it throws ends the waiting.
inline void wait_for(int file, short event, const std::function<void()>& poll) {
    pollfd waiting{file, event, 0};
    for (;;) {
        if (poll) poll();
        const int ready = ::poll(&waiting, 1, milliseconds_between_polls);
        if (ready > 0 || (ready < 0 && errno != EINTR)) return;
    }
}

/// Waits for what cannot be waited for: a moment, after which it is tried again.
inline void wait_a_moment(const std::function<void()>& poll) {
    if (poll) poll();
    ::poll(nullptr, 0, milliseconds_between_polls);
}

} // namespace pm::runtime
