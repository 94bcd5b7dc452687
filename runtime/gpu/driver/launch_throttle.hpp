#pragma once
#include <array>
#include <chrono>
#include <cstddef>

namespace pm::runtime {

/// Marks in a device's queue. The device passes a mark when it has done all work before the mark.
class Marks {
  public:
    using Time = std::chrono::steady_clock::time_point;
    virtual ~Marks() = default;
    virtual Time now() { return std::chrono::steady_clock::now(); }
    /// Puts mark `number` after all queued work. If the mark was already in the queue, it is removed from there.
    virtual void put(std::size_t number) = 0;
    /// Whether all work queued before mark `number` is done.
    virtual bool passed(std::size_t number) = 0;
};

/// Bounds the number of launches that are queued and not yet done. Queued work cannot be withdrawn, so the end of a
/// call waits for all queued work. The bound is the number of launches that the device executes in about `horizon`, but
/// at most `most`. The time of a launch is measured while the host waits. Only one thread at a time may use the object.
class LaunchThrottle {
  public:
    static constexpr std::size_t marks = 16;
    /// With this horizon, the end of a call takes less than 0.1 s: the wait and the other work at the end. A person
    /// notices a longer delay.
    static constexpr std::chrono::milliseconds horizon{50};
    /// Half of the capacity of the driver's own queue. If the driver's queue is full, a launch blocks in the driver,
    /// where a call cannot be cancelled. 512 launches suffice to keep the device busy: even with the shortest kernels,
    /// they take more than a millisecond.
    static constexpr std::size_t most = 512;
    /// With two launches, one runs while the next one waits in the queue.
    static constexpr std::size_t least = 2;

    explicit LaunchThrottle(Marks& queue) : queue_(queue) {}

    /// The bound: the number of launches that fit into an empty queue.
    std::size_t room() const { return room_; }
    /// Whether there is no room for a launch. Callers check this before each launch.
    bool full() const { return ahead_ + since_mark_ >= room_; }
    /// Polls the device's progress. Returns whether there is room now.
    bool make_room();
    /// Records that `launches` more launches are queued.
    void add(std::size_t launches);

  private:
    struct Mark {
        std::size_t launches = 0; ///< launches since the previous mark
        Marks::Time since;        ///< when the previous mark was put
    };
    void put();
    void learn(std::size_t launches, Marks::Time since);
    /// The number of launches between two marks. It is large enough that marks cost little time. It is small enough
    /// that the host finds room long before the queue is empty.
    std::size_t stride() const { return room_ < marks ? 1 : room_ / (marks / 2); }

    Marks& queue_;
    std::array<Mark, marks> marks_;
    std::size_t first_ = 0, count_ = 0; ///< the marks that had not been passed at the last poll
    Marks::Time last_put_;
    std::size_t ahead_ = 0; ///< launches before the last mark that are not yet known to be done
    std::size_t since_mark_ = 0;
    std::size_t room_ = marks; ///< the bound, in launches
    bool waited_ = false;      ///< true if the host waits for the next mark
    bool timed_ = false;       ///< true if the host also waited for the previous mark, which was passed at `passed_`
    Marks::Time passed_;
};

} // namespace pm::runtime
