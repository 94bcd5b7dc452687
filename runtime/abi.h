// The interface between compiled code and the runtime. Plain C. The compiler emits accesses to these structs by field
// offset, and calls the functions listed in symbols.def.
#ifndef PM_RUNTIME_ABI_H
#define PM_RUNTIME_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The state of one running call of a compiled program. Compiled code reads the first four members and `stop`. The rest
// belongs to the runtime and is reached through functions. Nothing here is global or thread-local.
typedef struct PmCall {
    void* const* arguments;       // one dense row-major buffer per argument
    void* const* results;         // one dense row-major buffer per result, owned by the caller
    char* arena;                  // temporaries: Program::arena_bytes, 64-byte aligned, contents undefined
    const void* const* constants; // Program::constants, 64-byte aligned
    volatile int32_t stop;        // not zero: end the call at the next poll (StopBits in call.hpp)
    int32_t seat; // with several GPUs: from 1 on, the worker that runs one GPU's lanes; otherwise 0; see call.hpp
    void* state;  // runtime::CallState
} PmCall;

// The one entry of a compiled program. Returns 0, or not 0 if it ended early; the call's state has the reason.
typedef int32_t (*PmEntry)(PmCall* call);

// One chunk of parallel work; chunks are independent and may run in any order.
typedef void (*PmChunk)(PmCall* call, int64_t chunk, void* frame);

// A kernel of the runtime: buffers are inputs, then outputs, all dense; attributes are the kernel's own integers.
typedef int32_t (*PmKernel)(PmCall* call, void* const* buffers, const int64_t* attributes, void* workspace);

#ifdef __cplusplus
}
#endif
#endif
