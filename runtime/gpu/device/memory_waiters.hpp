#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace pm::runtime {

/// The threads that use memory of a GPU for a limited time ("users"): for scratch of a library, operands of an
/// operation, transfers to the host. A thread that finds no free memory waits until a user ends. It never waits for a
/// user that is itself waiting, and while it waits, it holds no lock that a user may need. So either a user ends, or
/// all users wait and one of them gives up. Several threads may use the object.
class MemoryWaiters {
  public:
    /// Makes the calling thread a user for the life of the object. A nested Use is a part of the outer Use.
    class Use {
      public:
        explicit Use(MemoryWaiters& users) : users_(users) { users_.begin(); }
        ~Use() { users_.end(); }
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;

      private:
        MemoryWaiters& users_;
    };

    /// The number of uses that have ended, to be read before memory is requested.
    std::uint64_t ended() const { return ended_; }
    /// Whether this thread is a user.
    bool has_this_thread() const;
    /// Waits until more uses than `before` have ended. False if every other user is waiting too, or if `leave` returned
    /// true. `leave` is polled first and then every few milliseconds.
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

/// A `leave` for callers that cannot be cancelled: returns true after 100 ms, which a person hardly notices.
std::function<bool()> for_a_moment();

} // namespace pm::runtime
