#pragma once
#include <functional>

namespace pm {

/// Lets a caller stop long work of the compiler. Transformations, passes and the planner have no access to the
/// embedding program, which can request a stop. Instead, all of them call poll_stop() when they append instructions. A
/// caller that has access to the embedding program opens a StopScope.
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

/// Calls `ask` in every 256th call. The compiler calls poll_stop() 256 times in about 10 us or less. A call that does
/// not call `ask` takes about a nanosecond.
void poll_stop();

} // namespace pm
