// The runtime's device for NVIDIA's driver, on the driver that interprets PTX.
#include "runtime/gpu/device/device.hpp"
#include "tests/gpu/device/library.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

using namespace pm::runtime;

namespace {

CUcontext current() {
    CUcontext context = nullptr;
    CHECK(PM_OF_DRIVER(cuCtxGetCurrent)(&context) == CUDA_SUCCESS);
    return context;
}

} // namespace

TEST_CASE("a host's context stays current in its thread") {
    const auto device = open_gpu();
    CHECK(current() == nullptr);
    CUcontext own = nullptr;
    REQUIRE(PM_OF_DRIVER(cuDevicePrimaryCtxRetain)(&own, 0) == CUDA_SUCCESS);
    for (CUcontext mine : {CUcontext(nullptr), own}) {
        REQUIRE(PM_OF_DRIVER(cuCtxSetCurrent)(mine) == CUDA_SUCCESS);
        std::byte* block = device->allocate(8);
        device->store(block, 42, 8);
        std::uint64_t read = 0;
        device->download(&read, block, 8);
        CHECK(read == 42);
        CHECK(device->free_memory() < device->memory());
        device->release(block);
        device->wait();
        CHECK(current() == mine);
        CHECK_THROWS(device->load("no PTX", 1));
        CHECK(current() == mine);
        CHECK_THROWS(device->allocate(std::size_t{1} << 50));
        CHECK(current() == mine);
        std::jthread([&] {
            device->wait();
            CHECK(current() == nullptr);
        }).join();
    }
    REQUIRE(PM_OF_DRIVER(cuCtxSetCurrent)(nullptr) == CUDA_SUCCESS);
    REQUIRE(PM_OF_DRIVER(cuDevicePrimaryCtxRelease_v2)(0) == CUDA_SUCCESS);
}

TEST_CASE("the memory pool of a device is freed with the device") {
    std::size_t before = 0;
    {
        const auto device = open_gpu();
        before = device->free_memory();
        std::byte* block = device->allocate(1000);
        CHECK(device->free_memory() <= before);
        device->release(block);
        device->wait();
        PM_CHECK_INTERPRETED(device->free_memory() == before);
    }
    const auto device = open_gpu();
    PM_CHECK_INTERPRETED(device->free_memory() == before); // the first device has freed all its memory
}

// With deferred work, an operation that does not wait for the other GPU runs before that GPU's work.
TEST_CASE("two GPUs: each reads arrays that the other has computed" *
          doctest::skip(std::getenv("PM_INTERPRETER_DEFER") == nullptr)) {
    const auto device = open_gpu(2);
    REQUIRE(device->is_several());
    constexpr std::size_t bytes = 1000;
    const std::vector<unsigned char> values(bytes, 7);
    const DeviceScratch made(device, bytes), there(device, bytes), back(device, bytes);
    Device &one = device->of_lane(0, 2), &other = device->of_lane(1, 2);
    one.upload(made.data(), values.data(), bytes);
    other.copy(there.data(), made.data(), bytes);
    one.clear(made.data(), bytes); // the copy has the value from before
    one.copy(back.data(), there.data(), bytes);
    std::vector<unsigned char> found(bytes);
    for (const std::byte* at : {back.data(), there.data()}) {
        one.download(found.data(), at, bytes);
        CHECK(found == values);
    }
    one.download(found.data(), made.data(), bytes);
    CHECK(found == std::vector<unsigned char>(bytes, 0));
}
