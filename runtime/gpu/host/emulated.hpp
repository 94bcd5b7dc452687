#pragma once
#include "runtime/abi.h"
#include "runtime/gpu/device/thread.h"

#include <cstdint>

namespace pm::runtime {

/// Runs a kernel on the emulated GPU, whose memory is the memory of the host. `sync` (gpu/device/thread.h) specifies
/// the threads that wait for each other. If all threads of the launch wait for each other, a few thread blocks, at most
/// `blocks`, run side by side. Otherwise blocks run one after another. The threads of a block are fibers of the calling
/// thread. A fiber runs until it must wait for other fibers. If threads never wait for each other, they run one after
/// another without fibers. The order of blocks and threads is fixed, so a kernel with a race always has the same
/// results. Throws Failure(bad_argument) if threads wait for threads that have ended. If the call must end, the launch
/// ends between two blocks, or between two threads if threads never wait.
void run_emulated(PmCall* call, PmGpuKernel kernel, std::int64_t blocks, int threads, int sync, void* const* buffers);

} // namespace pm::runtime
