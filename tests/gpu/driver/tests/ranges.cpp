#include "tests/gpu/driver/tests/gpu.hpp"

#include <doctest/doctest.h>

using namespace pm::ptx;

namespace {

/// out[i] += 5, for each thread.
const std::string adding_five = R"(
.visible .entry k(.param .u64 out)
{
.reg .b64 %x<5>;
.reg .b32 %r<5>;
ld.param.u64 %x1, [out];
mov.u32 %r1, %tid.x;
mul.wide.u32 %x3, %r1, 8;
add.s64 %x3, %x1, %x3;
ld.global.u64 %x4, [%x3];
add.s64 %x4, %x4, 5;
st.global.u64 [%x3], %x4;
ret;
}
)";

using Values = std::vector<std::uint64_t>;

constexpr std::size_t page = std::size_t{2} << 20;

CUmemAllocationProp memory_of(int device) {
    return {.type = 1,
            .requestedHandleTypes = 0,
            .location = {1, device},
            .win32HandleMetaData = nullptr,
            .allocFlags = {}};
}
CUmemGenericAllocationHandle piece(Gpu& g, std::size_t bytes, int device = 0) {
    const CUmemAllocationProp properties = memory_of(device);
    CUmemGenericAllocationHandle made = 0;
    REQUIRE(g.cuMemCreate(&made, bytes, &properties, 0) == CUDA_SUCCESS);
    return made;
}
CUresult open(Gpu& g, CUdeviceptr address, std::size_t bytes, int device = 0) {
    const CUmemAccessDesc access{{1, device}, 3};
    return g.cuMemSetAccess(address, bytes, &access, 1);
}

} // namespace

