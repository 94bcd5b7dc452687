#pragma once
#include "runtime/abi.h"

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace pm::runtime {

/// The threads that share the work of one engine. run() is the only parallelism of compiled code and of the runtime:
/// one flat set of chunks that do not wait for each other. The threads are TBB's. Between runs they spin for about 50
/// us before they sleep: waking a thread takes about 25 us, passing work to a spinning thread takes 0.2 us.
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
    /// another thread is in run(), all chunks run on the calling thread. Each chunk first polls `call` (may be null);
    /// once the call is abandoned, chunks that have not started are skipped. fn must not throw. Threads take groups of
    /// consecutive chunks in increasing order; chunks may end in any order.
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
