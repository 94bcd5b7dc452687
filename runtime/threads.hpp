#pragma once
#include <memory>

namespace pm::runtime {

/// Threads for Workers, from TBB: the one place that includes it.
class Threads {
  public:
    /// At most `count` at a time, the caller of ask() not counted.
    explicit Threads(int count);
    ~Threads();
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

    /// Has fn(argument) called once, soon, on one of the threads.
    void ask(void (*fn)(void*), void* argument);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace pm::runtime
