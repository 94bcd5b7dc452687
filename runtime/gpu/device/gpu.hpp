#pragma once
#include "runtime/gpu/device/device.hpp"
#include "runtime/gpu/device/memory_waiters.hpp"

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace pm::runtime {

/// Bytes `from` .. `to` of what was reserved.
struct Stretch {
    std::size_t from;
    std::size_t to;
};

/// One of several GPUs (several.hpp), of one kind. What is named `queue` is Device's. All these, but for give_spare()
/// and users(), are called by one thread at a time.
class Gpu : public Device {
  public:
    /// Who has several GPUs says here, before this one is used, how memory of it goes back that holds what others have
    /// too: as many bytes, if there are; false when there was nothing. It takes its owner's locks.
    void set_spare(std::function<bool(std::size_t bytes)> give) { give_spare_ = std::move(give); }
    /// For who has found no memory on this GPU, and has none of its owner's locks.
    bool give_spare(std::size_t bytes) const { return give_spare_ && give_spare_(bytes); }
    /// Those who have memory of it for a while.
    MemoryWaiters& users() { return users_; }

    /// Addresses for so many bytes, which need no memory before they are touched; contents undefined.
    virtual std::byte* reserve(std::size_t bytes) = 0;
    /// In the order of the queue, as release().
    virtual void give_up(std::byte* reserved) noexcept = 0;
    /// These bytes, which are reserved, have memory from now on.
    virtual void touch(std::byte* address, std::size_t bytes) = 0;
    /// Of what was reserved there, memory goes back of which `spare` says that nobody needs it, when the queue is
    /// empty. Answers what has none any more; it may be touched again.
    virtual std::vector<Stretch> give_back(std::byte* reserved, const std::function<bool(Stretch)>& spare) = 0;
    /// Ranges of fewer bytes are better allocated than reserved.
    virtual std::size_t least_reserved() const = 0;

    /// Puts into this one's queue: `from` is here, `to` is there.
    virtual void copy_to(Gpu& other, std::byte* to, const std::byte* from, std::size_t bytes) = 0;
    /// What is put into this one's queue from now on is done after what the other's has now.
    virtual void wait_behind(Gpu& other) = 0;

  protected:
    /// Whether it is one of several, whose owner waits for memory where nothing is locked.
    bool has_owner() const { return give_spare_ != nullptr; }

  private:
    std::function<bool(std::size_t bytes)> give_spare_;
    MemoryWaiters users_;
};

} // namespace pm::runtime
