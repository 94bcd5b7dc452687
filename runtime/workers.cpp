#include "runtime/workers.hpp"

#include "runtime/call.hpp"
#include "runtime/float_mode.hpp"
#include "runtime/threads.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__SANITIZE_THREAD__)
// Suppresses reports about memory accesses and locks within TBB's library, which is not instrumented. Reports about the
// project's own code are not suppressed.
extern "C" const char* __tsan_default_suppressions() { return "called_from_lib:libtbb.so\n"; }
#endif

namespace pm::runtime {
namespace {

using Clock = std::chrono::steady_clock;

/// How long a thread spins for the next run before it sleeps.
constexpr auto patience = std::chrono::microseconds(50);

void pause_briefly() {
#if defined(__x86_64__)
    _mm_pause();
#else
    std::this_thread::yield();
#endif
}

int core_count() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

} // namespace

// The gate is one number: the generation of the run in the upper 32 bits, then one bit for "open", then the number of
// threads inside. A thread enters by a compare-exchange on an open gate. The thread in run() closes the gate and waits
// until no thread is inside. From then on, no other thread accesses the fields of the run that are not atomic.
struct Workers::State {
    static constexpr std::uint64_t open = std::uint64_t{1} << 31;
    static constexpr std::uint64_t inside = open - 1;

    explicit State(int count) : spin(count <= core_count()), threads(count - 1) {}

    bool spin; // false if there are more threads than cores: waiting threads then yield
    alignas(64) std::atomic<std::uint64_t> gate{0};
    alignas(64) std::atomic<std::int64_t> next{0};
    alignas(64) std::atomic<bool> busy{false};
    std::atomic<bool> leaving{false};
    std::atomic<int> attending{0}; // threads that were requested and have not finished yet

    PmCall* call = nullptr;
    PmChunk fn = nullptr;
    void* frame = nullptr;
    FloatMode float_mode = 0; // of the thread in run()
    std::int64_t n = 0;
    std::int64_t step = 1;

    Threads threads; // last, so that it is destroyed first

    void work() {
        for (;;) {
            const std::int64_t begin = next.fetch_add(step, std::memory_order_relaxed);
            if (begin >= n) return;
            const std::int64_t end = std::min(n, begin + step);
            for (std::int64_t i = begin; i < end; ++i) {
                if (CallState::abandoned(call)) return;
                fn(call, i, frame);
            }
        }
    }

    /// Works on the open run, unless the generation of that run is `last`. If the thread has worked on the run, sets
    /// `last` to the run's generation and returns true.
    bool take_part(std::uint64_t& last) {
        std::uint64_t seen = gate.load(std::memory_order_acquire);
        if ((seen & open) == 0 || seen >> 32 == last) return false;
        if (!gate.compare_exchange_strong(seen, seen + 1, std::memory_order_acq_rel, std::memory_order_relaxed))
            return false;
        last = seen >> 32;
        const FloatModeScope mode(float_mode);
        work();
        gate.fetch_sub(1, std::memory_order_release);
        return true;
    }

    /// The function of a thread: takes part in runs until there has been no run for `patience`.
    static void attend(void* argument) {
        State& state = *static_cast<State*>(argument);
        state.attending.load(std::memory_order_acquire); // synchronizes with the writes before enqueue()
        std::uint64_t last = 0;
        auto idle_since = Clock::now();
        while (!state.leaving.load(std::memory_order_acquire)) {
            bool took_part = false;
            for (int i = 0; i < 64 && !took_part; ++i) {
                took_part = state.take_part(last);
                if (!took_part) pause_briefly();
            }
            if (!state.spin) std::this_thread::yield();
            const auto now = Clock::now();
            if (took_part)
                idle_since = now;
            else if (now - idle_since > patience)
                break;
        }
        state.attending.fetch_sub(1, std::memory_order_release); // the last access to the state
    }

    void wait_until_empty() const {
        const auto begin = Clock::now();
        for (int i = 0; (gate.load(std::memory_order_acquire) & inside) != 0; ++i) {
            pause_briefly();
            if (i % 64 == 63 && (!spin || Clock::now() - begin > patience)) std::this_thread::yield();
        }
    }
};

Workers::Workers(int count) : count_(count > 0 ? count : core_count()) {
    if (count_ > 1) state_ = std::make_unique<State>(count_);
}

Workers::~Workers() {
    if (state_ == nullptr) return;
    state_->leaving.store(true, std::memory_order_release);
    while (state_->attending.load(std::memory_order_acquire) != 0) std::this_thread::yield();
}

void Workers::run_here(PmCall* call, std::int64_t n, PmChunk fn, void* frame) {
    for (std::int64_t i = 0; i < n; ++i) {
        if (CallState::abandoned(call)) return;
        fn(call, i, frame);
    }
}

void Workers::run(PmCall* call, std::int64_t n, PmChunk fn, void* frame) {
    if (n <= 0) return;
    // The workers are busy if the caller is a chunk of their current run, or if another thread uses them.
    if (n == 1 || state_ == nullptr || state_->busy.exchange(true, std::memory_order_acquire)) {
        return run_here(call, n, fn, frame);
    }
    State& state = *state_;
    state.call = call;
    state.fn = fn;
    state.frame = frame;
    state.float_mode = float_mode();
    state.n = n;
    state.step = std::max<std::int64_t>(1, n / (std::int64_t{count_} * 16));
    state.next.store(0, std::memory_order_relaxed);
    const std::uint64_t generation = (state.gate.load(std::memory_order_relaxed) >> 32) + 1;
    state.gate.store((generation & 0xFFFFFFFFU) << 32 | State::open, std::memory_order_release);
    const auto wanted = static_cast<int>(std::min<std::int64_t>(n, count_)) - 1;
    for (int present = state.attending.load(std::memory_order_relaxed); present < wanted; ++present) {
        state.attending.fetch_add(1, std::memory_order_release);
        state.threads.enqueue(&State::attend, &state);
    }
    state.work();
    state.gate.fetch_and(~State::open, std::memory_order_acq_rel);
    state.wait_until_empty();
    state.busy.store(false, std::memory_order_release);
}

} // namespace pm::runtime
