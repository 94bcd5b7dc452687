#pragma once
#include "runtime/call.hpp"

#include <span>

namespace pm::runtime {

/// A step on tapes whose arrays, handles and indices are in the memory of a GPU or of the emulated GPU. The host
/// processes the handles and indices; a kernel reads or writes the values. `first`, `second` and `third` are the
/// parameters of pm_tape.
struct GpuTapeStep {
    std::int64_t lane = -1;
    TapeWork what{};
    TapeBatch batch;
    std::int64_t unit = -1; ///< the kernel; -1 if only handles are added
    std::int64_t blocks = 0;
    std::int64_t threads = 0;
    void* first = nullptr;
    void* second = nullptr;
    void* third = nullptr;
};
void run_tape_step(PmCall* call, CallState& state, const GpuTapeStep& step);

// A kernel that runs a whole loop reads and writes the values of its tapes itself. For each tape of each step, the
// kernel has a window: the consecutive arrays of the tape that it may access. When the kernel needs an array or tape
// outside of its windows, all its threads record their position and exit. The host then opens a window for that array
// and launches the kernel again, and the kernel continues at the same step.

struct TapeWindow {
    std::uint64_t handle = 0;
    std::int64_t first = 0;      ///< index of the first array
    std::int64_t end = 0;        ///< index after the last array
    std::byte* arrays = nullptr; ///< the array at `first`, followed by the others; null: all of them are zeros
};

/// The layout of the memory through which the host and a kernel with windows communicate. The functions return the
/// index of the first word of each part; words have 8 bytes. All words are 0 before the first launch.
struct TapeRecord {
    std::int64_t loops = 0;  ///< number of loops of the kernel
    std::int64_t checks = 0; ///< number of checks of the kernel

    /// For each loop the iteration at which the kernel exited, then for each check the first failed element, or -1.
    constexpr std::int64_t left() const { return 0; }
    /// The step at which the kernel exited, from 1 on. 0 if it has ended.
    constexpr std::int64_t request() const { return loops + checks; }
    /// The index of the array if the step has one tape; otherwise the address of the tapes' indices.
    constexpr std::int64_t index() const { return request() + 1; }
    /// The address of the handles. handle() is the handle itself, for a step with one tape.
    constexpr std::int64_t handles() const { return request() + 2; }
    constexpr std::int64_t handle() const { return request() + 3; }
    /// The step at which the kernel must continue, from 1 on, followed by the iterations of the loops at that step. 0:
    /// at the beginning of the kernel.
    constexpr std::int64_t resume() const { return request() + 4; }
    /// Window `number`; there is one TapeWindow per tape and step. If `number` is the count of windows, the result is
    /// the end of the record.
    constexpr std::int64_t window(std::int64_t number) const { return resume() + 1 + loops + number * words_of_window; }

    static constexpr std::int64_t words_of_window = sizeof(TapeWindow) / 8;
};

/// A step on tapes in a kernel that itself reads or writes the values.
struct TapesOfKernel {
    TapeWork what{}; ///< set, add or get
    TapeBatch batch;
    /// A number that is equal for adjacent steps that use the same indices. Steps with the same number form a group.
    /// They have equally many tapes and access them at the same iteration.
    std::int64_t group = 0;
};

struct TapeKernel {
    std::int64_t lane = -1; ///< the lane that creates tapes
    TapeRecord record;
    std::vector<TapesOfKernel> steps; ///< in the order of their numbers
    std::byte* memory = nullptr;      ///< device memory with the layout of `record`
};
/// The table of integers that compiled code contains for the kernel: the fields of TapeKernel, except those that are
/// known only at run time.
std::vector<std::int64_t> tape_kernel_attributes(const TapeKernel& kernel);
TapeKernel tape_kernel(const std::int64_t* attributes);

/// Launches the kernel until it has ended or a check in it has failed. `exit_state` then holds the words before
/// TapeRecord::resume(). False if the call must end.
bool run_with_tapes(PmCall* call, CallState& state, const TapeKernel& kernel, const std::function<void()>& launch,
                    std::span<std::int64_t> exit_state);

} // namespace pm::runtime
