#pragma once

#include "tests/gpu/driver/memory.hpp"
#include "tests/gpu/driver/program.hpp"

#include <string>

namespace pm::ptx {

/// The windows of generic addresses. Device memory has bit 62 and none of these.
constexpr std::uint64_t shared_window = 1ULL << 61;
constexpr std::uint64_t local_window = 1ULL << 60;
constexpr std::uint64_t parameter_window = 1ULL << 59;
constexpr std::uint64_t window_bytes = 1ULL << 32;

/// CUDA's codes for the end of a launch by a fault.
enum class Fault {
    none = 0,
    illegal_address = 700,
    misaligned_address = 716,
    illegal_instruction = 715,
    launch_failed = 719,
    assertion = 710
};

/// An outstanding copy into shared memory (cp.async).
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

/// Registers and local memory. Threads reuse it one after another.
struct Storage {
    std::vector<Slot> slots;
    std::vector<std::uint8_t> local;
    /// The frames of the callers of the running function.
    std::vector<Frame> frames;
};

/// The state that all threads of a launch share.
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
    /// Writes that changed memory, and reads that may wait for a change.
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
    /// During a wait: the barrier or the threads of the warp, and the value passed to them.
    std::uint32_t members = 0;
    std::uint32_t barrier = 0;
    std::uint32_t value = 0;
    std::vector<Copy> copies;
    std::uint64_t groups = 0; ///< closed groups of copies
};

/// Calls a function and switches the thread to its registers and local memory. Null after too many nested calls.
const Instruction* enter(Thread& t, const Instruction* i);
/// Returns from a function to its caller. Null when the kernel itself returns.
const Instruction* leave(Thread& t);

/// Stops the thread and with it the launch. Returns null, for handlers to return.
const Instruction* fail(Thread& t, const Instruction* i, Fault fault, const std::string& what);
/// Puts the thread into `state` at this instruction, until another thread ends the wait.
const Instruction* wait(Thread& t, const Instruction* i, State state);

/// The host address of an access to device memory, or to any memory by a generic address. Null after a failure.
std::uint8_t* device_bytes(Thread& t, const Instruction* i, std::uint64_t address, std::size_t bytes);
std::uint8_t* generic_bytes(Thread& t, const Instruction* i, std::uint64_t address, std::size_t bytes);
std::uint8_t* shared_bytes(Thread& t, const Instruction* i, std::uint64_t address, std::size_t bytes);
std::uint8_t* local_bytes(Thread& t, const Instruction* i, std::uint64_t address, std::size_t bytes);
std::uint8_t* parameter_bytes(Thread& t, const Instruction* i, std::uint64_t address, std::size_t bytes);

} // namespace pm::ptx
