// Two GPUs that do not have memory for all that both read, and two threads that have them compute: on the driver that
// interprets PTX, with the stand-in of cuFFT.
#include "runtime/gpu/device.hpp"
#include "runtime/gpu/transforms.hpp"
#include "tests/gpu/device/library.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <complex>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

using namespace pm::runtime;

namespace {

constexpr FourierSpec spec{.rows = 32768, .n = 8};
constexpr std::int64_t arrays = 6;
using Numbers = std::vector<std::complex<float>>;

/// Of each row the first is `value`, and the others are 0: the transform has it everywhere.
Numbers impulses(float value) {
    Numbers made(static_cast<std::size_t>(spec.rows * spec.n));
    for (std::size_t i = 0; i < made.size(); i += static_cast<std::size_t>(spec.n)) made[i] = value;
    return made;
}

/// How many of the transforms were wrong, of a thread that asks one of the GPUs.
int wrong_transforms(const std::shared_ptr<Device>& device, std::int64_t lane, const std::vector<std::byte*>& given) {
    Device& gpu = device->of_lane(lane, 2);
    std::mt19937 random(static_cast<unsigned>(lane));
    int wrong = 0;
    for (int turn = 0; turn < 40; ++turn) {
        const auto i = random() % given.size();
        const DeviceScratch out(device, spec.bytes());
        void* buffers[] = {given[i], out.data()};
        Numbers found(static_cast<std::size_t>(spec.rows * spec.n));
        if (!gpu.transforms()->run(spec, buffers, [] { return false; })) ++wrong;
        gpu.download(found.data(), out.data(), spec.bytes());
        if (found != Numbers(found.size(), static_cast<float>(i + 1))) ++wrong;
        gpu.download(found.data(), given[i], spec.bytes());
        if (found != impulses(static_cast<float>(i + 1))) ++wrong;
    }
    return wrong;
}

} // namespace

// Each has seven pages of 2 MB, and needs two of them and one for the library, three for arrays that it alone may have,
// and one that the other uses at the time.
TEST_CASE("full GPUs: two threads use what does not fit into either" *
          doctest::skip(std::getenv("PM_INTERPRETER_MEMORY") == nullptr)) {
    const auto device = open_gpu(2);
    REQUIRE(device->is_several());
    if (!is_there(device->transforms(), "cuFFT")) return;
    REQUIRE(device->memory() < static_cast<std::size_t>(2 * (arrays + 2)) * spec.bytes());
    std::vector<std::byte*> given;
    for (std::int64_t i = 0; i < arrays; ++i) {
        given.push_back(device->allocate(spec.bytes()));
        device->of_lane(i, arrays).upload(given.back(), impulses(static_cast<float>(i + 1)).data(), spec.bytes());
    }
    std::atomic<int> wrong = 0;
    {
        std::vector<std::jthread> threads;
        for (const std::int64_t lane : {0, 1})
            threads.emplace_back([&, lane] { wrong += wrong_transforms(device, lane, given); });
    }
    CHECK(wrong == 0);
    for (std::byte* one : given) device->release(one);
}
