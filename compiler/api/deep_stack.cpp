#include "compiler/api/deep_stack.hpp"

#include "compiler/base/account.hpp"

#include <csignal>
#include <cstddef>
#include <utility>

namespace pm::api {

DeepStack::~DeepStack() {
    if (!running_) return;
    {
        const std::lock_guard lock(mutex_);
        leave_ = true;
    }
    changed_.notify_all();
    pthread_join(thread_, nullptr);
}

namespace {

/// While the object lives, the calling thread blocks all signals except those that a thread causes itself, such as
/// SIGSEGV. Threads created while the object lives inherit this mask, and keep it after the object is destroyed. So a
/// handler of the blocked signals runs on the caller of run(), which waits for the work of the new thread. When this
/// caller continues, the handler has finished.
class SignalsElsewhere {
  public:
    SignalsElsewhere() {
        sigset_t set;
        sigfillset(&set);
        for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGPIPE, SIGPROF})
            sigdelset(&set, own);
        pthread_sigmask(SIG_BLOCK, &set, &before_);
    }
    ~SignalsElsewhere() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsElsewhere(const SignalsElsewhere&) = delete;
    SignalsElsewhere& operator=(const SignalsElsewhere&) = delete;

  private:
    sigset_t before_{};
};

} // namespace

bool DeepStack::make_thread() {
    const SignalsElsewhere signals;
    // The stack is only reserved: memory is used only for the used part of the stack. A small machine may refuse the
    // largest size.
    for (const std::size_t stack : {std::size_t{1} << 30, std::size_t{1} << 28, std::size_t{1} << 26}) {
        pthread_attr_t attributes;
        if (pthread_attr_init(&attributes) != 0) return false;
        int made = pthread_attr_setstacksize(&attributes, stack);
        if (made == 0)
            made = pthread_create(
                &thread_, &attributes,
                [](void* self) -> void* {
                    static_cast<DeepStack*>(self)->serve();
                    return nullptr;
                },
                this);
        pthread_attr_destroy(&attributes);
        if (made == 0) return running_ = true;
    }
    return false;
}

void DeepStack::run(const std::function<void()>& work) {
    if (running_ && pthread_equal(pthread_self(), thread_) != 0) return work();
    start([&work] { work(); });
    wait();
}

void DeepStack::start(std::function<void()> work) {
    if (!running_ && !make_thread()) return work();
    {
        const std::lock_guard lock(mutex_);
        work_ = [work = std::move(work), paying = account()] { // the account of the caller is charged for the work
            const AccountScope scope(paying);
            work();
        };
    }
    changed_.notify_all();
}

void DeepStack::wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !work_; });
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, {}));
}

void DeepStack::serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return work_ || leave_; });
        if (!work_) return;
        lock.unlock();
        std::exception_ptr thrown;
        try {
            work_();
        } catch (...) {
            thrown = std::current_exception();
        }
        lock.lock();
        thrown_ = thrown;
        work_ = {};
        changed_.notify_all();
    }
}

} // namespace pm::api
