// The bound on the number of launches that are queued and not yet done.
#include "runtime/gpu/driver/launch_throttle.hpp"

#include <doctest/doctest.h>

#include <deque>

using namespace pm::runtime;
using namespace std::chrono_literals;

namespace {

/// A device with a simulated clock. Each launch runs for a given time on it.
class Simulated final : public Marks {
  public:
    Time now() override { return time; }
    void put(std::size_t number) override { at.at(number) = busy_until; }
    bool passed(std::size_t number) override { return at.at(number) <= time; }

    /// Launches a kernel as a call does. The host needs the time `host` for the launch, the device the time `device`.
    void launch(LaunchThrottle& throttle, std::chrono::nanoseconds host, std::chrono::nanoseconds device) {
        while (!throttle.make_room()) time += 50us;
        time += host;
        busy_until = std::max(busy_until, time) + device;
        throttle.add(1);
    }
    std::chrono::nanoseconds queued_time() const { return std::max(busy_until - time, std::chrono::nanoseconds(0)); }

    Time time{1h};
    Time busy_until{};
    std::array<Time, LaunchThrottle::marks> at{};
};

} // namespace

TEST_CASE("if launches are long, the host is at most a short time ahead of the device") {
    for (const std::chrono::microseconds device : {200us, 1000us, 10000us, 40000us}) {
        Simulated queue;
        LaunchThrottle throttle(queue);
        std::chrono::nanoseconds most{};
        for (int i = 0; i < 2000; ++i) {
            queue.launch(throttle, 3us, device);
            if (i >= 32) most = std::max(most, queue.queued_time());
        }
        CHECK(most <= std::max<std::chrono::nanoseconds>(60ms, 3 * device));
        CHECK(most > device); // the device is never idle
    }
}

TEST_CASE("if launches are short, the host does not wait without need") {
    Simulated queue;
    LaunchThrottle throttle(queue);
    const auto start = queue.time;
    for (int i = 0; i < 10000; ++i) queue.launch(throttle, 3us, 2us);
    CHECK(queue.time - start == 30ms);
    // If a device is stuck, at most LaunchThrottle::most launches are queued on it.
    std::size_t ahead = 0;
    Simulated stuck;
    LaunchThrottle other(stuck);
    for (int i = 0; i < 10000; ++i) stuck.launch(other, 3us, 2us);
    stuck.busy_until = stuck.time + 1h;
    for (; other.make_room(); ++ahead) other.add(1);
    CHECK(ahead <= LaunchThrottle::most);
    CHECK(ahead > LaunchThrottle::most / 2);
}

TEST_CASE("the limit decreases when launches become long, and increases when they become short") {
    Simulated queue;
    LaunchThrottle throttle(queue);
    for (int i = 0; i < 2000; ++i) queue.launch(throttle, 1us, 5us);
    for (int i = 0; i < 2000; ++i) queue.launch(throttle, 1us, 5ms);
    CHECK(queue.queued_time() <= 60ms);
    for (int i = 0; i < 5000; ++i) queue.launch(throttle, 1us, 5us);
    std::size_t ahead = 0;
    queue.time = queue.busy_until;
    queue.busy_until += 1h;
    for (; throttle.make_room(); ++ahead) throttle.add(1);
    CHECK(ahead > 100);
    // Several launches that are added together have one mark.
    queue.time = queue.busy_until;
    CHECK(throttle.make_room());
    throttle.add(1000);
    queue.busy_until = queue.time + 1ms;
    CHECK(throttle.full());
}
