/* The interface between the runtime and an engine, a library that moves bytes between the processes of a job. An engine
 * computes nothing: sums and comparisons are the work of compiled code. A plug-in exports the function
 * pm_engine_open_1 of the type PmEngineOpen.
 *
 * All processes call the collective functions of an engine in the same order. A function that begins an operation
 * returns at once. It copies its tables. Its buffers stay valid and unchanged until `test` has returned
 * PM_OPERATION_DONE, or until the process ends. Only one thread at a time uses an engine. */
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PM_ENGINE_VERSION = 1 };

typedef struct PmOperation PmOperation; /* an operation under way */

typedef enum PmOperationState {
    PM_OPERATION_RUNNING = 0,
    PM_OPERATION_DONE = 1,  /* complete; the operation is freed */
    PM_OPERATION_FAILED = 2 /* cannot be completed, because a process or the network is gone; not to be tested again */
} PmOperationState;

/* One message to or from the process `peer`. The receiver's number of bytes is equal to the sender's. */
typedef struct PmMessage {
    int32_t peer;
    int64_t bytes;
    void* data; /* only read for a message that is sent */
} PmMessage;

typedef struct PmEngine {
    int32_t version;  /* PM_ENGINE_VERSION */
    int32_t index;    /* the number of this process, from 0 */
    int32_t count;    /* the number of processes */
    const char* name; /* the engine and its release, for messages */
    void* state;      /* of the engine */

    /* Brings `bytes` bytes of each process to all: those of process p to out + p * bytes. */
    PmOperation* (*all_gather)(void* state, const void* in, void* out, int64_t bytes);
    /* Brings the bytes of process p, counts[p] of them, to out + offsets[p]. `in` has counts[index] bytes. */
    PmOperation* (*all_gather_parts)(void* state, const void* in, void* out, const int64_t* counts,
                                     const int64_t* offsets);
    /* Brings in_counts[p] bytes at in + in_offsets[p] to each process p, and out_counts[p] bytes from it to
     * out + out_offsets[p]. */
    PmOperation* (*all_to_all)(void* state, const void* in, const int64_t* in_counts, const int64_t* in_offsets,
                               void* out, const int64_t* out_counts, const int64_t* out_offsets);
    /* Sends and receives messages. Messages from one process to another arrive in the order in which they were sent. */
    PmOperation* (*exchange)(void* state, const PmMessage* sends, int32_t send_count, const PmMessage* receives,
                             int32_t receive_count);
    /* The state of an operation. *lost is the number of a process that is gone, or -1. If the operation has failed,
     * *why is a text that lives as long as the engine. */
    PmOperationState (*test)(void* state, PmOperation* operation, const char** why, int32_t* lost);
    /* Ends the use of the engine. `orderly` is 1 if no operation is under way and all processes call it. Otherwise
     * operations may still use their buffers, and the caller ends the process soon. */
    void (*leave)(void* state, int32_t orderly);
} PmEngine;

/* Joins the job of the launcher that started this process. Returns 0 and sets *engine, which lives until the process
 * ends. Returns another number and sets *why, a text, if there is no job, or if it cannot be joined. */
typedef int32_t (*PmEngineOpen)(const PmEngine** engine, const char** why);

#ifdef __cplusplus
}
#endif
