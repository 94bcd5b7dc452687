#pragma once
#include "runtime/gpu/driver/cuda_driver.hpp"
#include "runtime/gpu/driver/graphs.hpp"
#include "runtime/gpu/driver/launch_throttle.hpp"
#include "runtime/gpu/driver/operation_batch.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

namespace pm::runtime::cuda {

/// The queue of a device's work. Launches and fills are collected and submitted together. If the program has a graph
/// for the collected sequence, the graph is submitted. A launch takes 40 to 50 ns of host time, plus the driver's time.
/// put_all() must be called before other work is queued that must follow the collected launches and fills. Several
/// threads may use the queue. Any context may be current in these threads.
class Queue : private Marks {
  public:
    /// `stop_words` is the address of the words that stop kernels, and `stops` their number.
    Queue(const Driver& driver, void* context, const void* stop_words, std::size_t stops);
    ~Queue() override;
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;

    void* stream() const { return stream_; }

    void set(std::uint64_t to, std::uint64_t value, int bytes);
    /// Launches a kernel of the program that owns `graphs`. `clear` is device memory that is set to 0 before the
    /// launch; it may be empty.
    struct Clear {
        std::uint64_t address = 0;
        unsigned words = 0;
    };
    void launch(Graphs& graphs, const Operation& operation, std::span<const std::uint64_t> words, Clear clear);
    /// Frees a block of a memory pool after the collected operations have run.
    void release(std::uint64_t block) noexcept;

    /// Implement Device::make_room() and submit().
    bool make_room(const std::function<bool()>& leave);
    void submit(const std::function<bool()>& leave);
    void put_all();
    /// Waits until there is room for one more launch. Returns false if `leave` returns true first.
    bool wait_for_room(const std::function<bool()>& leave);
    /// Waits for room, submits the collected operations, and calls `work`, which queues work of a library. That work
    /// counts as one launch. Returns false if `leave` returns true before there is room, or if `work` returns false
    /// because it queued nothing.
    bool run(const std::function<bool(void* stream)>& work, const std::function<bool()>& leave);
    /// Waits for the last launch with this stop word.
    void wait_for(const void* stop);
    /// Waits until all work is done, and forgets the graphs. Ignores failures.
    void finish(const Graphs& graphs) noexcept;

  private:
    /// Memory that was released although collected operations may still use it.
    struct Released {
        std::uint64_t block = 0;
        std::size_t operations_before = 0; ///< the number of operations that must run before the memory is freed
    };
    /// The most launches of a batch: half of the largest bound of LaunchThrottle. Marks are put only between batches,
    /// so the host cannot see the device's progress within a batch.
    static constexpr std::size_t most_launches = LaunchThrottle::most / 2;
    static constexpr std::size_t most_operations = 2 * most_launches;

    void add_set(std::uint64_t to, std::uint64_t value, unsigned element, unsigned count);
    bool is_long() const;
    void put_first(std::size_t count);
    void put_directly(const Operation& operation);
    void record_stops(std::span<const Operation> operations);
    void drop(std::size_t count) noexcept;
    void give_back(std::uint64_t block) noexcept;
    void*& last_with(const void* stop);
    void put(std::size_t number) override;
    bool passed(std::size_t number) override;

    const Driver& driver_;
    void* context_;
    void* stream_ = nullptr;
    const void* stop_words_;
    std::mutex mutex_; // guards the members below
    Batch batch_;
    Graphs* graphs_ = nullptr; ///< graphs of the program to which the last launched kernel belongs
    std::vector<Released> released_;
    std::vector<void*> arguments_; ///< used by put_directly()
    LaunchThrottle throttle_{*this};
    std::array<void*, LaunchThrottle::marks> marks_{}; ///< events
    std::vector<void*> last_launches_;                 ///< one event per stop word, created at the first use
};

} // namespace pm::runtime::cuda
