// Graphs of repeated launches, and how the device submits work to the driver that interprets PTX.
#include "runtime/failure.hpp"
#include "runtime/gpu/device/device.hpp"
#include "runtime/gpu/device/thread.h"
#include "runtime/gpu/driver/graphs.hpp"
#include "tests/gpu/device/library.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <thread>
#include <vector>

using namespace pm::runtime;

namespace {

/// unit_0: p = 3 p + q. unit_1: p += q. unit_2, a cooperative kernel: each block adds 1 to p.
const char* const source = R"(.version 8.3
.target sm_80
.address_size 64
.visible .entry unit_0(.param .u64 p, .param .u64 q)
{
.reg .b64 %x<6>;
ld.param.u64 %x1, [p];
ld.param.u64 %x2, [q];
ld.global.u64 %x3, [%x1];
ld.global.u64 %x4, [%x2];
mad.lo.s64 %x5, %x3, 3, %x4;
st.global.u64 [%x1], %x5;
ret;
}
.visible .entry unit_1(.param .u64 p, .param .u64 q)
{
.reg .b64 %x<6>;
ld.param.u64 %x1, [p];
ld.param.u64 %x2, [q];
ld.global.u64 %x3, [%x1];
ld.global.u64 %x4, [%x2];
add.s64 %x5, %x3, %x4;
st.global.u64 [%x1], %x5;
ret;
}
.visible .entry unit_2(.param .u64 p, .param .u64 stop, .param .u64 meeting)
{
.reg .b64 %x<6>;
.reg .b32 %r<4>;
.reg .pred %p;
ld.param.u64 %x1, [p];
ld.param.u64 %x2, [meeting];
ld.global.u32 %r1, [%x2];
setp.ne.u32 %p, %r1, 0;
@%p trap;
atom.global.add.u64 %x3, [%x1], 1;
ret;
}
)";
enum { thrice = 0, plus = 1, barrier = 2 };

void fail(const char* function, CUresult code) { PM_OF_DRIVER(pm_interpreter_fail)(function, 1, code); }

/// The number of calls of a function since the object was constructed.
class Counted {
  public:
    long operator()(const char* function) { return PM_CALLS(function) - before_[function]; }
    Counted() {
        for (const char* f : {"cuLaunchKernel", "cuLaunchCooperativeKernel", "cuMemsetD32Async", "cuGraphLaunch",
                              "cuGraphInstantiateWithFlags", "cuGraphExecKernelNodeSetParams_v2",
                              "cuGraphExecMemsetNodeSetParams", "cuGraphExecDestroy", "cuGraphDestroy"})
            before_[f] = PM_CALLS(f);
    }

  private:
    std::map<std::string, long> before_;
};

struct Gpu {
    std::shared_ptr<Device> device = open_gpu();
    std::shared_ptr<const Kernels> kernels = device->load(source, 3);

    std::byte* number(std::uint64_t value) const {
        std::byte* made = device->allocate(8);
        device->upload(made, &value, 8);
        return made;
    }
    std::uint64_t value(const std::byte* of) const {
        std::uint64_t read = 0;
        device->download(&read, of, 8);
        return read;
    }
    void launch(int unit, std::byte* p, std::byte* q) const {
        const std::array<void*, 2> buffers{p, q};
        REQUIRE(device->make_room(never));
        device->launch({kernels->handles()[static_cast<std::size_t>(unit)], 1, 1, buffers});
    }
    void run_barrier(std::byte* p, std::int64_t blocks, const Stop* stop = nullptr) const {
        const std::array<void*, 1> buffers{p};
        REQUIRE(device->make_room(never));
        device->launch({kernels->handles()[barrier], blocks, 1, buffers, true, stop ? stop->address() : nullptr});
    }
    void submit() const { device->submit(never); }
};

/// Direct use of the driver: the primary context, which the device of the runtime uses too, with a stream and kernels.
class DirectDriver {
  public:
    DirectDriver() {
        driver.expect(driver.context_retain(&context, 0), "cuDevicePrimaryCtxRetain");
        driver.expect(driver.context_push(context), "cuCtxPushCurrent");
        driver.expect(driver.stream_create(&stream, cuda::stream_non_blocking), "cuStreamCreate");
        driver.expect(driver.module_load(&module_, source, 0, nullptr, nullptr), "cuModuleLoadDataEx");
        driver.expect(driver.module_function(&thrice, module_, "unit_0"), "cuModuleGetFunction");
        driver.expect(driver.module_function(&blocks_add, module_, "unit_2"), "cuModuleGetFunction");
    }
    ~DirectDriver() {
        void* popped = nullptr;
        static_cast<void>(driver.stream_wait(stream));
        static_cast<void>(driver.module_unload(module_));
        static_cast<void>(driver.stream_destroy(stream));
        static_cast<void>(driver.context_pop(&popped));
        static_cast<void>(driver.context_release(0));
    }
    DirectDriver(const DirectDriver&) = delete;
    DirectDriver& operator=(const DirectDriver&) = delete;

