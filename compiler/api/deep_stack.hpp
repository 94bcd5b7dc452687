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

  private:
    void serve();
    bool start();

    std::mutex mutex_;
    std::condition_variable changed_;
    const std::function<void()>* work_ = nullptr; ///< what is to be done; null when nothing is
    std::exception_ptr thrown_;
    bool leave_ = false;
    bool running_ = false; ///< the thread exists
    pthread_t thread_{};
};

} // namespace pm::api
