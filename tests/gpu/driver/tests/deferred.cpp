// Deferred work: it is done when a call waits for it.
#include "tests/gpu/driver/tests/gpu.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstring>

using namespace pm::ptx;

namespace {

/// A driver in deferring mode, a stream, and 8 bytes of device memory filled with `value`.
struct Deferred {
    Gpu g{{"PM_INTERPRETER_DEFER", "1"}};
    CUstream stream = nullptr;
    CUdeviceptr memory = 0;
    std::uint64_t host = 0;

    explicit Deferred(std::uint64_t value) {
        REQUIRE(g.cuStreamCreate(&stream, 1) == CUDA_SUCCESS);
        REQUIRE(g.cuMemAllocAsync(&memory, sizeof value, stream) == CUDA_SUCCESS);
        bring(value);
        REQUIRE(g.cuStreamSynchronize(stream) == CUDA_SUCCESS);
    }
    void bring(const std::uint64_t& value) {
        REQUIRE(g.cuMemcpyHtoDAsync_v2(memory, &value, sizeof value, stream) == CUDA_SUCCESS);
    }
    void fetch() { REQUIRE(g.cuMemcpyDtoHAsync_v2(&host, memory, sizeof host, stream) == CUDA_SUCCESS); }
    CUevent mark() {
        CUevent made = nullptr;
        REQUIRE(g.cuEventCreate(&made, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS);
        REQUIRE(g.cuEventRecord(made, stream) == CUDA_SUCCESS);
        return made;
    }
};

} // namespace

TEST_CASE("deferred: host memory that is changed or read too early has the wrong contents") {
    Deferred d(1);
    std::uint64_t value = 2;
    d.bring(value);
    value = 3; // too early
    d.fetch();
    CHECK(d.host == 0); // too early
    REQUIRE(d.g.cuStreamSynchronize(d.stream) == CUDA_SUCCESS);
    CHECK(d.host == 3);
}

TEST_CASE("deferred: a wait for an event does only the work before it, and queries make progress") {
    Deferred d(1);
    const std::uint64_t two = 2, three = 3;
    d.bring(two);
    const CUevent first = d.mark();
    d.fetch();
    d.bring(three);
    const CUevent last = d.mark();
    CHECK(d.g.cuEventSynchronize(first) == CUDA_SUCCESS);
    CHECK(d.host == 0);
    CHECK(d.g.cuEventQuery(first) == CUDA_SUCCESS);
    int queries = 1;
    while (d.g.cuEventQuery(last) == CUDA_ERROR_NOT_READY) ++queries;
    CHECK(queries == 3);
    CHECK(d.host == 2);
    CHECK(d.g.cuStreamQuery(d.stream) == CUDA_SUCCESS);
    // A stream waits for an event of another stream.
    CUstream other = nullptr;
    REQUIRE(d.g.cuStreamCreate(&other, 1) == CUDA_SUCCESS);
    d.bring(two);
    REQUIRE(d.g.cuStreamWaitEvent(other, d.mark(), 0) == CUDA_SUCCESS);
    REQUIRE(d.g.cuMemcpyDtoHAsync_v2(&d.host, d.memory, sizeof d.host, other) == CUDA_SUCCESS);
    d.host = 0;
    CHECK(d.g.cuStreamQuery(other) == CUDA_ERROR_NOT_READY);
    CHECK(d.g.cuStreamSynchronize(other) == CUDA_SUCCESS);
    CHECK(d.host == 2);
}

TEST_CASE("deferred: a full stream does its oldest work") {
    Deferred d(7);
    d.fetch();
    for (int i = 1; i < 1024; ++i) REQUIRE(d.g.cuMemsetD32Async(d.memory, 0, 2, d.stream) == CUDA_SUCCESS);
    CHECK(d.host == 0);
    d.mark();
    CHECK(d.host == 7);
}

TEST_CASE("deferred: device memory is freed in the order of the stream, host memory at once") {
    Deferred d(5);
    void* held = nullptr;
    REQUIRE(d.g.cuMemHostAlloc(&held, 8, 0) == CUDA_SUCCESS);
    const std::uint64_t six = 6;
    std::memcpy(held, &six, sizeof six);
    d.fetch();
    REQUIRE(d.g.cuMemFreeAsync(d.memory, d.stream) == CUDA_SUCCESS);
    CHECK(d.g.cuCtxSynchronize() == CUDA_SUCCESS);
    CHECK(d.host == 5);
    CHECK(d.g.cuMemFreeAsync(d.memory, d.stream) == CUDA_ERROR_INVALID_VALUE);
    d.memory = d.g.memory(8);
    REQUIRE(d.g.cuMemcpyHtoDAsync_v2(d.memory, held, 8, d.stream) == CUDA_SUCCESS);
    REQUIRE(d.g.cuMemFreeHost(held) == CUDA_SUCCESS); // too early
    d.fetch();
    CHECK(d.g.cuStreamSynchronize(d.stream) == CUDA_SUCCESS);
    CHECK(d.host == ~std::uint64_t{0});
}

TEST_CASE("deferred: a later call returns the error of deferred work") {
    Deferred d(1);
    const CUdeviceptr freed = d.g.memory(8);
    REQUIRE(d.g.cuMemcpyDtoHAsync_v2(&d.host, freed, 8, d.stream) == CUDA_SUCCESS);
    REQUIRE(d.g.cuMemFree_v2(freed) == CUDA_SUCCESS); // waits for work that could use it
    CHECK(d.g.cuStreamSynchronize(d.stream) == CUDA_SUCCESS);
    CUdeviceptr other = 0;
    CUstream second = nullptr;
    REQUIRE(d.g.cuStreamCreate(&second, 1) == CUDA_SUCCESS);
    REQUIRE(d.g.cuMemAllocAsync(&other, 8, d.stream) == CUDA_SUCCESS);
    REQUIRE(d.g.cuMemcpyDtoHAsync_v2(&d.host, other, 8, d.stream) == CUDA_SUCCESS);
    REQUIRE(d.g.cuMemFreeAsync(other, second) == CUDA_SUCCESS); // nothing orders this after the copy
    CHECK(d.g.cuStreamSynchronize(second) == CUDA_SUCCESS);
    CHECK(d.g.cuStreamSynchronize(d.stream) == CUDA_ERROR_INVALID_VALUE);
}
