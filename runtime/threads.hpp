#pragma once
#include <memory>

namespace pm::runtime {

/// The threads of Workers, provided by TBB. Only threads.cpp includes TBB. In a fork of a process that has used TBB,
/// each call of enqueue() creates a new thread.
class Threads {
  public:
    /// At most `count` threads run at a time, not counting the caller of enqueue().
    explicit Threads(int count);
    ~Threads();
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

    /// Calls fn(argument) once, asynchronously, on one of the threads.
    void enqueue(void (*fn)(void*), void* argument);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace pm::runtime
