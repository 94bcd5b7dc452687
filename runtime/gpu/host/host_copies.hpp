#pragma once
#include "runtime/gpu/device/device.hpp"
#include "runtime/memory/allocator.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

namespace pm::runtime {

/// What the host does itself between the kernels of a call - it reads a condition, factorizes, prints - it does to
/// copies. For one thread.
class HostCopies {
  public:
    HostCopies(Device& device, std::shared_ptr<Allocator> allocator)
        : device_(device), allocator_(std::move(allocator)) {}

    /// A copy of the device's memory, until end(). Waits for all that was queued.
    const void* read(const std::byte* address, std::size_t bytes) { return copied(address, bytes).data(); }
    /// What the host changes of some bytes.
    enum class Change : std::uint8_t { some, all };
    /// Memory that goes to the device at end(), with what the device has there unless all of it is overwritten.
    void* write(std::byte* address, std::size_t bytes, Change change);
    /// Without `changed` nothing goes to the device: the host has not come to the end of its work.
    void end(bool changed);

  private:
    const Scratch& copied(const std::byte* address, std::size_t bytes);

    struct Written {
        std::byte* address;
        const std::byte* copy;
        std::size_t bytes;
    };
    Device& device_;
    std::shared_ptr<Allocator> allocator_;
    std::deque<Scratch> copies_;
    std::vector<Written> written_;
};

} // namespace pm::runtime
