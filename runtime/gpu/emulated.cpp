#include "runtime/gpu/emulated.hpp"

#include "runtime/call.hpp"
#include "runtime/failure.hpp"

#include <boost/context/fiber.hpp>
#include <boost/context/preallocated.hpp>
#include <boost/context/stack_context.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace pm::runtime {
namespace {

namespace context = boost::context;

constexpr int warp = 32;

/// Threads that wait for each other again and again.
struct Meeting {
    int waiting = 0;
    std::int64_t turn = 0;
};

/// The memory of all stacks; a context neither makes nor frees it.
/// AddressSanitizer is not told when contexts change: the library that Debian packages lacks what BOOST_USE_ASAN calls.
struct BorrowedStack {
    static context::stack_context allocate() { return {}; }
    static void deallocate(context::stack_context&) {}
};

class Block;

struct Thread {
    PmThread self{};
    Block* block = nullptr;
    context::fiber rest; ///< of the thread, while it does not run
    context::fiber* scheduler = nullptr;
    std::array<std::uint32_t, 4> given{}; ///< to take(), by the parity of the meeting's turn and whether it is a warp's
};

/// One block after the other, on the same stacks.
class Block {
  public:
    Block(PmGpuKernel kernel, int threads, void* const* buffers)
        : kernel_(kernel), buffers_(buffers), threads_(static_cast<std::size_t>(threads)),
          segments_(2 * static_cast<std::size_t>(threads)),
          stacks_(std::make_unique_for_overwrite<std::byte[]>(stack_bytes * static_cast<std::size_t>(threads))) {
        for (std::size_t i = 0; i < threads_.size(); ++i) {
            Thread& t = threads_[i];
            t.block = this;
            t.self = {static_cast<std::int64_t>(i), 0, shared_.data(), &t};
        }
    }

    void run(std::int64_t number) {
        all_ = {};
        shared_.fill('\xFF'); // what a kernel has not written it must not read
        for (Meeting& m : segments_) m = {};
        for (std::size_t i = 0; i < threads_.size(); ++i) begin(i, number);
        for (bool left = true; left;) {
            left = false;
            moved_ = false;
            for (Thread& t : threads_) {
                if (!t.rest) continue;
                t.rest = std::move(t.rest).resume();
                left = left || t.rest;
                moved_ = moved_ || !t.rest;
            }
            if (left && !moved_)
                throw Failure(FailureKind::bad_argument, "threads of a block wait for others that have ended");
        }
    }

    void barrier(Thread& t) { meet(t, all_, static_cast<int>(threads_.size())); }

    std::uint32_t take(Thread& t, std::uint32_t word, int source, int width) {
        const auto first =
            static_cast<std::size_t>(t.self.thread) / static_cast<std::size_t>(width) * static_cast<std::size_t>(width);
        const bool whole = width == warp;
        Meeting& m = segments_[first + (whole ? threads_.size() : 0)];
        const auto slot = static_cast<std::size_t>((m.turn & 1) + (whole ? 2 : 0));
        t.given[slot] = word;
        meet(t, m, width);
        return threads_[first + static_cast<std::size_t>(source & (width - 1))].given[slot];
    }

  private:
    static constexpr std::size_t stack_bytes = std::size_t{64} << 10;

    void begin(std::size_t i, std::int64_t number) {
        Thread& t = threads_[i];
        t.self.block = number;
        context::stack_context stack;
        stack.size = stack_bytes;
        stack.sp = stacks_.get() + (i + 1) * stack_bytes;
        t.rest = context::fiber(std::allocator_arg, context::preallocated(stack.sp, stack.size, stack), BorrowedStack(),
                                [this, &t](context::fiber&& scheduler) {
                                    t.scheduler = &scheduler;
                                    kernel_(&t.self, buffers_);
                                    return std::move(scheduler);
                                });
    }

    void meet(Thread& t, Meeting& m, int members) {
        if (++m.waiting == members) {
            m.waiting = 0;
            ++m.turn;
            moved_ = true;
            return;
        }
        for (const std::int64_t turn = m.turn; m.turn == turn;) *t.scheduler = std::move(*t.scheduler).resume();
    }

    PmGpuKernel kernel_;
    void* const* buffers_;
    std::vector<Thread> threads_;
    Meeting all_;
    std::vector<Meeting> segments_; ///< by their first thread; those of whole warps in the second half
    bool moved_ = false;            ///< in this round: a meeting was complete or a thread has ended
    std::unique_ptr<std::byte[]> stacks_;
    alignas(64) std::array<char, PM_SHARED_BYTES> shared_{};
};

} // namespace

void run_emulated(PmCall* call, PmGpuKernel kernel, std::int64_t blocks, int threads, bool meets,
                  void* const* buffers) {
    const auto wanted = [call] { return (CallState::of(call).poll(call) & abandon) == 0; };
    if (meets) {
        auto block = std::make_unique<Block>(kernel, threads, buffers);
        try {
            for (std::int64_t i = 0; i < blocks && wanted(); ++i) block->run(i);
        } catch (...) {
            static_cast<void>(block.release()); // frames of compiled code cannot be unwound: its threads stay
            throw;
        }
        return;
    }
    PmThread self{0, 0, nullptr, nullptr};
    for (self.block = 0; self.block < blocks && wanted(); ++self.block)
        for (self.thread = 0; self.thread < threads && wanted(); ++self.thread) kernel(&self, buffers);
}

} // namespace pm::runtime

using pm::runtime::Block;
using pm::runtime::Thread;

extern "C" {

void pm_gpu_barrier(PmThread* self) {
    Thread& t = *static_cast<Thread*>(self->state);
    t.block->barrier(t);
}

uint32_t pm_gpu_take(PmThread* self, uint32_t word, uint32_t source, uint32_t width) {
    Thread& t = *static_cast<Thread*>(self->state);
    return t.block->take(t, word, static_cast<int>(source), static_cast<int>(width));
}
}
