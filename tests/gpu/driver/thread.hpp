#pragma once

#include "tests/gpu/driver/memory.hpp"
#include "tests/gpu/driver/program.hpp"

#include <string>

namespace pm::ptx {

/// Windows of generic addresses. Device memory has bit 62 and none of these.
constexpr std::uint64_t shared_window = 1ULL << 61;
constexpr std::uint64_t local_window = 1ULL << 60;
constexpr std::uint64_t parameter_window = 1ULL << 59;
constexpr std::uint64_t window_bytes = 1ULL << 32;

/// CUDA's codes of what ends a launch.
enum class Fault {
    none = 0,
    illegal_address = 700,
    misaligned_address = 716,
    illegal_instruction = 715,
    launch_failed = 719,
    assertion = 710
};

/// A copy under way into shared memory (cp.async).
struct Copy {
    const Instruction* instruction = nullptr;
    std::uint64_t to = 0;
    std::uint64_t from = 0;
    std::uint32_t used = 0;
    std::uint64_t group = 0;
};

enum class State { ready, at_barrier, in_warp, ended, failed };

struct Frame {
    const Function* function = nullptr;
    const Instruction* next = nullptr;
    const CallSite* call = nullptr;
    std::size_t slots = 0;
    std::size_t local = 0;
};

/// Registers and local memory, used by one thread after the other.
struct Storage {
    std::vector<Slot> slots;
    std::vector<std::uint8_t> local;
    /// The functions that called, below the one that runs.
    std::vector<Frame> frames;
};

/// What all threads of a launch have in common.
struct Launch {
    const Module* module = nullptr;
    const Function* kernel = nullptr;
    Memory* memory = nullptr;
    std::vector<Site>* sites = nullptr;
    std::vector<std::uint8_t> parameters;
    std::array<std::uint32_t, 3> grid{1, 1, 1};
    std::array<std::uint32_t, 3> block{1, 1, 1};
    std::size_t dynamic_shared = 0;
    std::uint64_t instructions = 0;
    /// Writes that changed something, and reads that may wait for one.
    std::uint64_t writes = 0;
    std::uint64_t waiting_reads = 0;
    Fault fault = Fault::none;
    std::string report;
};

struct Thread {
    /// The running function's registers and local memory.
    Slot* r = nullptr;
    std::uint8_t* local = nullptr;
    std::uint8_t* shared = nullptr;
    std::size_t shared_bytes = 0;
    Site* sites = nullptr;
    Launch* launch = nullptr;
    struct Block* block = nullptr;
    const Function* function = nullptr;
    const Instruction* pc = nullptr;
    std::unique_ptr<Storage> storage;
    State state = State::ready;
    bool carry = false;
    std::uint32_t number = 0;
    /// Of a wait: which barrier, or which threads of the warp, and what is given to them.
    std::uint32_t members = 0;
    std::uint32_t barrier = 0;
    std::uint32_t value = 0;
    std::vector<Copy> copies;
    std::uint64_t groups = 0; ///< of copies that have been closed
};

/// Calls a function: its registers and local memory become the thread's. Null after too many calls.
const Instruction* enter(Thread& t, const Instruction* i);
/// Back to where the function was called; null when the thread's first one returns.
const Instruction* leave(Thread& t);

/// CancellationFlags the thread and with it the launch. Returns null for a handler to return.
const Instruction* fail(Thread& t, const Instruction* i, Fault fault, const std::string& what);
/// The thread's state is `state` at this instruction, which somebody else ends.
const Instruction* wait(Thread& t, const Instruction* i, State state);

/// Where an access to device memory, or to any memory by a generic address, goes; null after it has failed.
std::uint8_t* device_bytes(Thread& t, const Instruction* i, std::uint64_t address, std::size_t bytes);
std::uint8_t* generic_bytes(Thread& t, const Instruction* i, std::uint64_t address, std::size_t bytes);
std::uint8_t* shared_bytes(Thread& t, const Instruction* i, std::uint64_t address, std::size_t bytes);
std::uint8_t* local_bytes(Thread& t, const Instruction* i, std::uint64_t address, std::size_t bytes);
std::uint8_t* parameter_bytes(Thread& t, const Instruction* i, std::uint64_t address, std::size_t bytes);

} // namespace pm::ptx
