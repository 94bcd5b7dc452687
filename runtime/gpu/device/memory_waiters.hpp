#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace pm::runtime {

/// Who has memory of a GPU for no longer than something takes that ends by itself: the scratch of a library, what one
/// works on, what is on its way to the host. Who finds no memory waits for it. Nobody waits for one who waits here, and
/// who waits here has no lock that a user may wait for: so users end, or are all here, and then one of them gives up.
/// Safe to use from several threads.
class MemoryWaiters {
  public:
    /// The thread that makes it is a user for the life of a scope. One within another is the same use.
    class Use {
      public:
        explicit Use(MemoryWaiters& users) : users_(users) { users_.begin(); }
        ~Use() { users_.end(); }
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;

      private:
        MemoryWaiters& users_;
    };

    /// Uses that are over: to be known before memory is asked for.
    std::uint64_t ended() const { return ended_; }
    /// Whether this thread is one.
    bool has_this_thread() const;
    /// Waits until more uses are over than `before`. False when there is nobody to wait for, or when `leave`, which is
    /// asked first and then every few milliseconds, says so.
    bool wait(std::uint64_t before, const std::function<bool()>& leave);

  private:
    struct User {
        std::thread::id thread;
        int depth;
        bool waits;
    };
    void begin();
    void end();
    User* of_this_thread();

    mutable std::mutex mutex_; // guards what follows
    std::vector<User> users_;
    std::atomic<std::uint64_t> ended_ = 0; ///< read without it too
    std::condition_variable changed_;
};

/// `leave` of those whom nobody can ask: no longer than a person notices.
std::function<bool()> for_a_moment();

} // namespace pm::runtime