    std::shared_ptr<Device> device = open_gpu(); // initializes the driver
    cuda::Driver driver;
    void* context = nullptr;
    void* stream = nullptr;
    void* thrice = nullptr;
    void* blocks_add = nullptr;

  private:
    void* module_ = nullptr;
};

std::uint64_t number(const std::byte* at) { return reinterpret_cast<std::uintptr_t>(at); }

} // namespace

TEST_CASE("repeated launches become a graph, in which only changed parameters are set") {
    const Gpu g;
    std::byte *p = g.number(1), *q = g.number(2), *r = g.number(100);
    Counted counted;
    const auto iteration = [&](std::byte* to, std::byte* from, std::uint64_t first) {
        g.device->store(to, first, 4);
        g.launch(thrice, to, from);
        g.launch(plus, to, q);
        g.submit();
    };
    iteration(p, q, 5);
    PM_CHECK_INTERPRETED(counted("cuGraphLaunch") == 0);
    PM_CHECK_INTERPRETED(counted("cuLaunchKernel") == 2);
    CHECK(g.value(p) == 19);
    iteration(p, q, 6);
    PM_CHECK_INTERPRETED(counted("cuGraphInstantiateWithFlags") == 1);
    PM_CHECK_INTERPRETED(counted("cuGraphLaunch") == 1);
    CHECK(g.value(p) == 22);
    iteration(p, q, 6);
    PM_CHECK_INTERPRETED(counted("cuGraphExecKernelNodeSetParams_v2") == 0);
    PM_CHECK_INTERPRETED(counted("cuGraphExecMemsetNodeSetParams") == 0);
    iteration(p, q, 7);
    PM_CHECK_INTERPRETED(counted("cuGraphExecMemsetNodeSetParams") == 1);
    CHECK(g.value(p) == 25);
    iteration(p, r, 7); // changes one argument of one kernel
    PM_CHECK_INTERPRETED(counted("cuGraphExecKernelNodeSetParams_v2") == 1);
    PM_CHECK_INTERPRETED(counted("cuGraphExecMemsetNodeSetParams") == 1);
    CHECK(g.value(p) == 123);
    iteration(r, q, 1);
    CHECK(g.value(r) == 7);
    CHECK(g.value(p) == 123);
    PM_CHECK_INTERPRETED(counted("cuGraphInstantiateWithFlags") == 1);
    PM_CHECK_INTERPRETED(counted("cuGraphLaunch") == 5);
    PM_CHECK_INTERPRETED(counted("cuLaunchKernel") == 2);
}

TEST_CASE("a single launch does not become a graph") {
    const Gpu g;
    std::byte *p = g.number(1), *q = g.number(2);
    Counted counted;
    for (int iteration = 0; iteration < 4; ++iteration) {
        g.device->store(p, 1, 8);
        g.launch(plus, p, q);
        g.submit();
    }
    CHECK(g.value(p) == 3);
    PM_CHECK_INTERPRETED(counted("cuGraphLaunch") == 0);
    PM_CHECK_INTERPRETED(counted("cuLaunchKernel") == 4);
}

TEST_CASE("a graph can change the number of blocks of a cooperative kernel") {
    const Gpu g;
    std::byte *p = g.number(0), *q = g.number(1);
    Counted counted;
    std::uint64_t expected = 0;
    const auto stop = g.device->stop_when(never);
    for (std::int64_t blocks = 2; blocks < 6; ++blocks) {
        g.run_barrier(p, blocks, blocks % 2 == 0 ? stop.get() : nullptr);
        g.launch(plus, p, q);
        g.run_barrier(p, 1);
        g.submit();
        g.device->wait_for(*stop);
        expected += static_cast<std::uint64_t>(blocks) + 2;
        CHECK(g.value(p) == expected);
    }
    PM_CHECK_INTERPRETED(counted("cuGraphLaunch") == 3);
    PM_CHECK_INTERPRETED(counted("cuLaunchCooperativeKernel") == 1);
    PM_CHECK_INTERPRETED(counted("cuGraphInstantiateWithFlags") == 1);
    g.run_barrier(p, 1 << 20); // reduced to as many as fit
    g.launch(plus, p, q);
    g.run_barrier(p, 1);
    CHECK(g.value(p) > expected + 2);
    PM_CHECK_INTERPRETED(counted("cuGraphLaunch") == 4);
}

