#pragma once
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include <pthread.h>

namespace pm::api {

/// One thread with a stack deep enough for the recursion limits of the parser and the stager. Passing work to the
/// thread takes about 10 us, starting a new thread about 40 us. An engine therefore has one thread for all its work.
/// Compiled code runs on the caller's stack.
class DeepStack {
  public:
    DeepStack() = default;
    ~DeepStack();
    DeepStack(const DeepStack&) = delete;
    DeepStack& operator=(const DeepStack&) = delete;

    /// Runs `work` on the thread and returns when it is done. Rethrows its exceptions. If it is called from the thread
    /// itself, `work` runs directly. If no thread can be created, `work` runs on the caller's stack. For one caller at
    /// a time.
    void run(const std::function<void()>& work);
    /// Starts `work` on the thread and returns at once. If no thread can be created, runs `work` before it returns.
    /// Must not be called from the thread itself, and not a second time before wait().
    void start(std::function<void()> work);
    /// Waits until the thread has no work. Rethrows an exception of the work.
    void wait();

  private:
    void serve();
    bool make_thread();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::function<void()> work_; ///< the current work; empty if there is none
    std::exception_ptr thrown_;
    bool leave_ = false;
    bool running_ = false; ///< the thread exists
    pthread_t thread_{};
};

} // namespace pm::api
