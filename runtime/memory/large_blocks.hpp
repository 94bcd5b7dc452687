#pragma once
#include "runtime/memory/size_classes.hpp"

#include <array>
#include <atomic>
#include <cstddef>

namespace pm::runtime {

/// Free blocks of more than 512 KB, each with its own pages. reuse() returns the most recently freed block of a class.
/// The blocks that were freed first are returned to the system first. Only one thread at a time may use the object; any
/// thread may call cached().
class LargeBlocks {
  public:
    LargeBlocks() = default;
    ~LargeBlocks() { trim(cached()); }
    LargeBlocks(const LargeBlocks&) = delete;
    LargeBlocks& operator=(const LargeBlocks&) = delete;

    /// A free block of the class with size `rounded`, or null if there is none.
    std::byte* reuse(std::size_t rounded) noexcept;
    void keep(std::byte* block, std::size_t rounded) noexcept;
    std::size_t cached() const { return cached_.load(std::memory_order_relaxed); } ///< bytes of all blocks
    /// Unmaps blocks until their total size is `bytes` or more, or until no block is left.
    void trim(std::size_t bytes) noexcept;

  private:
    // A free block is in two lists: the list of its class (0) and the list of all free blocks (1).
    struct Free {
        std::array<Free*, 2> newer;
        std::array<Free*, 2> older;
        std::size_t rounded;
    };
    struct List {
        Free* newest = nullptr;
        Free* oldest = nullptr;
    };
    static void insert(List& list, std::size_t which, Free* block) noexcept;
    static void remove(List& list, std::size_t which, Free* block) noexcept;
    void take_out(Free* block) noexcept;

    std::array<List, class_count> classes_;
    List all_;
    std::atomic<std::size_t> cached_{0};
};

} // namespace pm::runtime
