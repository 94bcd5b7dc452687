// What the runtime asks of the driver's graphs, and that the driver gives it: where it refuses one nobody is told, and
// all is slower.
#include "runtime/gpu/device.hpp"
#include "runtime/gpu/graphs.hpp"
#include "tests/gpu/device/library.hpp"

#include <array>
#include <cstdint>

using namespace pm::runtime;
using namespace pm::runtime::cuda;

namespace {

/// unit_0: p = 3 p + q; unit_1: each of the blocks, which could wait for each other, adds q to p.
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
.reg .b64 %x<5>;
ld.param.u64 %x1, [p];
ld.param.u64 %x2, [q];
ld.global.u64 %x3, [%x2];
atom.global.add.u64 %x4, [%x1], %x3;
ret;
}
)";

/// The primary context, where the device of the runtime is too, with a stream and kernels.
class Opened {
  public:
    Opened() {
        driver.expect(driver.context_retain(&context, 0), "cuDevicePrimaryCtxRetain");
        driver.expect(driver.context_push(context), "cuCtxPushCurrent");
        driver.expect(driver.stream_create(&stream, stream_non_blocking), "cuStreamCreate");
        driver.expect(driver.module_load(&module_, source, 0, nullptr, nullptr), "cuModuleLoadDataEx");
        driver.expect(driver.module_function(&thrice, module_, "unit_0"), "cuModuleGetFunction");
        driver.expect(driver.module_function(&blocks_add, module_, "unit_1"), "cuModuleGetFunction");
    }
    ~Opened() {
        void* popped = nullptr;
        static_cast<void>(driver.stream_wait(stream));
        static_cast<void>(driver.module_unload(module_));
        static_cast<void>(driver.stream_destroy(stream));
        static_cast<void>(driver.context_pop(&popped));
        static_cast<void>(driver.context_release(0));
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;

    std::shared_ptr<Device> device = open_gpu(); // it makes the driver ready
    Driver driver;
    void* context = nullptr;
    void* stream = nullptr;
    void* thrice = nullptr;
    void* blocks_add = nullptr;

  private:
    void* module_ = nullptr;
};

std::uint64_t number(const std::byte* at) { return reinterpret_cast<std::uintptr_t>(at); }

} // namespace

TEST_CASE(
    "the driver takes graphs: kernels, blocks that may wait for each other, memory, and what is changed of them") {
    const Opened gpu;
    Graphs graphs(gpu.driver, gpu.context);
    const auto made = [&](std::uint64_t value) {
        std::byte* at = gpu.device->allocate(8);
        gpu.device->upload(at, &value, 8);
        gpu.device->wait();
        return at;
    };
    // to = 3 * value + from, and `from` once more for each of the blocks. A byte and words are set, as the device does.
    const auto turn = [&](std::byte* to, std::byte* from, unsigned value, unsigned blocks) {
        Batch batch;
        const std::array<std::uint64_t, 2> low{number(to), value}, high{number(to) + 4, 0},
            both{number(to), number(from)}, last{number(to) + 7, 0};
        batch.add({.blocks = 1, .threads = 4}, low);
        batch.add({.blocks = 1, .threads = 4}, high);
        batch.add({.blocks = 1, .threads = 1}, last);
        batch.add({.function = gpu.thrice, .blocks = 1, .threads = 1}, both);
        batch.add({.function = gpu.blocks_add, .blocks = blocks, .threads = 1, .together = true}, both);
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
    CHECK_FALSE(turn(p, q, 1, 2)); // not the first time
    CHECK(turn(p, q, 1, 2));
    CHECK(value(p) == 33);
    CHECK(turn(p, q, 2, 2)); // memory is set to another value
    CHECK(value(p) == 36);
    CHECK(turn(p, q, 2, 4)); // another number of blocks
    CHECK(value(p) == 56);
    // Other memory, also such as was given back in the meantime.
    std::byte* r = made(100);
    gpu.device->release(q);
    gpu.device->trim();
    CHECK(turn(p, r, 1, 3));
    CHECK(value(p) == 403);
    std::byte* s = made(7);
    gpu.device->release(p);
    gpu.device->trim();
    CHECK(turn(s, r, 1, 1));
    CHECK(value(s) == 203);
    for (std::byte* block : {r, s}) gpu.device->release(block);
}