TEST_CASE("ranges: pieces of memory are mapped at reserved addresses") {
    Gpu g{{"PM_INTERPRETER_MEMORY", "12000000"}};
    const CUfunction k = g.function(adding_five);
    const CUmemAllocationProp properties = memory_of(0);
    std::size_t granularity = 0;
    CHECK(g.cuMemGetAllocationGranularity(&granularity, &properties, 0) == CUDA_SUCCESS);
    CHECK(granularity == page);
    CUdeviceptr p = 0, none = 0;
    CHECK(g.cuMemAddressReserve(&p, page + 1, 0, 0, 0) == CUDA_ERROR_INVALID_VALUE);
    REQUIRE(g.cuMemAddressReserve(&p, 1000 * page, 0, 0, 0) == CUDA_SUCCESS);
    CHECK(p % page == 0);
    CHECK(g.cuMemsetD8Async(p, 1, 8, nullptr) == CUDA_ERROR_INVALID_VALUE);
    const auto free_bytes = [&] {
        std::size_t left = 0, total = 0;
        CHECK(g.cuMemGetInfo_v2(&left, &total) == CUDA_SUCCESS);
        return left;
    };
    const std::size_t all = free_bytes();
    const auto first = piece(g, 2 * page), second = piece(g, page);
    CHECK(free_bytes() == all - 3 * page);
    CHECK(g.cuMemCreate(&none, 3 * page, &properties, 0) == CUDA_ERROR_OUT_OF_MEMORY);
    CHECK(g.cuMemMap(p + page, 2 * page, 0, first, 0) == CUDA_SUCCESS);
    CHECK(g.cuMemMap(p + 2 * page, page, 0, second, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(g.cuMemMap(p + 3 * page, page, 0, second, 0) == CUDA_SUCCESS);
    CHECK(g.cuMemsetD8Async(p + page, 1, 8, nullptr) == CUDA_ERROR_INVALID_VALUE); // not accessible yet
    CHECK(open(g, p + page, page) == CUDA_ERROR_INVALID_VALUE);
    CHECK(open(g, p + page, 3 * page) == CUDA_SUCCESS);
    CHECK(g.values<std::uint64_t>(p + page, 1) == Values{~0ULL});
    // A transfer across two pieces works.
    const Values across{1, 2, 3, 4};
    g.write(p + 3 * page - 16, across.data(), 32);
    CHECK(g.values<std::uint64_t>(p + 3 * page - 16, 4) == across);
    CHECK(g.run(k, 1, 4, {p + 3 * page - 16}) == CUDA_SUCCESS);
    CHECK(g.values<std::uint64_t>(p + 3 * page - 16, 4) == Values{6, 7, 8, 9});
    CHECK(g.cuMemRelease(first) == CUDA_SUCCESS);
    CHECK(g.cuMemRelease(first) == CUDA_ERROR_INVALID_VALUE);
    CHECK(free_bytes() == all - 3 * page);
    CHECK(g.cuMemAddressFree(p, 1000 * page) == CUDA_ERROR_INVALID_VALUE);
    CHECK(g.cuMemUnmap(p + page, page) == CUDA_ERROR_INVALID_VALUE);
    CHECK(g.cuMemUnmap(p + page, 3 * page) == CUDA_SUCCESS);
    CHECK(free_bytes() == all - page);
    CHECK(g.cuMemRelease(second) == CUDA_SUCCESS);
    CHECK(free_bytes() == all);
    CHECK(g.cuMemAddressFree(p, 1000 * page) == CUDA_SUCCESS);
    CHECK(g.run(k, 1, 1, {p + 3 * page}) == CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_CASE("ranges: devices access only their own memory, and copies between peers name both contexts") {
    Gpu g{{"PM_INTERPRETER_DEVICES", "2"}};
    CUcontext zero = nullptr, one = nullptr;
    CHECK(g.cuCtxGetCurrent(&zero) == CUDA_SUCCESS);
    CHECK(g.cuDevicePrimaryCtxRetain(&one, 1) == CUDA_SUCCESS);
    CUdeviceptr p = 0, q = 0;
    REQUIRE(g.cuMemAddressReserve(&p, page, 0, 0, 0) == CUDA_SUCCESS);
    REQUIRE(g.cuMemMap(p, page, 0, piece(g, page, 1), 0) == CUDA_SUCCESS);
    CHECK(open(g, p, page, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(open(g, p, page, 1) == CUDA_SUCCESS);
    CUmemPoolProps properties{.allocType = 1,
                              .handleTypes = 0,
                              .location = {1, 0},
                              .win32SecurityAttributes = nullptr,
                              .maxSize = 0,
                              .reserved = {}};
    CUmemoryPool pool = nullptr;
    CHECK(g.cuMemPoolCreate(&pool, &properties) == CUDA_SUCCESS);
    CHECK(g.cuMemAllocFromPoolAsync(&q, 16, pool, nullptr) == CUDA_SUCCESS);
    CHECK(g.cuMemsetD32Async(q, 3, 4, nullptr) == CUDA_SUCCESS);
    CHECK(g.cuMemcpyDtoDAsync_v2(p, q, 16, nullptr) == CUDA_ERROR_INVALID_VALUE);
    CHECK(g.cuMemcpyPeerAsync(p, zero, q, one, 16, nullptr) == CUDA_ERROR_INVALID_VALUE);
    CHECK(g.cuMemcpyPeerAsync(p, one, q, nullptr, 16, nullptr) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(g.cuMemcpyPeerAsync(p, one, q, zero, 16, nullptr) == CUDA_SUCCESS);
    CHECK(g.cuMemsetD32Async(p, 3, 1, nullptr) == CUDA_ERROR_INVALID_VALUE);
    CHECK(g.cuCtxSetCurrent(one) == CUDA_SUCCESS);
    CHECK(g.values<std::uint32_t>(p, 4) == std::vector<std::uint32_t>{3, 3, 3, 3});
    CHECK(g.cuMemsetD32Async(q, 3, 1, nullptr) == CUDA_ERROR_INVALID_VALUE);
    CHECK(g.cuDevicePrimaryCtxRelease_v2(1) == CUDA_SUCCESS); // also releases the piece
    CHECK(g.cuCtxSetCurrent(zero) == CUDA_SUCCESS);
    CHECK(g.cuMemUnmap(p, page) == CUDA_ERROR_INVALID_VALUE);
    CHECK(g.cuMemAddressFree(p, page) == CUDA_SUCCESS);
}

TEST_CASE("ranges: access of peers is granted if available, and changes nothing") {
    for (const bool peers : {false, true}) {
        Gpu g{{"PM_INTERPRETER_DEVICES", "2"}, {"PM_INTERPRETER_PEERS", peers ? "1" : "0"}};
        int can = -1;
        CHECK(g.cuDeviceCanAccessPeer(&can, 0, 1) == CUDA_SUCCESS);
        CHECK(can == (peers ? 1 : 0));
        CHECK(g.cuDeviceCanAccessPeer(&can, 0, 0) == CUDA_SUCCESS);
        CHECK(can == 0);
        CHECK(g.cuDeviceCanAccessPeer(&can, 0, 2) == CUDA_ERROR_INVALID_DEVICE);
        CUdeviceptr p = 0;
        REQUIRE(g.cuMemAddressReserve(&p, page, 0, 0, 0) == CUDA_SUCCESS);
        REQUIRE(g.cuMemMap(p, page, 0, piece(g, page, 1), 0) == CUDA_SUCCESS);
        CHECK((open(g, p, page, 0) == CUDA_SUCCESS) == peers);
        CHECK(open(g, p, page, 1) == CUDA_SUCCESS);
        CHECK(g.cuMemsetD8Async(p, 1, 1, nullptr) == CUDA_ERROR_INVALID_VALUE);
        CUmemPoolProps properties{.allocType = 1,
                                  .handleTypes = 0,
                                  .location = {1, 1},
                                  .win32SecurityAttributes = nullptr,
                                  .maxSize = 0,
                                  .reserved = {}};
        CUmemoryPool pool = nullptr;
        REQUIRE(g.cuMemPoolCreate(&pool, &properties) == CUDA_SUCCESS);
        const CUmemAccessDesc other{{1, 0}, 3};
        CHECK((g.cuMemPoolSetAccess(pool, &other, 1) == CUDA_SUCCESS) == peers);
    }
}
