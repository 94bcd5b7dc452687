#pragma once
#include "runtime/memory/size_classes.hpp"

#include <array>
#include <atomic>
#include <cstddef>

namespace pm::runtime {

/// Free blocks of more than 512 KB, each of pages of its own. Of a class the one that was freed last is given out
/// first; the system gets back those that were freed longest ago. For one thread at a time, but for cached().
class LargeBlocks {
  public:
    LargeBlocks() = default;
    ~LargeBlocks() { trim(cached()); }
    LargeBlocks(const LargeBlocks&) = delete;
    LargeBlocks& operator=(const LargeBlocks&) = delete;

    /// Null: there is none of the class.
    std::byte* reuse(std::size_t rounded) noexcept;
    void keep(std::byte* block, std::size_t rounded) noexcept;
    std::size_t cached() const { return cached_.load(std::memory_order_relaxed); } ///< bytes of all
    /// Unmaps blocks of `bytes` or more together, as far as there are any.
    void trim(std::size_t bytes) noexcept;

  private:
    // A free block stands in two lists: of its class, and of all.
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
