#pragma once
#include "runtime/gpu/device/gpu.hpp"
#include "runtime/gpu/driver/cuda_driver.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <vector>

namespace pm::runtime {

/// Address ranges of one GPU. Only the pages that were used have memory. A released range is kept with its memory, and
/// reserve() reuses it for a range of the same size, since mapping memory is slow. The GPU's context must be current
/// during calls. Only trim() and kept() may be called by several threads at once.
class Pages {
  public:
    /// The largest number of kept ranges. If it is reached, reserve() unmaps half of the kept ranges before it reserves
    /// new addresses.
    static constexpr std::size_t most_kept = 1024;

    /// `wait` waits until queued work no longer uses released memory. `make_room` returns other cached memory to the
    /// driver.
    Pages(const cuda::Driver& driver, int device, std::function<void()> wait, std::function<void()> make_room);
    ~Pages();
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;

    /// Gives GPU number `device` access to memory that is mapped from now on.
    void enable_peer_access(int device) { access_.push_back({.place = {.device = device}}); }

    /// The size of a page in bytes.
    std::size_t page() const { return page_; }
    std::uint64_t reserve(std::size_t bytes);
    bool has(std::uint64_t address) const { return ranges_.count(address) != 0; }
    void release(std::uint64_t address) noexcept;
    /// Makes sure that `bytes` bytes from `address` on have memory. If the GPU has no memory, first unmaps kept ranges.
    /// Throws Failure(out_of_memory) if this does not suffice.
    void touch(std::uint64_t address, std::size_t bytes);
    /// Unmaps those mapped pieces of a range for which `may_free` returns true, and returns the unmapped pieces. Waits
    /// before unmapping, until queued work no longer uses released memory.
    std::vector<Stretch> give_back(std::uint64_t address, const std::function<bool(Stretch)>& may_free);
    /// Unmaps all kept ranges.
    void trim();
    /// The bytes of memory in kept ranges.
    std::size_t kept() const {
        const std::scoped_lock lock(mutex_);
        return kept_bytes_;
    }

  private:
    /// An address range of whole pages. Positions in the range are offsets from its beginning.
    struct Range {
        std::size_t bytes = 0;
        std::map<std::size_t, std::size_t> mapped; ///< from the offset of each mapped piece to its number of bytes
        std::size_t mapped_bytes() const;
    };
    using Ranges = std::map<std::uint64_t, Range>;
    void map(std::uint64_t address, std::size_t bytes);
    bool create(std::uint64_t& piece, std::size_t bytes);
    void unmap(std::uint64_t address, const Range& range) noexcept;
    void forget(std::size_t count);

    const cuda::Driver& driver_;
    int device_;
    std::vector<cuda::AccessOf> access_; ///< the GPUs with access; the first is this GPU
    std::function<void()> wait_, make_room_;
    std::size_t page_ = 0;
    Ranges ranges_;
    struct Kept {
        std::uint64_t address;
        Range range;
    };
    mutable std::mutex mutex_; // guards the members below
    std::list<Kept> kept_;     ///< the oldest is first
    std::size_t kept_bytes_ = 0;
};

} // namespace pm::runtime
