#pragma once
#include <functional>

namespace pm {

/// Lets a caller stop long work of the compiler. Transformations, passes and the planner have no access to the host.
/// All of them call poll_stop() when they append instructions. A caller that has a host opens a StopScope.
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

/// Calls `ask` in every 256th call; the compiler makes 256 calls in about 10 us or less. The other calls take about a
/// nanosecond.
void poll_stop();

} // namespace pm
