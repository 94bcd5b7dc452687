#pragma once
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include <pthread.h>

namespace pm::api {

/// One thread with a stack deep enough for the recursion limits of the parser and the stager. Passing work to the
/// thread takes about 10 us; starting a new thread takes about 40 us. So an engine has one thread for all its work.
/// Compiled code runs on the caller's stack.
class DeepStack {
  public:
    DeepStack() = default;
    ~DeepStack();
    DeepStack(const DeepStack&) = delete;
    DeepStack& operator=(const DeepStack&) = delete;

    /// Runs `work` on the thread and returns when `work` has ended. Rethrows an exception of `work`. If the caller is
    /// this thread itself, `work` runs directly. If no thread can be created, `work` runs on the caller's stack. Only
    /// one caller may use the object at a time.
    void run(const std::function<void()>& work);
    /// Starts `work` on the thread and returns at once. If no thread can be created, runs `work` before start()
    /// returns. start() must not be called from the thread itself, and not a second time before wait().
    void start(std::function<void()> work);
    /// Waits until the thread has no work. Rethrows an exception of the work.
    void wait();

  private:
    void serve();
    bool make_thread();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::function<void()> work_; ///< the current work; empty if the thread has no work
    std::exception_ptr thrown_;
    bool leave_ = false;
    bool running_ = false; ///< true if the thread exists
    pthread_t thread_{};
};

} // namespace pm::api
