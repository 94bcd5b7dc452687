#pragma once
#include <array>
#include <chrono>
#include <cstddef>

namespace pm::runtime {

/// Marks behind what is in a device's queue.
class Marks {
  public:
    using Time = std::chrono::steady_clock::time_point;
    virtual ~Marks() = default;
    virtual Time now() { return std::chrono::steady_clock::now(); }
    /// Behind all that is there now; what stood for this number is over.
    virtual void put(std::size_t number) = 0;
    /// Whether all in front of it is done.
    virtual bool passed(std::size_t number) = 0;
};

/// Bounds how far the host runs ahead of a device: what is queued cannot be taken back, so that whoever asks for the
/// end of a call would wait for all of it. There is room for what the device takes about `horizon` to do, as it is seen
/// to while the host waits, but for no more launches than `most`. For one thread at a time.
class LaunchThrottle {
  public:
    static constexpr std::size_t marks = 16;
    /// With what else a call does when it is to end this is less than the tenth of a second that a person notices.
    static constexpr std::chrono::milliseconds horizon{50};
    /// Half of what the driver's own queue holds, behind which a launch waits in the driver, where nobody asks whether
    /// the call is to end. A millisecond and more even of the shortest kernels.
    static constexpr std::size_t most = 512;
    /// One runs and one is there when it is done.
    static constexpr std::size_t least = 2;

    explicit LaunchThrottle(Marks& queue) : queue_(queue) {}

    /// Launches that there is room for in an empty queue.
    std::size_t room() const { return room_; }
    /// To be asked before a launch.
    bool full() const { return ahead_ + since_mark_ >= room_; }
    /// Asks the device how far it is: whether there is room now.
    bool make_room();
    /// So many launches are in the queue now.
    void add(std::size_t launches);

  private:
    struct Mark {
        std::size_t launches = 0; ///< behind the mark before
        Marks::Time since;        ///< when that was put
    };
    void put();
    void learn(std::size_t launches, Marks::Time since);
    /// Launches from a mark to the next: marks cost little, and there is room again long before the queue is empty.
    std::size_t stride() const { return room_ < marks ? 1 : room_ / (marks / 2); }

    Marks& queue_;
    std::array<Mark, marks> marks_;
    std::size_t first_ = 0, count_ = 0; ///< of those that were not passed when they were last looked at
    Marks::Time last_put_;
    std::size_t ahead_ = 0; ///< launches in front of them
    std::size_t since_mark_ = 0;
    std::size_t room_ = marks; ///< launches
    bool waited_ = false;      ///< for the next mark
    bool timed_ = false;       ///< the one before was waited for too, and was passed at `passed_`
    Marks::Time passed_;
};

} // namespace pm::runtime
