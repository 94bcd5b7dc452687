#include "runtime/gpu/driver/launch_throttle.hpp"

#include <algorithm>

namespace pm::runtime {

void LaunchThrottle::add(std::size_t launches) {
    since_mark_ += launches;
    if (since_mark_ >= stride()) put();
}

void LaunchThrottle::put() {
    if (count_ == marks) return;
    const std::size_t number = (first_ + count_) % marks;
    queue_.put(number);
    ++count_;
    marks_[number] = {since_mark_, last_put_};
    last_put_ = queue_.now();
    ahead_ += since_mark_;
    since_mark_ = 0;
}

bool LaunchThrottle::make_room() {
    if (!full()) return true;
    // The room, and thus the stride, was larger when the last launch was added. So no mark was due then.
    if (since_mark_ > 0) put();
    std::size_t done = 0;
    const Marks::Time since = marks_[first_].since;
    while (count_ > 0 && queue_.passed(first_)) {
        done += marks_[first_].launches;
        first_ = (first_ + 1) % marks;
        --count_;
    }
    ahead_ -= done;
    if (done > 0) learn(done, since);
    waited_ = full();
    return !waited_;
}

/// Updates the room, given that the device has executed `launches` launches. If the host waited both for the previous
/// mark and for this mark, the launches took exactly the time between the two marks. Otherwise the time since `since`
/// is an upper bound, because the device may have been idle.
void LaunchThrottle::learn(std::size_t launches, Marks::Time since) {
    const Marks::Time now = queue_.now();
    const bool exact = waited_ && timed_;
    const std::chrono::nanoseconds taken = now - (exact ? passed_ : since);
    const auto most_in_time = static_cast<std::size_t>(std::chrono::nanoseconds(horizon).count()) * launches /
                              static_cast<std::size_t>(std::max<std::int64_t>(1, taken.count()));
    const std::size_t fit = std::clamp(most_in_time, least, most);
    room_ = exact ? fit : std::max(room_, fit);
    timed_ = waited_ && count_ > 0; // the remaining work keeps the device busy from now on
    passed_ = now;
}

} // namespace pm::runtime
