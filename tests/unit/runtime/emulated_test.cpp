#include "runtime/call.hpp"
#include "runtime/failure.hpp"
#include "runtime/gpu/host/emulated.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

using namespace pm::runtime;

namespace {

constexpr std::int64_t blocks = 3;
constexpr std::int64_t threads = 128;

/// Runs a call that launches a kernel. `data` is the only buffer of the kernel.
CallResult launch(PmGpuKernel kernel, std::vector<std::int64_t>& data, CallOptions options = {},
                  std::int64_t sync = PM_SYNC_BLOCK) {
    static std::int64_t who;
    who = sync;
    std::array<void*, 1> kernels{reinterpret_cast<void*>(kernel)};
    options.kernels = kernels;
    CallState state(options);
    void* arguments[] = {data.data()};
    return state.run(
        [](PmCall* call) -> std::int32_t {
            pm_gpu_launch(call, 0, blocks, threads, who, 1, call->arguments, nullptr);
            return 0;
        },
        arguments, {}, {}, 0);
}

std::int64_t& own(PmThread* self, void* const* buffers) {
    return static_cast<std::int64_t*>(buffers[0])[self->block * threads + self->thread];
}

} // namespace

TEST_CASE("after a barrier the threads of a block read what other threads of the block wrote before it") {
    std::vector<std::int64_t> data(blocks * threads);
    std::iota(data.begin(), data.end(), 0);
    const std::vector<std::int64_t> before = data;
    const CallResult result = launch(
        [](PmThread* self, void* const* buffers) {
            auto* shared = reinterpret_cast<std::int64_t*>(self->shared);
            // Each iteration reverses the values and rotates the values by one position.
            for (int iteration = 0; iteration < 2; ++iteration) {
                shared[threads - 1 - self->thread] = own(self, buffers);
                pm_gpu_barrier(self);
                own(self, buffers) = shared[(self->thread + 1) % threads];
                pm_gpu_barrier(self);
            }
        },
        data);
    CHECK(result);
    CHECK(data == before); // a second iteration restores the values
}

TEST_CASE("values are read from threads of the same segment; the width of a segment alternates") {
    std::vector<std::int64_t> data(blocks * threads, -1);
    const CallResult result = launch(
        [](PmThread* self, void* const* buffers) {
            const auto number = static_cast<std::uint32_t>(self->thread);
            const std::uint32_t across = pm_gpu_shuffle(self, number, 31 - number % 32, 32);
            const std::uint32_t next = pm_gpu_shuffle(self, across, (number + 1) % 16, 16);
            const std::uint32_t again = pm_gpu_shuffle(self, next, 0, 32);
            own(self, buffers) = static_cast<std::int64_t>(next) * 1000 + again;
        },
        data);
    CHECK(result);
    for (std::int64_t i = 0; i < blocks * threads; ++i) {
        const std::int64_t t = i % threads;
        const std::int64_t neighbour = t / 16 * 16 + (t + 1) % 16;
        const std::int64_t next = neighbour / 32 * 32 + 31 - neighbour % 32;
        const std::int64_t first = t / 32 * 32 + 30; // the value of the warp's first thread
        CHECK(data[static_cast<std::size_t>(i)] == next * 1000 + first);
    }
}

TEST_CASE("shared memory is reset before each block") {
    std::vector<std::int64_t> data(blocks * threads);
    const CallResult result = launch(
        [](PmThread* self, void* const* buffers) {
            auto* shared = reinterpret_cast<std::int64_t*>(self->shared);
            own(self, buffers) = shared[self->thread];
            shared[self->thread] = self->block;
        },
        data);
    CHECK(result);
    CHECK(data == std::vector<std::int64_t>(blocks * threads, -1));
}

TEST_CASE("a barrier that not all threads reach is an error") {
    std::vector<std::int64_t> data(blocks * threads);
    CHECK_THROWS_AS(launch(
                        [](PmThread* self, void* const*) {
                            if (self->thread != 5) pm_gpu_barrier(self);
                        },
                        data),
                    Failure);
    CHECK_THROWS_AS(launch(
                        [](PmThread* self, void* const*) {
                            if (self->thread % 16 < 8) pm_gpu_shuffle(self, 1, 0, 16);
                        },
                        data),
                    Failure);
}

TEST_CASE("a cancelled call ends between two blocks") {
    CallOptions options;
    static std::atomic<bool>* flag;
    const auto cancel = std::make_shared<std::atomic<bool>>(false);
    flag = cancel.get();
    options.cancel = cancel;
    std::vector<std::int64_t> data(blocks * threads);
    const CallResult result = launch(
        [](PmThread* self, void* const* buffers) {
            own(self, buffers) = 1;
            pm_gpu_barrier(self);
            *flag = true;
        },
        data, options);
    CHECK(result.status == CallStatus::cancelled);
    CHECK(std::accumulate(data.begin(), data.end(), std::int64_t{0}) == threads); // the first block ran to its end
}

TEST_CASE("segments of several warps have separate barriers") {
    std::vector<std::int64_t> data(blocks * threads);
    const CallResult result = launch(
        [](PmThread* self, void* const* buffers) {
            auto* shared = reinterpret_cast<std::int64_t*>(self->shared);
            const std::int64_t iterations = self->thread < 64 ? 1 : 3;
            for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
                shared[self->thread] = self->thread + iteration;
                pm_gpu_shuffle(self, 0, 0, 64);
                own(self, buffers) = shared[self->thread ^ 63];
                pm_gpu_shuffle(self, 0, 0, 64);
            }
        },
        data);
    CHECK(result);
    for (std::int64_t i = 0; i < blocks * threads; ++i)
        CHECK(data[static_cast<std::size_t>(i)] == (i % threads ^ 63) + (i % threads < 64 ? 0 : 2));
}

TEST_CASE("after a grid barrier concurrent blocks read what other blocks wrote before it") {
    std::vector<std::int64_t> data(blocks * threads);
    const CallResult result = launch(
        [](PmThread* self, void* const* buffers) {
            CHECK(self->blocks == blocks);
            auto* all = static_cast<std::int64_t*>(buffers[0]);
            const std::int64_t number = self->block * threads + self->thread;
            // Each thread adds the value at the mirrored position, which a thread of another block wrote.
            for (int iteration = 0; iteration < 3; ++iteration) {
                const std::int64_t other = all[blocks * threads - 1 - number];
                pm_gpu_barrier_and_poll(self);
                all[number] += other + 1;
                pm_gpu_barrier_and_poll(self);
            }
        },
        data, {}, PM_SYNC_GRID);
    CHECK(result);
    CHECK(data == std::vector<std::int64_t>(blocks * threads, 7));
}

TEST_CASE("a grid barrier returns the cancellation to all threads in the same iteration") {
    CallOptions options;
    static std::atomic<bool>* flag;
    const auto cancel = std::make_shared<std::atomic<bool>>(false);
    flag = cancel.get();
    options.cancel = cancel;
    std::vector<std::int64_t> data(blocks * threads);
    const CallResult result = launch(
        [](PmThread* self, void* const* buffers) {
            do {
                if (++own(self, buffers) == 5 && self->block == 1 && self->thread == 7) *flag = true;
            } while (pm_gpu_barrier_and_poll(self) == 0);
        },
        data, options, PM_SYNC_GRID);
    CHECK(result.status == CallStatus::cancelled);
    CHECK(data == std::vector<std::int64_t>(blocks * threads, 5));
}
