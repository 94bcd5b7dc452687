#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace pm::runtime {

/// The "users": threads that use memory of a GPU for a limited time: for scratch of a library, for operands of an
/// operation, or for transfers to the host. A thread that finds no free memory waits until a user no longer needs its
/// memory. It never waits for users that wait too. A waiting thread holds no lock that a user may need. So either a
/// user ends its use, or all users wait and one of them gives up. Several threads may use the object.
class MemoryWaiters {
  public:
    /// Makes the calling thread a user for the life of the object. If Use objects of a thread are nested, the thread is
    /// a user until the outermost of them is destroyed.
    class Use {
      public:
        explicit Use(MemoryWaiters& users) : users_(users) { users_.begin(); }
        ~Use() { users_.end(); }
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;

      private:
        MemoryWaiters& users_;
    };

    /// The number of uses that have ended. Callers read it before they request memory, and pass it to wait().
    std::uint64_t ended() const { return ended_; }
    /// Whether this thread is a user.
    bool has_this_thread() const;
    /// Waits until more uses than `before` have ended. Returns false if every other user is waiting too, or if `leave`
    /// returned true. `leave` is polled first and then every few milliseconds.
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

    mutable std::mutex mutex_; // guards the members below
    std::vector<User> users_;
    std::atomic<std::uint64_t> ended_ = 0; ///< also read without the mutex
    std::condition_variable changed_;
};

/// Returns a function that can be passed as `leave` in calls that cannot be cancelled. It returns true from 100 ms
/// after its first call on. A person hardly notices this delay.
std::function<bool()> for_a_moment();

} // namespace pm::runtime
