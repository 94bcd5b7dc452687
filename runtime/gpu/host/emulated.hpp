#pragma once
#include "runtime/abi.h"
#include "runtime/gpu/device/thread.h"

#include <cstdint>

namespace pm::runtime {

/// Runs a kernel on the emulated GPU, whose memory is the host's. The threads of a block are contexts; each runs until
/// it waits for others. `meets` (gpu/device/thread.h) says which threads wait for each other. If all do, a few blocks,
/// at most `blocks`, run side by side; otherwise one block after another. Without any waits, threads simply run one
/// after another. The order of blocks and threads is fixed, so a kernel with a race always has the same results.
/// Failure(bad_argument) when threads wait for others that have ended. A call that must end does so between two blocks.
void run_emulated(PmCall* call, PmGpuKernel kernel, std::int64_t blocks, int threads, int meets, void* const* buffers);

} // namespace pm::runtime
