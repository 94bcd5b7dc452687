#pragma once
#include "runtime/gpu/device/device.hpp"
#include "runtime/gpu/device/memory_waiters.hpp"

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace pm::runtime {

/// The bytes from offset `from` to offset `to` of a reservation (Gpu::reserve()), without the byte at `to`.
struct Stretch {
    std::size_t from;
    std::size_t to;
};

/// A GPU that can be used as one of several GPUs of one kind (several.hpp). The object for several GPUs is called the
/// owner. "The queue" is the queue of Device. Of the functions that this class adds, only reclaim() and users() may be
/// called by several threads at once.
class Gpu : public Device {
  public:
    /// Sets a function that frees memory of this GPU by dropping copies of other GPUs' data. If possible, the function
    /// frees `bytes` bytes or more. It returns false if it freed nothing. The owner sets the function before the first
    /// use of the GPU. The function locks the owner's mutexes.
    void set_reclaimer(std::function<bool(std::size_t bytes)> give) { reclaimer_ = std::move(give); }
    /// Called after an allocation on this GPU has failed. Calls the function of set_reclaimer() to free memory. Returns
    /// false if nothing was freed. The caller must not hold locks of the owner.
    bool reclaim(std::size_t bytes) const { return reclaimer_ && reclaimer_(bytes); }
    /// The temporary users of this GPU's memory.
    MemoryWaiters& users() { return users_; }

    /// Reserves addresses for `bytes` bytes. The addresses have no memory before touch(), and the contents of the
    /// memory are undefined.
    virtual std::byte* reserve(std::size_t bytes) = 0;
    /// Frees a reservation after all work that is in the queue, as release() does.
    virtual void give_up(std::byte* reserved) noexcept = 0;
    /// Makes sure that `bytes` reserved bytes from `address` on have memory.
    virtual void touch(std::byte* address, std::size_t bytes) = 0;
    /// Waits until the queue is empty. Then frees the memory of those stretches of a reservation for which `may_free`
    /// returns true, and returns these stretches. touch() may give them memory again.
    virtual std::vector<Stretch> give_back(std::byte* reserved, const std::function<bool(Stretch)>& may_free) = 0;
    /// The least number of bytes for which reserve() should be used. For fewer bytes, allocate() is better.
    virtual std::size_t least_reserved() const = 0;

    /// Queues a copy on this GPU: `from` is an address of this GPU, `to` an address of `other`.
    virtual void copy_to(Gpu& other, std::byte* to, const std::byte* from, std::size_t bytes) = 0;
    /// Makes later work of this GPU's queue wait for the work that is in the queue of `other` now.
    virtual void wait_for_work_of(Gpu& other) = 0;

  protected:
    /// Whether this GPU has an owner. If so, this GPU does not wait for memory: the owner waits, after it has released
    /// its locks.
    bool has_owner() const { return reclaimer_ != nullptr; }

  private:
    std::function<bool(std::size_t bytes)> reclaimer_;
    MemoryWaiters users_;
};

} // namespace pm::runtime
