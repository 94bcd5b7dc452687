#pragma once

#include "tests/gpu/driver/thread.hpp"

#include <array>
#include <vector>

namespace pm::ptx {

constexpr std::uint32_t barrier_count = 16;

enum class BarrierKind { sync, popc, all, any };

struct Barrier {
    std::uint32_t waiting = 0;
    /// Threads that arrived without waiting (bar.arrive).
    std::uint32_t arrived = 0;
    /// The number of threads that opens it; 0: all threads that have not ended.
    std::uint32_t expected = 0;
};

struct Block {
    Launch* launch = nullptr;
    /// The initial registers of every thread, except its own number.
    std::vector<Slot> first_frame;
    std::vector<Thread> threads;
    std::vector<std::uint8_t> shared;
    std::array<Barrier, barrier_count> barriers{};
    /// Threads that have not ended, and how many of them wait.
    std::uint32_t live = 0;
    std::uint32_t waiting = 0;
    /// Storage that no thread uses.
    std::vector<std::unique_ptr<Storage>> spare;
};

/// Runs the kernel to its end or first fault. `blocks` is reused by later launches.
void run_launch(Launch& launch, bool cooperative, std::vector<Block>& blocks);

/// bar.arrive
void arrive(Thread& t, std::uint32_t barrier, std::uint32_t expected);

} // namespace pm::ptx