TEST_CASE("other accesses to memory are ordered after earlier launches") {
    const Gpu g;
    std::byte *p = g.number(1), *q = g.number(2);
    for (int iteration = 0; iteration < 3; ++iteration) {
        g.device->store(p, 1, 8);
        g.launch(thrice, p, q);
        g.launch(plus, p, q);
        const std::uint64_t ten = 10;
        g.device->upload(q, &ten, 8);
        g.launch(plus, p, q);
        std::byte* copy = g.device->allocate(8);
        g.device->copy(copy, p, 8);
        g.launch(plus, p, copy);
        g.device->release(copy); // freed after the launch
        CHECK(g.value(p) == 34);
        g.device->store(q, 2, 8);
    }
    // All memory can be allocated, although the batch frees some of it.
    const std::size_t most = g.device->free_memory();
    std::byte* large = g.device->allocate(most * 3 / 4);
    g.launch(plus, p, q);
    g.device->release(large);
    large = g.device->allocate(most * 3 / 4);
    g.device->release(large);
    CHECK(g.value(p) == 36);
}

TEST_CASE("a loop of the host becomes a few graphs") {
    const Gpu g;
    std::byte *p = g.number(1), *q = g.number(2), *r = g.number(3);
    std::uint64_t expected = 1;
    // The device learns the length of its batches in the first loop.
    const auto loop = [&](int iterations) {
        for (int iteration = 0; iteration < iterations; ++iteration) {
            g.device->store(q, static_cast<std::uint64_t>(iteration), 8);
            g.launch(thrice, p, q);
            g.launch(plus, p, r);
            g.launch(plus, p, q);
            expected = 3 * expected + 2 * static_cast<std::uint64_t>(iteration) + 3;
        }
        g.submit();
    };
    loop(2000);
    CHECK(g.value(p) == expected);
    Counted counted;
    loop(2000);
    CHECK(g.value(p) == expected);
    PM_CHECK_INTERPRETED(counted("cuGraphLaunch") > 10);
    PM_CHECK_INTERPRETED(counted("cuGraphLaunch") < 400);
    PM_CHECK_INTERPRETED(counted("cuLaunchKernel") < 2000);
}

TEST_CASE("the number of graphs is bounded, and graphs are destroyed with their program") {
    Counted counted;
    {
        const Gpu g;
        std::byte *p = g.number(1), *q = g.number(0);
        for (int iteration = 0; iteration < 3; ++iteration)
            for (int length = 2; length < 22; ++length) {
                for (int i = 0; i < length; ++i) g.launch(plus, p, q);
                g.device->wait();
            }
        CHECK(g.value(p) == 1);
        PM_CHECK_INTERPRETED(counted("cuGraphInstantiateWithFlags") > 20);
        PM_CHECK_INTERPRETED(counted("cuGraphInstantiateWithFlags") - counted("cuGraphExecDestroy") == 16);
    }
    PM_CHECK_INTERPRETED(counted("cuGraphInstantiateWithFlags") == counted("cuGraphExecDestroy"));
    PM_CHECK_INTERPRETED(counted("cuGraphInstantiateWithFlags") == counted("cuGraphDestroy"));
}

PM_TEST_OF_INTERPRETER("after the driver refuses a graph, kernels are launched without graphs") {
    for (const char* function : {"cuGraphCreate", "cuGraphAddKernelNode_v2", "cuGraphAddMemsetNode",
                                 "cuGraphKernelNodeSetAttribute", "cuGraphInstantiateWithFlags", "cuGraphLaunch",
                                 "cuGraphExecKernelNodeSetParams_v2", "cuGraphExecMemsetNodeSetParams"}) {
        CAPTURE(function);
        const Gpu g;
        std::byte *p = g.number(1), *q = g.number(2);
        Counted counted;
        fail(function, CUDA_ERROR_NOT_SUPPORTED);
        for (std::uint64_t iteration = 0; iteration < 5; ++iteration) {
            g.device->store(p, iteration, 8);
            g.launch(thrice, p, q);
            g.run_barrier(p, 2 + static_cast<std::int64_t>(iteration));
            g.submit();
            CHECK(g.value(p) == 3 * iteration + 2 + 2 + iteration);
        }
        PM_CHECK_INTERPRETED(counted("cuGraphInstantiateWithFlags") <= 1);
        PM_CHECK_INTERPRETED(counted("cuLaunchCooperativeKernel") >= 4);
    }
}

