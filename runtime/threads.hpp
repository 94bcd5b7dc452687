#pragma once
#include <memory>

namespace pm::runtime {

/// Threads for Workers, from TBB: the one place that includes it. In a fork of a process that has used TBB each task
/// has a thread of its own.
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
