#pragma once
#include "runtime/gpu/device/device.hpp"
#include "runtime/memory/allocator.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

namespace pm::runtime {

/// Copies of device memory for the host's work between the kernels of a call: reading a condition, factorizations,
/// printing. Only one thread may use the object.
class HostCopies {
  public:
    HostCopies(Device& device, std::shared_ptr<Allocator> allocator)
        : device_(device), allocator_(std::move(allocator)) {}

    /// A copy of device memory, valid until end(). Waits for all queued work.
    const void* read(const std::byte* address, std::size_t bytes) { return copied(address, bytes).data(); }
    /// Whether the host writes some or all of the bytes.
    enum class Change : std::uint8_t { some, all };
    /// Memory whose content end() copies to the device. If `change` is `some`, the memory at first has the device's
    /// content; otherwise its content is undefined.
    void* write(std::byte* address, std::size_t bytes, Change change);
    /// Ends the use of the copies. If `changed` is true, copies the memory of write() to the device. If `changed` is
    /// false, the host has not finished its work, and nothing is copied.
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
