// The interface between the code of a kernel and the emulated device. Plain C, as abi.h.
#ifndef PM_RUNTIME_GPU_THREAD_H
#define PM_RUNTIME_GPU_THREAD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The bytes of shared memory of a thread block. Every GPU provides this amount without a special request.
enum { PM_SHARED_BYTES = 48 * 1024 };

// The bytes of synchronization memory, with which the blocks of a launch synchronize. It is zero at first. It has an
// i32 counter, and two flags that tell the threads to exit. Consecutive synchronizations use the two flags alternately.
enum { PM_SYNC_BYTES = 12 };

// Which threads of a launch wait for each other: none, those of the same thread block, or all. If all threads wait for
// each other, all blocks run at the same time. The device may then run fewer blocks than the launch requests. The
// kernel then has two more parameters after its buffers. The first is the address of an i32 in host memory, which is
// not 0 when the call must end. Only a kernel with PM_SYNC_GRID_AND_POLL reads this i32. The second parameter is the
// address of synchronization memory. Only kernels that may have several blocks use that memory.
enum { PM_SYNC_NONE = 0, PM_SYNC_BLOCK = 1, PM_SYNC_GRID = 2, PM_SYNC_GRID_AND_POLL = 3 };

// The type of the factors that a warp multiplies: f32 with a fraction of 10 bits (TF32), f16 or bf16.
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
