#pragma once
#include "runtime/abi.h"
#include "runtime/gpu/device/thread.h"

#include <cstdint>

namespace pm::runtime {

/// Runs a kernel on the emulated GPU, whose memory is the host's: block after block; the threads of a block are
/// contexts that take turns, each until it waits for others. `meets` (gpu/device/thread.h) says which do; where all do,
/// a few blocks run side by side, `blocks` at most. Where none does they run one after the other. Blocks are run in
/// order, threads too, so results of a kernel with a race are always the same ones. Threads that wait for what never
/// comes: Failure(bad_argument). A call that is to stop is left between two blocks.
void run_emulated(PmCall* call, PmGpuKernel kernel, std::int64_t blocks, int threads, int meets, void* const* buffers);

} // namespace pm::runtime
