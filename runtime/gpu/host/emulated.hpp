#pragma once
#include "runtime/abi.h"
#include "runtime/gpu/device/thread.h"

#include <cstdint>

namespace pm::runtime {

/// Runs a kernel on the emulated GPU, whose memory is the host's. `sync` (gpu/device/thread.h) says which threads wait
/// for each other. If all threads do, a few blocks, at most `blocks`, run side by side; otherwise blocks run one after
/// another. The threads of a block are contexts (fibers); each runs until it waits for others. If no threads wait, they
/// run one after another without contexts. The order of blocks and threads is fixed, so a kernel with a race always has
/// the same results. Failure(bad_argument) when threads wait for others that have ended. If the call must end, the
/// launch ends between two blocks.
void run_emulated(PmCall* call, PmGpuKernel kernel, std::int64_t blocks, int threads, int sync, void* const* buffers);

} // namespace pm::runtime
