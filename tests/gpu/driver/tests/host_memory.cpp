#include "tests/gpu/driver/tests/gpu.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <thread>

using namespace pm::ptx;

namespace {

/// Polls the word at `stop` until it is not 0, counts the iterations, and stores the word.
constexpr const char* waits = R"(
.version 8.3
.target sm_80
.address_size 64
.visible .entry k(.param .u64 stop, .param .u64 out)
{
.reg .b64 %x<4>;
.reg .b32 %r<3>;
.reg .pred %p<2>;
ld.param.u64 %x1, [stop];
ld.param.u64 %x2, [out];
mov.u64 %x3, 0;
again:
add.s64 %x3, %x3, 1;
st.global.u64 [%x2+8], %x3;
ld.volatile.global.u32 %r1, [%x1];
setp.eq.s32 %p1, %r1, 0;
@%p1 bra again;
st.global.u32 [%x2], %r1;
ret;
}
)";

} // namespace

TEST_CASE("memory: a kernel sees writes of the host to pinned memory while it runs") {
    Gpu g;
    const CUfunction k = g.function(waits);
    void* host = nullptr;
    REQUIRE(g.cuMemHostAlloc(&host, 64, 2) == CUDA_SUCCESS);
    auto* word = static_cast<std::int32_t*>(host) + 3;
    __atomic_store_n(word, 0, __ATOMIC_RELEASE);
    const CUdeviceptr out = g.memory(16);
    {
        const std::jthread other([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            __atomic_store_n(word, 5, __ATOMIC_RELEASE);
        });
        REQUIRE(g.run(k, 1, 1, {reinterpret_cast<std::uint64_t>(word), out}) == CUDA_SUCCESS);
    }
    CHECK(g.values<std::uint32_t>(out, 1) == std::vector<std::uint32_t>{5});
    CHECK(g.cuMemFree_v2(reinterpret_cast<CUdeviceptr>(host)) == CUDA_ERROR_INVALID_VALUE);
    REQUIRE(g.cuMemFreeHost(host) == CUDA_SUCCESS);
    CHECK(g.run(k, 1, 1, {reinterpret_cast<std::uint64_t>(word), out}) == CUDA_ERROR_ILLEGAL_ADDRESS);
}
