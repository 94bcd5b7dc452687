#pragma once
#include "runtime/gpu/driver/cuda_driver.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace pm::runtime::cuda {

/// Page-locked host memory for asynchronous transfers. If memory is not page-locked, the runtime cannot know when the
/// device has read it. Several threads may use these classes, with the device's context current.

/// Transfers to a device through a ring of host memory. A part of the ring is free again when the device has copied its
/// content. While the ring has a free part, a small transfer does not wait for earlier transfers. Long transfers are
/// divided into pieces: the device copies one piece while the host writes the next.
class Uploads {
  public:
    static constexpr std::size_t bytes = std::size_t{8} << 20;
    static constexpr std::size_t piece = bytes / 4;

    explicit Uploads(const Driver& driver);
    ~Uploads();
    Uploads(const Uploads&) = delete;
    Uploads& operator=(const Uploads&) = delete;

    /// `from` may change after the call.
    void copy(std::uint64_t to, const std::byte* from, std::size_t count, void* stream);

  private:
    static constexpr std::size_t most_parts = 64;
    struct Part {
        std::size_t begin = 0, end = 0;
        void* free = nullptr; ///< the event after which the part is free again
    };
    Part& take(std::size_t count);

    const Driver& driver_;
    std::mutex mutex_; // guards the members below
    std::byte* memory_ = nullptr;
    std::size_t next_ = 0;
    std::array<Part, most_parts> parts_; ///< also a ring, in the order of the transfers
    std::size_t first_ = 0, used_ = 0;
};

/// Transfers from a device through host memory in two halves: the device writes one half while the host copies from the
/// other half. While another thread uses the halves, the driver copies directly to the target of a transfer.
class Downloads {
  public:
    static constexpr std::size_t half = std::size_t{2} << 20;

    explicit Downloads(const Driver& driver);
    ~Downloads();
    Downloads(const Downloads&) = delete;
    Downloads& operator=(const Downloads&) = delete;

    /// Waits until the bytes have arrived.
    void copy(std::byte* to, std::uint64_t from, std::size_t count, void* stream);

  private:
    const Driver& driver_;
    std::mutex mutex_; // guards the members below
    std::byte* memory_ = nullptr;
    std::array<void*, 2> written_{}; ///< events
};

} // namespace pm::runtime::cuda
