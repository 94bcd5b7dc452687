#pragma once
#include "runtime/call.hpp"

#include <span>

namespace pm::runtime {

/// A step of tapes whose arrays, handles and indices are a GPU's, or the emulated one's: the host sees handles and
/// indices, and a kernel moves what the tapes hold. `first`, `second` and `third` are pm_tape's.
struct GpuTapeStep {
    std::int64_t lane = -1;
    TapeWork what{};
    TapeBatch batch;
    std::int64_t unit = -1; ///< the kernel; none where handles alone are added
    std::int64_t blocks = 0;
    std::int64_t threads = 0;
    void* first = nullptr;
    void* second = nullptr;
    void* third = nullptr;
};
void run_tape_step(PmCall* call, CallState& state, const GpuTapeStep& step);

// A kernel that is a whole loop moves what its tapes hold itself. For each tape of each of its steps it is told of a
// window: the arrays in a row that it may touch. Where it comes to another array, or another tape, all of its threads
// leave, and say where they were; the host opens the window there and launches the kernel again, which goes on at that
// step.

struct TapeWindow {
    std::uint64_t handle = 0;
    std::int64_t first = 0;      ///< numbers of arrays: from here
    std::int64_t end = 0;        ///< to before this one
    std::byte* arrays = nullptr; ///< the one of `first`, the others behind it; null: all of them are zeros
};

/// The memory through which it and the host speak, in words of 8 bytes: the places of the first word of each thing.
/// All of it is zero before the first launch.
struct TapeRecord {
    std::int64_t loops = 0;  ///< of the kernel
    std::int64_t checks = 0; ///< likewise

    /// The iteration of each loop in which it was left, then of each check the first element that is false, or -1.
    constexpr std::int64_t left() const { return 0; }
    /// The step at which it was left, from 1 on; 0: it has come to its end.
    constexpr std::int64_t request() const { return loops + checks; }
    /// Of one tape the number of the array; of several the address of their numbers.
    constexpr std::int64_t index() const { return request() + 1; }
    /// The address of the handles, and, of one tape, its handle.
    constexpr std::int64_t handles() const { return request() + 2; }
    constexpr std::int64_t handle() const { return request() + 3; }
    /// The step at which it is to go on, from 1 on, and then the iterations of the loops there; 0: at its beginning.
    constexpr std::int64_t resume() const { return request() + 4; }
    /// A TapeWindow for each tape of each step, one behind the other; of as many as there are: the end of the record.
    constexpr std::int64_t window(std::int64_t number) const { return resume() + 1 + loops + number * words_of_window; }

    static constexpr std::int64_t words_of_window = sizeof(TapeWindow) / 8;
};

/// A step of such a kernel.
struct TapesOfKernel {
    TapeWork what{}; ///< not `sum`
    TapeBatch batch;
    /// Equal for steps that stand side by side and have their numbers from one place: as many tapes, at the same
    /// iteration.
    std::int64_t group = 0;
};

struct TapeKernel {
    std::int64_t lane = -1; ///< that makes tapes
    TapeRecord record;
    std::vector<TapesOfKernel> steps; ///< in the order of their numbers
    std::byte* memory = nullptr;      ///< as `record` says, of the device
};
/// Compiled code has one as a table of numbers, but for what is known only when it runs.
std::vector<std::int64_t> tape_kernel_attributes(const TapeKernel& kernel);
TapeKernel tape_kernel(const std::int64_t* attributes);

/// Launches it, again and again until it has come to its end or a check in it has failed; `left` is then what stands
/// before TapeRecord::resume(). False: the call is to be left.
bool run_with_tapes(PmCall* call, CallState& state, const TapeKernel& kernel, const std::function<void()>& launch,
                    std::span<std::int64_t> left);

} // namespace pm::runtime
