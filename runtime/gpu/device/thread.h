// The interface between the code of a kernel and the emulated device. Plain C, as abi.h.
#ifndef PM_RUNTIME_GPU_THREAD_H
#define PM_RUNTIME_GPU_THREAD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Bytes of shared memory of a block: as much as every GPU has without a special request.
enum { PM_SHARED_BYTES = 48 * 1024 };

// Memory for synchronization between the blocks of a launch, zero at first: an i32 counter and, for each of two
// consecutive synchronizations, a flag whether to exit.
enum { PM_SYNC_BYTES = 12 };

// Which threads of a launch wait for each other: none, those of a block, or all. If all threads wait for each other,
// all blocks run at the same time, and the device chooses the number of blocks, at most that of the launch. The kernel
// then has two more parameters after its buffers. The first is the address of an i32 of the host, not 0 when the call
// must end; only a kernel with PM_SYNC_GRID_AND_POLL reads it. The second is the address of synchronization memory;
// only kernels that may have several blocks use it.
enum { PM_SYNC_NONE = 0, PM_SYNC_BLOCK = 1, PM_SYNC_GRID = 2, PM_SYNC_GRID_AND_POLL = 3 };

// The factors that a warp multiplies: f32 with 10 bits after the binary point, or halves.
enum { PM_FACTORS_TF32 = 0, PM_FACTORS_F16 = 1, PM_FACTORS_BF16 = 2 };

// One thread of a kernel while it runs.
typedef struct PmThread {
    int64_t thread; // number of the thread in its block
    int64_t block;
    int64_t blocks; // number of blocks in the launch
    char* shared;   // shared memory of the block: PM_SHARED_BYTES, aligned to 64
    void* state;    // private state of the device
} PmThread;

// A kernel; every thread runs it once. `buffers` are the addresses of the step's buffers.
typedef void (*PmGpuKernel)(PmThread* self, void* const* buffers);

#ifdef __cplusplus
}
#endif
#endif
