#include "runtime/gpu/host/emulated.hpp"

#include "runtime/call.hpp"
#include "runtime/failure.hpp"
#include "runtime/half.hpp"

#include <boost/context/fiber.hpp>
#include <boost/context/preallocated.hpp>
#include <boost/context/stack_context.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace pm::runtime {
namespace {

namespace context = boost::context;

/// The number of possible widths of a segment of threads: 1, 2, 4 ... 1024 threads.
constexpr std::size_t widths = 11;
/// The most blocks that the device runs side by side. Three blocks suffice to test interactions between blocks.
constexpr std::int64_t most_resident = 3;

/// A reusable barrier; `generation` counts its completions.
struct Barrier {
    int waiting = 0;
    std::int64_t generation = 0;
};

/// The memory of all stacks belongs to the launch, so fibers do not allocate or free it. There are no guard pages
/// between stacks. With guard pages, programs on this device took 9% longer, because of time in the kernel of the
/// operating system. AddressSanitizer is not informed of context switches, because Debian's package of Boost.Context
/// lacks the functions that BOOST_USE_ASAN calls.
struct BorrowedStack {
    static context::stack_context allocate() { return {}; }
    static void deallocate(context::stack_context&) {}
};

class EmulatedLaunch;

struct Thread {
    PmThread self{};
    EmulatedLaunch* launch = nullptr;
    std::size_t slot = 0; ///< the index of the thread's block among the blocks that run side by side
    context::fiber rest;  ///< the suspended fiber; empty while the thread runs and after its end
    context::fiber* scheduler = nullptr;
    /// The words that the thread passed to take(), indexed by the logarithm of the width and by the parity of the
    /// barrier's generation. With two words per width, a thread that calls take() again does not overwrite a word that
    /// other threads still read.
    std::array<std::array<std::uint32_t, 2>, widths> given{};
    /// The factors that the thread passed to multiply_add(), indexed by the parity of the barrier's generation.
    std::array<std::array<std::uint32_t, 6>, 2> factors{};
};

/// The state that the threads of a block share.
struct Block {
    explicit Block(std::size_t threads) : threads(threads) {
        for (std::size_t w = 0; w < widths; ++w) segments[w].resize((threads >> w) + 1);
    }
    std::vector<Thread> threads;
    Barrier all;
    std::array<std::vector<Barrier>, widths> segments; ///< the barriers of segments, by width
    alignas(64) std::array<char, PM_SHARED_BYTES> shared{};
};

/// A launch. A group of blocks runs side by side; the next group uses the same stacks.
class EmulatedLaunch {
  public:
    EmulatedLaunch(PmCall* call, PmGpuKernel kernel, std::int64_t blocks, std::size_t at_once, std::size_t threads,
                   void* const* buffers)
        : call_(call), kernel_(kernel), count_(blocks), buffers_(buffers), threads_(threads),
          stacks_(std::make_unique_for_overwrite<std::byte[]>(stack_bytes * threads * at_once)) {
        for (std::size_t i = 0; i < at_once; ++i) blocks_.push_back(std::make_unique<Block>(threads));
    }

    /// Runs the group of blocks that begins with block `first`.
    void run(std::int64_t first) {
        all_ = {};
        for (std::size_t slot = 0; slot < blocks_.size(); ++slot) begin(slot, first + static_cast<std::int64_t>(slot));
        for (bool remaining = true; remaining;) {
            remaining = false;
            moved_ = false;
            for (const auto& block : blocks_)
                for (Thread& t : block->threads) {
                    if (!t.rest) continue;
                    t.rest = std::move(t.rest).resume();
                    remaining = remaining || t.rest;
                    moved_ = moved_ || !t.rest;
                }
            if (remaining && !moved_)
                throw Failure(FailureKind::bad_argument, "threads wait for others that have ended");
        }
    }

    void barrier(Thread& t) { arrive_and_wait(t, blocks_[t.slot]->all, threads_); }

    /// The last thread that arrives at the barrier polls for all threads.
    std::int32_t poll_barrier(Thread& t) {
        if (all_.waiting + 1 == static_cast<int>(threads_ * blocks_.size())) leave_ = CallState::abandoned(call_);
        arrive_and_wait(t, all_, threads_ * blocks_.size());
        return leave_;
    }

    std::uint32_t take(Thread& t, std::uint32_t word, std::uint32_t source, std::uint32_t width) {
        Block& block = *blocks_[t.slot];
        const std::size_t number = static_cast<std::size_t>(t.self.thread) / width;
        const auto which = static_cast<std::size_t>(std::countr_zero(width));
        Barrier& m = block.segments.at(which)[number];
        const auto parity = static_cast<std::size_t>(m.generation & 1);
        t.given.at(which).at(parity) = word;
        arrive_and_wait(t, m, width);
        return block.threads[number * width + (source & (width - 1))].given.at(which).at(parity);
    }

