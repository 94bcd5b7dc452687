// The interface between compiled code and the runtime. Plain C. The compiler emits accesses to these structs by field
// offset, and calls the functions listed in symbols.def.
#ifndef PM_RUNTIME_ABI_H
#define PM_RUNTIME_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The state of one running call of a compiled program. Compiled code reads the first four members and `stop`. The other
// members belong to the runtime, and compiled code uses them only through functions. No state of a call is global or
// thread-local.
typedef struct PmCall {
    void* const* arguments;       // one dense row-major buffer per argument
    void* const* results;         // one dense row-major buffer per result, owned by the caller
    char* arena;                  // temporaries: Program::arena_bytes, 64-byte aligned, contents undefined
    const void* const* constants; // Program::constants, 64-byte aligned
    volatile int32_t stop;        // StopBits of call.hpp; 0: the program continues
    int32_t seat; // if several GPUs run the lanes: the number (from 1) of the worker that uses this PmCall for the
                  // lanes of one GPU (CallState::Seat in call.hpp); otherwise 0
    void* state;  // runtime::CallState
} PmCall;

// The only entry point of a compiled program. Returns 0, or another number if the program ended early. The reason for
// the end is in the state of the call.
typedef int32_t (*PmEntry)(PmCall* call);

// A function that runs one chunk of parallel work. Chunks are independent and may run in any order.
typedef void (*PmChunk)(PmCall* call, int64_t chunk, void* frame);

// A kernel of the runtime. The buffers are the inputs, then the outputs, all dense. The attributes are integers that
// only this kernel interprets.
typedef int32_t (*PmKernel)(PmCall* call, void* const* buffers, const int64_t* attributes, void* workspace);

#ifdef __cplusplus
}
#endif
#endif
