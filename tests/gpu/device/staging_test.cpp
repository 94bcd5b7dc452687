// Transfers through staging memory of the driver.
#include "runtime/gpu/device/device.hpp"
#include "tests/gpu/device/library.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

using namespace pm::runtime;

namespace {

std::vector<std::byte> bytes(std::size_t count, std::uint32_t seed) {
    std::vector<std::byte> made(count);
    for (std::size_t i = 0; i < count; ++i) {
        seed = seed * 1664525 + 1013904223;
        made[i] = static_cast<std::byte>(seed >> 24);
    }
    return made;
}

/// Whether bytes are unchanged after a transfer to the device and back.
bool round_trips(Device& device, std::size_t count, std::uint32_t seed) {
    std::vector<std::byte> sent = bytes(count, seed);
    std::byte* block = device.allocate(count);
    device.upload(block, sent.data(), count);
    std::ranges::fill(sent, std::byte{0}); // upload() has copied the bytes
    std::vector<std::byte> back(count);
    device.download(back.data(), block, count);
    device.release(block);
    return back == bytes(count, seed);
}

} // namespace

TEST_CASE("transfers of all lengths, long ones in pieces") {
    const auto device = open_gpu();
    constexpr std::size_t mega = std::size_t{1} << 20;
    for (const std::size_t count : {std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{100000}, 2 * mega - 1,
                                    2 * mega, 2 * mega + 1, 4 * mega, 6 * mega + 7, 8 * mega, 21 * mega + 5})
        CHECK(round_trips(*device, count, static_cast<std::uint32_t>(count)));
    device->upload(nullptr, nullptr, 0);
    device->download(nullptr, nullptr, 0);
}

PM_TEST_OF_INTERPRETER("small transfers to a device do not wait for earlier ones") {
    const auto device = open_gpu();
    constexpr std::size_t count = 1000;
    std::byte* block = device->allocate(count * 4);
    const long before = PM_CALLS("cuEventSynchronize");
    for (std::uint32_t i = 0; i < 60; ++i) device->upload(block + 4 * i, &i, 4);
    CHECK(PM_CALLS("cuEventSynchronize") == before);
    for (std::uint32_t i = 60; i < count; ++i)
        device->upload(block + 4 * i, &i, 4); // more than can be pending at a time
    CHECK(PM_CALLS("cuEventSynchronize") > before);
    std::vector<std::uint32_t> back(count);
    device->download(back.data(), block, count * 4);
    for (std::uint32_t i = 0; i < count; ++i) CHECK(back[i] == i);
}

TEST_CASE("several threads upload and download at the same time") {
    const auto device = open_gpu();
    std::vector<std::jthread> threads;
    for (std::uint32_t t = 0; t < 4; ++t)
        threads.emplace_back([&device, t] {
            for (std::uint32_t iteration = 0; iteration < 20; ++iteration)
                CHECK(round_trips(*device, (iteration * 331 + t) * 1000 + 1, iteration));
        });
}
