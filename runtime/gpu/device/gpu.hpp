#pragma once
#include "runtime/gpu/device/device.hpp"
#include "runtime/gpu/device/memory_waiters.hpp"

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace pm::runtime {

/// The bytes `from` .. `to` of a reservation.
struct Stretch {
    std::size_t from;
    std::size_t to;
};

/// One of several GPUs (several.hpp) of one kind. "The queue" is that of Device. All functions here, except
/// reclaim() and users(), are called by one thread at a time.
class Gpu : public Device {
  public:
    /// Sets a function that frees memory of this GPU that holds copies of other GPUs' data, `bytes` or more if
    /// possible. The owner of several GPUs sets it before the first use. The function returns false if it freed
    /// nothing. It takes the owner's locks.
    void set_reclaimer(std::function<bool(std::size_t bytes)> give) { reclaimer_ = std::move(give); }
    /// Frees copies by the function of set_reclaimer(), after an allocation on this GPU has failed. False if nothing
    /// was freed. The caller must not hold locks of the owner.
    bool reclaim(std::size_t bytes) const { return reclaimer_ && reclaimer_(bytes); }
    /// The temporary users of this GPU's memory.
    MemoryWaiters& users() { return users_; }

    /// Reserves addresses for `bytes` bytes. They need no memory before they are touched; contents undefined.
    virtual std::byte* reserve(std::size_t bytes) = 0;
    /// Frees a reservation in the order of the queue, as release() does.
    virtual void give_up(std::byte* reserved) noexcept = 0;
    /// Makes sure that these reserved bytes have memory.
    virtual void touch(std::byte* address, std::size_t bytes) = 0;
    /// Frees the stretches of a reservation for which `may_free` returns true, once the queue is empty. Returns these
    /// stretches; they may be touched again.
    virtual std::vector<Stretch> give_back(std::byte* reserved, const std::function<bool(Stretch)>& may_free) = 0;
    /// The least size in bytes that is worth a reservation; smaller memory is better allocated.
    virtual std::size_t least_reserved() const = 0;

    /// Queues a copy on this GPU: `from` is on this GPU, `to` on the other.
    virtual void copy_to(Gpu& other, std::byte* to, const std::byte* from, std::size_t bytes) = 0;
    /// Makes later work of this queue wait for the work that the other GPU's queue has now.
    virtual void wait_for_work_of(Gpu& other) = 0;

  protected:
    /// Whether this is one of several GPUs. Its owner then waits for memory, without locks.
    bool has_owner() const { return reclaimer_ != nullptr; }

  private:
    std::function<bool(std::size_t bytes)> reclaimer_;
    MemoryWaiters users_;
};

} // namespace pm::runtime
