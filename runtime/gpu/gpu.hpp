#pragma once
#include "runtime/gpu/device.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace pm::runtime {

/// Bytes `from` .. `to` of what was reserved.
struct Stretch {
    std::size_t from;
    std::size_t to;
};

/// One of several GPUs (several.hpp), of one kind. What is named `queue` is Device's. All these are called by one
/// thread at a time.
class Gpu : public Device {
  public:
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
};

} // namespace pm::runtime