    void multiply_add(Thread& t, std::int32_t kind, const std::uint32_t* factors, float* sums) {
        constexpr std::size_t warp = 32;
        Block& block = *blocks_[t.slot];
        const auto lane = static_cast<std::size_t>(t.self.thread) % warp;
        const std::size_t first = static_cast<std::size_t>(t.self.thread) - lane;
        Barrier& m = block.segments.at(std::countr_zero(warp))[first / warp];
        const auto parity = static_cast<std::size_t>(m.generation & 1);
        std::copy_n(factors, 6, t.factors.at(parity).begin());
        arrive_and_wait(t, m, warp);
        // number() returns element k of a line. A line is a row of the matrix a or a column of the matrix b. Four
        // threads of the warp hold the words of a line.
        const std::size_t each = kind == PM_FACTORS_TF32 ? 1 : 2;
        const auto number = [&](std::size_t line, std::size_t k, bool of_b) {
            const std::size_t word = k / each;
            const std::size_t part = of_b ? 4 + word / 4 : line / 8 + 2 * (word / 4);
            const Thread& other = block.threads[first + 4 * (line % 8) + word % 4];
            return factor(kind, other.factors.at(parity).at(part), k % each);
        };
        for (std::size_t i = 0; i < 4; ++i) {
            const std::size_t line = lane / 4 + 8 * (i / 2), column = 2 * (lane % 4) + i % 2;
            for (std::size_t k = 0; k < 8 * each; ++k)
                sums[i] = std::fma(number(line, k, false), number(column, k, true), sums[i]);
        }
    }

  private:
    /// The factor at index `at` in a word. A word has one factor of f32, or two of 16 bits.
    static float factor(std::int32_t kind, std::uint32_t word, std::size_t at) {
        if (kind == PM_FACTORS_TF32) return std::bit_cast<float>(word & 0xFFFF'E000U);
        const auto half = static_cast<std::uint16_t>(word >> (16 * at));
        return kind == PM_FACTORS_BF16 ? bf16_to_f32(half) : f16_to_f32(half);
    }

    static constexpr std::size_t stack_bytes = std::size_t{64} << 10;

    void begin(std::size_t slot, std::int64_t number) {
        Block& block = *blocks_[slot];
        block.all = {};
        for (std::vector<Barrier>& segments : block.segments)
            for (Barrier& m : segments) m = {};
        block.shared.fill('\xFF'); // a kernel must not read memory that it has not written
        for (std::size_t i = 0; i < threads_; ++i) {
            Thread& t = block.threads[i];
            t.self = {static_cast<std::int64_t>(i), number, count_, block.shared.data(), &t};
            t.launch = this;
            t.slot = slot;
            context::stack_context stack;
            stack.size = stack_bytes;
            stack.sp = stacks_.get() + (slot * threads_ + i + 1) * stack_bytes;
            t.rest = context::fiber(std::allocator_arg, context::preallocated(stack.sp, stack.size, stack),
                                    BorrowedStack(), [this, &t](context::fiber&& scheduler) {
                                        t.scheduler = &scheduler;
                                        kernel_(&t.self, buffers_);
                                        return std::move(scheduler);
                                    });
        }
    }

    void arrive_and_wait(Thread& t, Barrier& m, std::size_t members) {
        if (++m.waiting == static_cast<int>(members)) {
            m.waiting = 0;
            ++m.generation;
            moved_ = true;
            return;
        }
        for (const std::int64_t generation = m.generation; m.generation == generation;)
            *t.scheduler = std::move(*t.scheduler).resume();
    }

    PmCall* call_;
    PmGpuKernel kernel_;
    std::int64_t count_;
    void* const* buffers_;
    std::size_t threads_;
    std::vector<std::unique_ptr<Block>> blocks_;
    Barrier all_;
    std::int32_t leave_ = 0; ///< the result of the last poll in poll_barrier()
    bool moved_ = false;     ///< true if a barrier was completed or a thread has ended in this round of run()
    std::unique_ptr<std::byte[]> stacks_;
};

} // namespace

void run_emulated(PmCall* call, PmGpuKernel kernel, std::int64_t blocks, int threads, int sync, void* const* buffers) {
    const auto wanted = [call] { return !CallState::abandoned(call); };
    if (sync == PM_SYNC_NONE) {
        PmThread self{0, 0, blocks, nullptr, nullptr};
        for (self.block = 0; self.block < blocks && wanted(); ++self.block)
            for (self.thread = 0; self.thread < threads && wanted(); ++self.thread) kernel(&self, buffers);
        return;
    }
    const bool all = sync >= PM_SYNC_GRID;
    if (all) blocks = std::min(blocks, most_resident);
    const std::int64_t at_once = all ? blocks : 1;
    auto launch = std::make_unique<EmulatedLaunch>(call, kernel, blocks, static_cast<std::size_t>(at_once),
                                                   static_cast<std::size_t>(threads), buffers);
    try {
        for (std::int64_t first = 0; first < blocks && wanted(); first += at_once) launch->run(first);
    } catch (...) {
        static_cast<void>(launch.release()); // frames of compiled code cannot be unwound, so the launch is leaked
        throw;
    }
}

} // namespace pm::runtime

using pm::runtime::Thread;

extern "C" {

void pm_gpu_barrier(PmThread* self) {
    Thread& t = *static_cast<Thread*>(self->state);
    t.launch->barrier(t);
}

int32_t pm_gpu_barrier_and_poll(PmThread* self) {
    Thread& t = *static_cast<Thread*>(self->state);
    return t.launch->poll_barrier(t);
}

void pm_gpu_multiply_add(PmThread* self, int32_t kind, const uint32_t* factors, float* sums) {
    Thread& t = *static_cast<Thread*>(self->state);
    t.launch->multiply_add(t, kind, factors, sums);
}

uint32_t pm_gpu_shuffle(PmThread* self, uint32_t word, uint32_t source, uint32_t width) {
    Thread& t = *static_cast<Thread*>(self->state);
    return t.launch->take(t, word, source, width);
}
}
