#pragma once
#include "runtime/failure.hpp"
#include "runtime/gpu/device/gpu.hpp"
#include "runtime/gpu/driver/cuda_driver.hpp"
#include "runtime/gpu/driver/queue.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <mutex>
#include <span>
#include <string>
#include <utility>

// Common parts of the classes that use NVIDIA's libraries.

namespace pm::runtime::cuda {

/// Calls `open` with each release of CUDA that the driver supports (13, then 12), and returns the first result that is
/// not null. A driver does not support the libraries of releases after its own. `driver_version` is a result of
/// Driver::version().
template <class Open>
auto of_latest_release(int driver_version, const Open& open) -> decltype(open(0)) {
    for (const int release : {13, 12})
        if (release * 1000 <= driver_version)
            if (auto made = open(release)) return made;
    return {};
}

/// The GPU for which a library works. The members of a Workplace outlive the objects that are created for it.
struct Workplace {
    Gpu& device;
    const Driver& driver;
    void* context;
    Queue& queue;
};

/// Returns the result of `work`, which may need `bytes` bytes of memory on each GPU of `gpus` (default: unknown). If
/// `work` fails for lack of memory, the GPUs free memory, and `work` is repeated from its beginning. Before the first
/// repetition, the GPUs free cached memory. Before each later repetition, they free copies of other GPUs' data. When
/// there are no more such copies, the failure is thrown. If `bytes` is unknown, all copies are freed at once, so there
/// are at most two repetitions. The caller must not hold locks of the owner of the GPUs (gpu.hpp).
template <class Work>
auto with_room(std::span<Gpu* const> gpus, const Work& work,
               std::size_t bytes = std::numeric_limits<std::size_t>::max()) {
    const bool all_go = bytes == std::numeric_limits<std::size_t>::max();
    for (int iteration = 0;; ++iteration) {
        try {
            return work();
        } catch (const Failure& failure) {
            if (failure.kind() != FailureKind::out_of_memory || (all_go && iteration > 1)) throw;
            bool more = iteration == 0;
            for (Gpu* gpu : gpus) more = (iteration > 0 && gpu->reclaim(bytes)) || more;
            if (!more) throw;
        }
        for (Gpu* gpu : gpus) gpu->trim();
    }
}

/// As with_room() for one GPU, but if memory is still lacking, also waits for temporary users of the GPU's memory. If
/// `leave` returns true, the wait ends and the failure is thrown. `work` itself locks the mutexes that it needs. The
/// caller must hold no lock.
template <class Work>
auto with_memory(Gpu& gpu, const std::function<bool()>& leave, const Work& work) {
    const MemoryWaiters::Use use(gpu.users());
    for (;;) {
        const std::uint64_t before = gpu.users().ended();
        try {
            return with_room(std::array{&gpu}, work);
        } catch (const Failure& failure) {
            if (failure.kind() != FailureKind::out_of_memory || !gpu.users().wait(before, leave)) throw;
        }
    }
}

/// Locks the mutex. `leave` is polled during the wait. If `leave` returns true before the mutex is locked, the returned
/// lock does not own the mutex.
inline std::unique_lock<std::timed_mutex> lock_unless(const std::function<bool()>& leave, std::timed_mutex& mutex) {
    constexpr std::chrono::milliseconds patience{5};
    std::unique_lock lock(mutex, std::defer_lock);
    while (!lock.try_lock_for(patience))
        if (leave()) break;
    return lock;
}

/// The plans of a library for the most recently used specs. Plan::is_for() compares specs.
template <class Plan>
class Plans {
  public:
    explicit Plans(std::size_t most) : most_(most) {}
    /// The plan for `spec`. If no plan is for `spec`, one is created from `arguments`. If there are then too many
    /// plans, calls `before_forgetting` and destroys the least recently used plan.
    template <class Spec, class BeforeForgetting, class... Arguments>
    Plan& get(const Spec& spec, const BeforeForgetting& before_forgetting, Arguments&&... arguments) {
        const auto found = std::ranges::find_if(plans_, [&](const Plan& p) { return p.is_for(spec); });
        if (found != plans_.end()) {
            plans_.splice(plans_.begin(), plans_, found);
            return plans_.front();
        }
        if (plans_.size() == most_) {
            before_forgetting();
            plans_.pop_back();
        }
        return plans_.emplace_front(std::forward<Arguments>(arguments)...);
    }
    void clear() { plans_.clear(); }

  private:
    std::size_t most_;
    std::list<Plan> plans_; ///< the most recently used is first
};

} // namespace pm::runtime::cuda