PM_TEST_OF_INTERPRETER("a failed launch throws once and is not repeated") {
    const Gpu g;
    std::byte *p = g.number(1), *q = g.number(2);
    fail("cuLaunchKernel", CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    g.launch(plus, p, q);
    g.launch(plus, p, q);
    CHECK_THROWS_AS(g.submit(), Failure);
    g.submit();
    CHECK(g.value(p) == 1);
    g.launch(plus, p, q);
    fail("cuLaunchKernel", CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    CHECK_THROWS_AS(static_cast<void>(g.value(p)), Failure);
    CHECK(g.value(p) == 1);
}

TEST_CASE("programs of several threads share the queue") {
    const Gpu g;
    const auto other = g.device->load(source, 3);
    const auto work = [&](const Kernels& kernels) {
        std::byte *p = g.number(0), *q = g.number(1);
        for (int iteration = 0; iteration < 200; ++iteration) {
            for (int i = 0; i < 5; ++i) {
                const std::array<void*, 2> buffers{p, q};
                static_cast<void>(g.device->make_room(never));
                g.device->launch({kernels.handles()[plus], 1, 1, buffers});
            }
            g.device->release(g.device->allocate(8));
            g.submit();
        }
        CHECK(g.value(p) == 1000);
        g.device->release(p);
        g.device->release(q);
    };
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&, i] { work(i % 2 == 0 ? *g.kernels : *other); });
}

// If the driver refuses a graph, the call reports no error and is slower.
TEST_CASE("the driver accepts graphs: kernels, cooperative kernels, memory sets, and changed parameters") {
    const DirectDriver gpu;
    cuda::Graphs graphs(gpu.driver, gpu.context);
    const auto made = [&](std::uint64_t value) {
        std::byte* at = gpu.device->allocate(8);
        gpu.device->upload(at, &value, 8);
        gpu.device->wait();
        return at;
    };
    const std::byte* const zero = made(0);
    // to = 3 * value + from + blocks. Sets words and a byte, as the device does.
    const auto iteration = [&](std::byte* to, std::byte* from, unsigned value, unsigned blocks) {
        cuda::Batch batch;
        const std::array<std::uint64_t, 2> low{number(to), value}, high{number(to) + 4, 0}, last{number(to) + 7, 0},
            both{number(to), number(from)};
        const std::array<std::uint64_t, 3> barrier_arguments{number(to), 0, number(zero)};
        batch.add({.blocks = 1, .threads = 4}, low);
        batch.add({.blocks = 1, .threads = 4}, high);
        batch.add({.blocks = 1, .threads = 1}, last);
        batch.add({.function = gpu.thrice, .blocks = 1, .threads = 1}, both);
        batch.add({.function = gpu.blocks_add, .blocks = blocks, .threads = 1, .cooperative = true}, barrier_arguments);
        const bool taken = graphs.run(batch, batch.operations().size(), gpu.stream);
        gpu.driver.expect(gpu.driver.stream_wait(gpu.stream), "cuStreamSynchronize");
        return taken;
    };
    const auto value = [&](const std::byte* at) {
        std::uint64_t read = 0;
        gpu.device->download(&read, at, 8);
        return read;
    };
    std::byte *p = made(0), *q = made(10);
    CHECK_FALSE(iteration(p, q, 1, 2)); // the first run creates no graph
    CHECK(iteration(p, q, 1, 2));
    CHECK(value(p) == 15);
    CHECK(iteration(p, q, 2, 2)); // changes the value of a memory set
    CHECK(value(p) == 18);
    CHECK(iteration(p, q, 2, 4)); // changes the number of blocks
    CHECK(value(p) == 20);
    // Other addresses, also after memory of the graph was freed.
    std::byte* r = made(100);
    gpu.device->release(q);
    gpu.device->trim();
    CHECK(iteration(p, r, 1, 3));
    CHECK(value(p) == 106);
    std::byte* s = made(7);
    gpu.device->release(p);
    gpu.device->trim();
    CHECK(iteration(s, r, 1, 1));
    CHECK(value(s) == 104);
    for (std::byte* block : {r, s}) gpu.device->release(block);
}

TEST_CASE("a fault of a kernel in a graph is reported") {
    const Gpu g;
    std::byte *p = g.number(1), *q = g.number(2);
    for (int iteration = 0; iteration < 2; ++iteration) {
        g.launch(plus, p, q);
        g.launch(plus, p, q);
        g.submit();
    }
    g.launch(plus, p, q);
    g.launch(plus, p, nullptr);
    const auto go_on = [&] {
        g.submit();
        return g.value(p);
    };
    CHECK_THROWS_AS(static_cast<void>(go_on()), Failure);
}
