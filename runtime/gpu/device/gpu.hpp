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
/// give_spare() and users(), are called by one thread at a time.
class Gpu : public Device {
  public:
    /// The owner of several GPUs sets, before the first use, a function that frees memory of this GPU that holds copies
    /// of other GPUs' data: `bytes` or more if possible. It returns false when it freed nothing. It takes the locks of
    /// the owner.
    void set_spare(std::function<bool(std::size_t bytes)> give) { give_spare_ = std::move(give); }
    /// For a caller that found no memory on this GPU and holds no lock of its owner.
    bool give_spare(std::size_t bytes) const { return give_spare_ && give_spare_(bytes); }
    /// The temporary users of its memory.
    MemoryWaiters& users() { return users_; }

    /// Addresses for so many bytes. They need no memory before they are touched; contents undefined.
    virtual std::byte* reserve(std::size_t bytes) = 0;
    /// Frees a reservation, in the order of the queue, as release().
    virtual void give_up(std::byte* reserved) noexcept = 0;
    /// Makes sure that these reserved bytes have memory.
    virtual void touch(std::byte* address, std::size_t bytes) = 0;
    /// Frees memory of a reservation where `spare` returns true, when the queue is empty. Returns the stretches without
    /// memory; they may be touched again.
    virtual std::vector<Stretch> give_back(std::byte* reserved, const std::function<bool(Stretch)>& spare) = 0;
    /// Smaller ranges are better allocated than reserved.
    virtual std::size_t least_reserved() const = 0;

    /// Queues a copy on this GPU: `from` is on this GPU, `to` on the other.
    virtual void copy_to(Gpu& other, std::byte* to, const std::byte* from, std::size_t bytes) = 0;
    /// Later work of this queue waits for the work that the other's queue has now.
    virtual void wait_behind(Gpu& other) = 0;

  protected:
    /// Whether it is one of several GPUs. Its owner then waits for memory, while nothing is locked.
    bool has_owner() const { return give_spare_ != nullptr; }

  private:
    std::function<bool(std::size_t bytes)> give_spare_;
    MemoryWaiters users_;
};

} // namespace pm::runtime
