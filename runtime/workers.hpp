#pragma once
#include "runtime/abi.h"

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace pm::runtime {

/// The threads that share the work of one engine. Compiled code and the runtime divide parallel work into chunks, which
/// run() executes. Chunks do not wait for each other, and parallel runs are not nested. TBB provides the threads. After
/// a run, a thread spins for about 50 us before it sleeps. Waking a sleeping thread takes about 25 us, but passing work
/// to a spinning thread takes 0.2 us.
class Workers {
  public:
    /// `count` includes the calling thread. 1: no other threads. 0: as many as the machine has cores.
    explicit Workers(int count = 0);
    ~Workers(); ///< waits until the threads have finished
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    int count() const { return count_; }

    /// Runs fn(call, i, frame) once for each i in 0..n, on the calling thread and the other threads. Returns when all
    /// chunks are done; their writes are then visible to the caller. If run() is called from inside a chunk, or while
    /// another thread is in run(), all chunks run on the calling thread. Before each chunk, its thread polls `call`
    /// (may be null). Once the call is abandoned, chunks that have not started are skipped. fn must not throw. Threads
    /// take groups of consecutive chunks in increasing order; chunks may end in any order. The threads have the
    /// floating-point mode of the calling thread.
    void run(PmCall* call, std::int64_t n, PmChunk fn, void* frame);
    /// As run(), on the calling thread alone.
    static void run_here(PmCall* call, std::int64_t n, PmChunk fn, void* frame);

    /// As run(), for a callable f(i) of the runtime itself.
    template <class F>
    void each(std::int64_t n, F&& f, PmCall* call = nullptr) {
        run(
            call, n,
            [](PmCall*, std::int64_t i, void* frame) noexcept {
                (*static_cast<std::remove_reference_t<F>*>(frame))(i);
            },
            const_cast<void*>(static_cast<const void*>(std::addressof(f))));
    }

  private:
    struct State;
    int count_;
    std::unique_ptr<State> state_;
};

} // namespace pm::runtime
