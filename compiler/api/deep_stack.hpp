#pragma once
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include <pthread.h>

namespace pm::api {

/// One thread with a stack deep enough for the recursion limits of the parser and the stager. Handing work to it costs
/// about 10 us, making a thread each time about 40; so an engine keeps one, and calls whose code is there already stay
/// on the caller's stack.
class DeepStack {
  public:
    DeepStack() = default;
    ~DeepStack();
    DeepStack(const DeepStack&) = delete;
    DeepStack& operator=(const DeepStack&) = delete;

    /// Runs `work` there and returns when it is done; exceptions come out here. From within, it runs at once. One
    /// caller at a time. Where no such thread can be made, the caller's stack has to do.
    void run(const std::function<void()>& work);
    /// Begins `work` there and returns at once, after it where no thread can be made. Not from within, and nothing else
    /// is given to it before wait().
    void start(std::function<void()> work);
    /// Returns when nothing runs there; what was thrown comes out.
    void wait();

  private:
    void serve();
    bool make_thread();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::function<void()> work_; ///< what is to be done; empty when nothing is
    std::exception_ptr thrown_;
    bool leave_ = false;
    bool running_ = false; ///< the thread exists
    pthread_t thread_{};
};

} // namespace pm::api
