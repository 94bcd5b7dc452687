// What the code of a kernel and the emulated device agree on. Plain C, as abi.h.
#ifndef PM_RUNTIME_GPU_THREAD_H
#define PM_RUNTIME_GPU_THREAD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Memory that the threads of a block share, in bytes: what every GPU has without asking.
enum { PM_SHARED_BYTES = 48 * 1024 };

// One thread of a kernel while it runs.
typedef struct PmThread {
    int64_t thread; // in its block
    int64_t block;
    char* shared; // of its block, PM_SHARED_BYTES, aligned to 64
    void* state;  // the device's
} PmThread;

// A kernel, run once by every thread; `buffers` are the addresses of the step's buffers.
typedef void (*PmGpuKernel)(PmThread* self, void* const* buffers);

#ifdef __cplusplus
}
#endif
#endif
