// What the code of a kernel and the emulated device agree on. Plain C, as abi.h.
#ifndef PM_RUNTIME_GPU_THREAD_H
#define PM_RUNTIME_GPU_THREAD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Memory that the threads of a block share, in bytes: what every GPU has without asking.
enum { PM_SHARED_BYTES = 48 * 1024 };

// Memory through which the blocks of a launch meet, zero at first: an i32 that counts, and for each of two meetings in
// a row whether to leave.
enum { PM_MEETING_BYTES = 12 };

// Which threads of a launch wait for each other: none; those of a block; or all, so that all blocks run side by side,
// and as many as the device likes, but not more than the launch says. A kernel of which all meet has two parameters
// behind its buffers: the address of an i32 of the host's, not 0 when the call is to be left, and that of memory to
// meet through, which only a kernel looks at that may have several blocks. The former one does that asks.
enum { PM_MEETS_NONE = 0, PM_MEETS_BLOCK = 1, PM_MEETS_ALL = 2, PM_MEETS_ALL_AND_ASKS = 3 };

// What the threads of a warp multiply: f32 of which 10 bits behind the point count, or halves.
enum { PM_FACTORS_TF32 = 0, PM_FACTORS_F16 = 1, PM_FACTORS_BF16 = 2 };

// One thread of a kernel while it runs.
typedef struct PmThread {
    int64_t thread; // in its block
    int64_t block;
    int64_t blocks; // of the launch
    char* shared;   // of its block, PM_SHARED_BYTES, aligned to 64
    void* state;    // the device's
} PmThread;

// A kernel, run once by every thread; `buffers` are the addresses of the step's buffers.
typedef void (*PmGpuKernel)(PmThread* self, void* const* buffers);

#ifdef __cplusplus
}
#endif
#endif
