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

/// Ranges of addresses of one GPU that have memory only where something was touched, in whole pages. Ranges that are
/// released stay, with their memory, for the next of their size: mapping is slow. The GPU's context is current when one
/// of these functions is called; for one thread at a time, but for trim() and kept().
class Pages {
  public:
    /// Ranges: when there are more, half of them go.
    static constexpr std::size_t most_kept = 1024;

    /// `wait`: until nothing uses what was released; `make_room`: gives what others keep back to the driver.
    Pages(const cuda::Driver& driver, int device, std::function<void()> wait, std::function<void()> make_room);
    ~Pages();
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;

    /// Another GPU has access too to what is mapped from now on.
    void let_reach(int device) { access_.push_back({.place = {.device = device}}); }

    /// Bytes.
    std::size_t page() const { return page_; }
    std::uint64_t reserve(std::size_t bytes);
    bool has(std::uint64_t address) const { return ranges_.count(address) != 0; }
    void release(std::uint64_t address) noexcept;
    /// These bytes have memory afterwards; Failure(out_of_memory) when there is none, even without what is kept.
    void touch(std::uint64_t address, std::size_t bytes);
    /// Unmaps memory of a range of which `spare` says that nobody needs it, when nothing uses what was released: in the
    /// pieces in which it was mapped. Answers these.
    std::vector<Stretch> give_back(std::uint64_t address, const std::function<bool(Stretch)>& spare);
    /// Gives back what is kept.
    void trim();
    /// Memory of ranges that are kept.
    std::size_t kept() const {
        const std::scoped_lock lock(mutex_);
        return kept_bytes_;
    }

  private:
    /// Of whole pages; offsets from the beginning.
    struct Range {
        std::size_t bytes = 0;
        std::map<std::size_t, std::size_t> mapped; ///< where pieces of memory begin: their bytes
        std::size_t mapped_bytes() const;
    };
    using Ranges = std::map<std::uint64_t, Range>;
    void map(std::uint64_t address, std::size_t bytes);
    bool create(std::uint64_t& piece, std::size_t bytes);
    void unmap(std::uint64_t address, const Range& range) noexcept;
    void forget(std::size_t count);

    const cuda::Driver& driver_;
    int device_;
    std::vector<cuda::AccessOf> access_; ///< who has, itself first
    std::function<void()> wait_, make_room_;
    std::size_t page_ = 0;
    Ranges ranges_;
    struct Kept {
        std::uint64_t address;
        Range range;
    };
    mutable std::mutex mutex_; // guards what follows
    std::list<Kept> kept_;     ///< the oldest first
    std::size_t kept_bytes_ = 0;
};

} // namespace pm::runtime
