#pragma once
#include "runtime/gpu/device/device.hpp"
#include "runtime/memory/allocator.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

namespace pm::runtime {

/// Copies of device memory for the host's work between the kernels of a call: reading a condition, factorizations,
/// printing. For one thread.
class HostCopies {
  public:
    HostCopies(Device& device, std::shared_ptr<Allocator> allocator)
        : device_(device), allocator_(std::move(allocator)) {}

    /// A copy of device memory, valid until end(). Waits for all queued work.
    const void* read(const std::byte* address, std::size_t bytes) { return copied(address, bytes).data(); }
    /// Whether the host writes some or all of the bytes.
    enum class Change : std::uint8_t { some, all };
    /// Memory that is copied to the device at end(). It begins with the device's content unless all of it is
    /// overwritten.
    void* write(std::byte* address, std::size_t bytes, Change change);
    /// Ends the use of the copies. If `changed` is true, the written copies are copied to the device. If it is false,
    /// they are dropped, because the host has not finished its work.
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
