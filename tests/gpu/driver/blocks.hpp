#pragma once

#include "tests/gpu/driver/thread.hpp"

#include <array>
#include <vector>

namespace pm::ptx {

constexpr std::uint32_t barrier_count = 16;

enum class BarrierKind { sync, popc, all, any };

struct Barrier {
    std::uint32_t waiting = 0;
    /// Threads that went on.
    std::uint32_t arrived = 0;
    /// How many open it; 0 for all that have not ended.
    std::uint32_t expected = 0;
};

struct Block {
    Launch* launch = nullptr;
    std::array<Slot, special_count> specials{};
    std::vector<Thread> threads;
    std::vector<std::uint8_t> shared;
    std::array<Barrier, barrier_count> barriers{};
    std::uint32_t live = 0;
    /// Storage that no thread uses.
    std::vector<std::unique_ptr<Storage>> spare;
};

/// bar.arrive
void arrive(Thread& t, std::uint32_t barrier, std::uint32_t expected);

} // namespace pm::ptx
