#pragma once
#include "runtime/call.hpp"

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

} // namespace pm::runtime
