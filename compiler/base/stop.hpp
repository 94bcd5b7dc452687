#pragma once
#include <functional>

namespace pm {

/// How work of the compiler that takes long is stopped. Transformations, passes and plans are functions of blocks and
/// know no host; what all of them do is to append instructions, and there they ask. Whoever has a host puts a StopScope
/// around them.
class StopScope {
  public:
    /// Until its end `ask` is called now and then on this thread; it throws when the work is no longer wanted.
    explicit StopScope(std::function<void()> ask);
    ~StopScope();
    StopScope(const StopScope&) = delete;
    StopScope& operator=(const StopScope&) = delete;

  private:
    std::function<void()> ask_;
    const std::function<void()>* outer_;
};

/// Asks every 256th time, which some 10 us lie between at most. A nanosecond otherwise.
void poll_stop();

} // namespace pm
