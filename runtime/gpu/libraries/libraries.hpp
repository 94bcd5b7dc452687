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

// What NVIDIA's libraries have in common.

namespace pm::runtime::cuda {

/// What `open` makes of the first release of CUDA, the latest first, that goes with the driver, whose version
/// (cuda_driver.hpp) is given, and of which it makes something that is not null: a driver does not know what the
/// libraries of later releases ask for. `open` gets 13, then 12.
template <class Open>
auto of_latest_release(int driver_version, const Open& open) -> decltype(open(0)) {
    for (const int release : {13, 12})
        if (release * 1000 <= driver_version)
            if (auto made = open(release)) return made;
    return {};
}

/// The GPU that a library works for. All of it outlives what is made for it.
struct Workplace {
    Gpu& device;
    const Driver& driver;
    void* context;
    Queue& queue;
};

/// What `work` gives, which needs so many bytes of these GPUs, if that is known: libraries have memory of their own.
/// Where there is none it is done again, from its beginning, when they have given back what they keep for the next who
/// ask, and then as long as they have copies to give back of what others have too: once where all of them go. The
/// caller has no lock of who owns several GPUs.
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
            for (Gpu* gpu : gpus) more = (iteration > 0 && gpu->give_spare(bytes)) || more;
            if (!more) throw;
        }
        for (Gpu* gpu : gpus) gpu->trim();
    }
}

/// The same of one GPU, which is waited for when others use its memory, unless `leave` says so first: `work` takes what
/// locks it needs, and the caller has none.
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

/// The lock, or none when `leave`, which is asked again and again meanwhile, says so first.
inline std::unique_lock<std::timed_mutex> lock_unless(const std::function<bool()>& leave, std::timed_mutex& mutex) {
    constexpr std::chrono::milliseconds patience{5};
    std::unique_lock lock(mutex, std::defer_lock);
    while (!lock.try_lock_for(patience))
        if (leave()) break;
    return lock;
}

/// What a library keeps for each of the sizes that were used last: Plan::is_for() says for which.
template <class Plan>
class Plans {
  public:
    explicit Plans(std::size_t most) : most_(most) {}
    /// The one for `spec`, or a new one, made of `arguments`. `before_forgetting` is called before the one goes that
    /// was not used for longest.
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
    std::list<Plan> plans_; ///< the one that was used last stands first
};

} // namespace pm::runtime::cuda
