#pragma once
#include "runtime/memory/size_classes.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <map>
#include <vector>

namespace pm::runtime {

/// Blocks of at most 512 KB, cut from regions of 2 MB. A freed one goes to the list of its class and is given out again
/// as it is. trim() joins free neighbours: whole pages of them go back to the system and are cut anew, in whatever
/// sizes are asked for then. For one thread at a time, but for idle().
class SmallBlocks {
  public:
    SmallBlocks() = default;
    ~SmallBlocks();
    SmallBlocks(const SmallBlocks&) = delete;
    SmallBlocks& operator=(const SmallBlocks&) = delete;

    /// A block that has been used before; null: the class has none.
    std::byte* reuse(std::size_t rounded) noexcept;
    /// A block that is cut for it; null where the system has no memory. Throws std::bad_alloc.
    std::byte* cut(std::size_t rounded);
    void release(std::byte* block, std::size_t rounded) noexcept;

    /// Bytes that are free and that the system has not got back.
    std::size_t idle() const { return idle_.load(std::memory_order_relaxed); }
    /// Returns whole pages to the system, and does nothing where it has no memory to find them. It takes time for each
    /// free block.
    void trim() noexcept;

  private:
    // A free block holds the address of the next one of its class.
    struct Free {
        Free* next;
    };
    struct Map;
    struct Pages {
        std::byte* begin;
        std::size_t bytes;
    };
    using Runs = std::multimap<std::size_t, std::byte*>; // by their bytes

    void push(std::byte* block, std::size_t rounded) noexcept;
    void push_parts(std::byte* begin, std::size_t bytes) noexcept;
    void count_idle(std::size_t more, std::size_t less) noexcept {
        idle_.store(idle() + more - less, std::memory_order_relaxed);
    }
    bool begin_run(std::size_t rounded);
    std::vector<Map> free_maps();
    void return_free(const std::vector<Map>& maps, const std::vector<Pages>& whole) noexcept;

    std::array<Free*, class_count> free_{};
    std::vector<std::byte*> regions_;
    std::byte* at_ = nullptr; // the run that blocks are cut from now
    std::byte* end_ = nullptr;
    Runs runs_; // pages without memory
    std::atomic<std::size_t> idle_{0};
};

} // namespace pm::runtime
