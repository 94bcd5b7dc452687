#pragma once
#include <functional>

namespace pm {

/// Lets a caller stop long work of the compiler. Transformations, passes and plans are functions of blocks and have no
/// access to the host. All of them poll when they append instructions. A caller that has a host opens a StopScope.
class StopScope {
  public:
    /// During the scope poll_stop() calls `ask` on this thread. `ask` throws to stop the work.
    explicit StopScope(std::function<void()> ask);
    ~StopScope();
    StopScope(const StopScope&) = delete;
    StopScope& operator=(const StopScope&) = delete;

  private:
    std::function<void()> ask_;
    const std::function<void()>* outer_;
};

/// Calls `ask` on every 256th call, at most about 10 us after the previous time. Other calls take about a nanosecond.
void poll_stop();

} // namespace pm
