#pragma once
#include "runtime/memory/size_classes.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <map>
#include <vector>

namespace pm::runtime {

/// Blocks of at most 512 KB, cut from regions of 2 MB. A freed block is added to the list of its class and reused
/// unchanged. trim() joins neighbouring free blocks, and returns whole free pages to the system. These pages can later
/// be cut into blocks of any size. Only one thread at a time may use the object; any thread may call idle().
class SmallBlocks {
  public:
    SmallBlocks() = default;
    ~SmallBlocks();
    SmallBlocks(const SmallBlocks&) = delete;
    SmallBlocks& operator=(const SmallBlocks&) = delete;

    /// A free block of the class with size `rounded`, or null if there is none.
    std::byte* reuse(std::size_t rounded) noexcept;
    /// Cuts a new block from a region. Returns null if the system has no memory for a region. Throws std::bad_alloc.
    std::byte* cut(std::size_t rounded);
    void release(std::byte* block, std::size_t rounded) noexcept;

    /// The free bytes that have not been returned to the system.
    std::size_t idle() const { return idle_.load(std::memory_order_relaxed); }
    /// Searches for whole free pages and returns them to the system. Does nothing if there is no memory for the data of
    /// the search. The time of the search grows with the number of free blocks.
    void trim() noexcept;

  private:
    // A free block contains the address of the next free block of its class.
    struct Free {
        Free* next;
    };
    struct Map;
    struct Pages {
        std::byte* begin;
        std::size_t bytes;
    };
    using Runs = std::multimap<std::size_t, std::byte*>; // by their size in bytes

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
    std::byte* at_ = nullptr; // the run from which blocks are cut, up to end_
    std::byte* end_ = nullptr;
    Runs runs_; // runs of free pages without memory
    std::atomic<std::size_t> idle_{0};
};

} // namespace pm::runtime
