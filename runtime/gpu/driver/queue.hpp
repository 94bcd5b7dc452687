#pragma once
#include "runtime/gpu/driver/batch.hpp"
#include "runtime/gpu/driver/cuda_driver.hpp"
#include "runtime/gpu/driver/graphs.hpp"
#include "runtime/gpu/driver/launch_throttle.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

namespace pm::runtime::cuda {

/// The queue of a device's work. Launches and memory that is set are collected first and put there together, as a graph
/// of their program where that is known (40 to 50 ns of the host's for each launch, and what the driver takes);
/// put_all() comes before all else that is to be behind them. Safe to use from several threads, with any current
/// context.
class Queue : private Marks {
  public:
    /// Of so many words that stop kernels, the first of them at `stop_words`.
    Queue(const Driver& driver, void* context, const void* stop_words, std::size_t stops);
    ~Queue() override;
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;

    void* stream() const { return stream_; }

    void set(std::uint64_t to, std::uint64_t value, int bytes);
    /// A kernel of the program that `graphs` is of; `clear`, where not empty, are words of the device's that are 0 when
    /// it begins.
    struct Clear {
        std::uint64_t address = 0;
        unsigned words = 0;
    };
    void launch(Graphs& graphs, const Operation& operation, std::span<const std::uint64_t> words, Clear clear);
    /// Memory of a pool, given back behind what is collected.
    void release(std::uint64_t block) noexcept;

    /// Device::make_room(), submit().
    bool make_room(const std::function<bool()>& leave);
    void submit(const std::function<bool()>& leave);
    void put_all();
    /// Waits until one more has room; false when `leave` says so first.
    bool wait_for_room(const std::function<bool()>& leave);
    /// Work of a library's, behind what this thread has queued, when there is room; it counts as a launch. False when
    /// `leave` says so first, or `work`, which has queued nothing then.
    bool run(const std::function<bool(void* stream)>& work, const std::function<bool()>& leave);
    /// Waits for the last launch with this word.
    void wait_for(const void* stop);
    /// Waits until all is done, and forgets the graphs; what fails meanwhile is nobody's any more.
    void finish(const Graphs& graphs) noexcept;

  private:
    /// What was given back while the batch may use it.
    struct Released {
        std::uint64_t block = 0;
        std::size_t behind = 0; ///< so many operations
    };
    /// Of a batch. Half of what there is room for: what is put into the queue together is waited for together.
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
    std::mutex mutex_; // guards what follows
    Batch batch_;
    Graphs* graphs_ = nullptr; ///< of the program whose kernels are in the batch, or were there last
    std::vector<Released> released_;
    std::vector<void*> arguments_; ///< of put_directly()
    LaunchThrottle throttle_{*this};
    std::array<void*, LaunchThrottle::marks> marks_{}; ///< events
    std::vector<void*> last_launches_;                 ///< events, for each stop word, made when they are first used
};

} // namespace pm::runtime::cuda
