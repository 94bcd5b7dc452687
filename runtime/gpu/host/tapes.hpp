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
    std::int64_t unit = -1; ///< the number of the kernel; -1 if the values are handles, which the host adds
    std::int64_t blocks = 0;
    std::int64_t threads = 0;
    void* first = nullptr;
    void* second = nullptr;
    void* third = nullptr;
};
void run_tape_step(PmCall* call, CallState& state, const GpuTapeStep& step);

// A kernel that runs a whole loop reads and writes the values of its tapes itself. For each tape of each step, the
// kernel has a window: the consecutive arrays of the tape that it may access. When the kernel needs an array or tape
// outside of its windows, it records its position, and all its threads exit. The host then opens a window for the
// needed array and launches the kernel again. The kernel continues at the step that needed the array.

struct TapeWindow {
    std::uint64_t handle = 0;
    std::int64_t first = 0;      ///< index of the first array
    std::int64_t end = 0;        ///< index after the last array
    std::byte* arrays = nullptr; ///< the array at `first`, followed by the next arrays; null: all arrays are zeros
};

/// The layout of the memory through which the host and a kernel with windows communicate. Each function returns the
/// index of the first word of a part of this memory. Words have 8 bytes. All words are 0 before the first launch.
struct TapeRecord {
    std::int64_t loops = 0;  ///< number of loops of the kernel
    std::int64_t checks = 0; ///< number of checks of the kernel

    /// First, for each loop, the iteration at which the kernel exited. Then, for each check, the first element for
    /// which it failed, or -1.
    constexpr std::int64_t left() const { return 0; }
    /// The number of the step at which the kernel exited, from 1 on. 0 if the kernel has ended.
    constexpr std::int64_t request() const { return loops + checks; }
    /// The index of the needed array if that step has one tape. Otherwise the address of the indices, one per tape.
    constexpr std::int64_t index() const { return request() + 1; }
    /// handles(): the address of the handles of the step. handle(): if the step has one tape, its handle.
    constexpr std::int64_t handles() const { return request() + 2; }
    constexpr std::int64_t handle() const { return request() + 3; }
    /// The number of the step at which the kernel must continue, from 1 on, or 0 for the beginning of the kernel. Then,
    /// for each loop, the iteration at that step.
    constexpr std::int64_t resume() const { return request() + 4; }
    /// Window number `number`, a TapeWindow. There is one window for each tape of each step. If `number` is the number
    /// of windows, the result is the end of the record.
    constexpr std::int64_t window(std::int64_t number) const { return resume() + 1 + loops + number * words_of_window; }

    static constexpr std::int64_t words_of_window = sizeof(TapeWindow) / 8;
};

/// A step on tapes in a kernel that itself reads or writes the values.
struct TapesOfKernel {
    TapeWork what{}; ///< set, add or get
    TapeBatch batch;
    /// Adjacent steps that use the same indices form a group and have the same group number. The steps of a group have
    /// equally many tapes. They access the tapes at the same iteration.
    std::int64_t group = 0;
};

struct TapeKernel {
    std::int64_t lane = -1; ///< the lane for which tapes are created
    TapeRecord record;
    std::vector<TapesOfKernel> steps; ///< in the order of their numbers
    std::byte* memory = nullptr;      ///< device memory with the layout of `record`
};
/// The table of integers that compiled code contains for the kernel: the fields of TapeKernel, except those that are
/// known only at run time.
std::vector<std::int64_t> tape_kernel_attributes(const TapeKernel& kernel);
TapeKernel tape_kernel(const std::int64_t* attributes);

/// Launches the kernel repeatedly, until it has ended or one of its checks has failed. `exit_state` then has the words
/// before TapeRecord::resume(). Returns false if the call must end.
bool run_with_tapes(PmCall* call, CallState& state, const TapeKernel& kernel, const std::function<void()>& launch,
                    std::span<std::int64_t> exit_state);

} // namespace pm::runtime
