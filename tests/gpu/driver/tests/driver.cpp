#include "tests/gpu/driver/tests/gpu.hpp"

#include <doctest/doctest.h>

#include <string_view>

using namespace pm::ptx;

namespace {

/// out[i] += by, for each thread.
const std::string adding = R"(
.visible .entry k(.param .u64 out, .param .u64 by)
{
.reg .b64 %x<5>;
.reg .b32 %r<5>;
ld.param.u64 %x1, [out];
ld.param.u64 %x2, [by];
mov.u32 %r1, %tid.x;
mul.wide.u32 %x3, %r1, 8;
add.s64 %x3, %x1, %x3;
ld.global.u64 %x4, [%x3];
add.s64 %x4, %x4, %x2;
st.global.u64 [%x3], %x4;
ret;
}
.visible .entry bounded(.param .u64 out) .maxntid 64, 1, 1 .minnctapersm 2
{
.shared .align 4 .b8 own[40000];
ret;
}
)";

using Values = std::vector<std::uint64_t>;

CUevent event(Gpu& g) {
    CUevent made = nullptr;
    REQUIRE(g.cuEventCreate(&made, 0) == CUDA_SUCCESS);
    return made;
}
int attribute(Gpu& g, int which) {
    int value = -1;
    REQUIRE(g.cuDeviceGetAttribute(&value, which, 0) == CUDA_SUCCESS);
    return value;
}
/// Queues the kernel in the stream and does not wait.
void put(Gpu& g, CUfunction k, CUdeviceptr out, std::uint64_t by, CUstream s) {
    void* parameters[] = {&out, &by};
    REQUIRE(g.cuLaunchKernel(k, 1, 1, 1, 2, 1, 1, 0, s, parameters, nullptr) == CUDA_SUCCESS);
}

} // namespace

TEST_CASE("devices: number, version, attributes, names") {
    Gpu g{{"PM_INTERPRETER_DEVICES", "3"}};
    int count = 0, version = 0;
    CHECK(g.cuDeviceGetCount(&count) == CUDA_SUCCESS);
    CHECK(count == 3);
    CHECK(g.cuDriverGetVersion(&version) == CUDA_SUCCESS);
    CHECK(version == 12040);
    CHECK(attribute(g, 75) == 8);
    CHECK(attribute(g, 76) == 0);
    CHECK(attribute(g, 16) == 4);
    CHECK(attribute(g, 10) == 32);
    CHECK(attribute(g, 1) == 1024);
    CHECK(attribute(g, 8) == 49152);
    CHECK(attribute(g, 97) == 166912);
    CHECK(attribute(g, 95) == 1);
    CHECK(attribute(g, 115) == 1);
    char name[64];
    CHECK(g.cuDeviceGetName(name, sizeof name, 2) == CUDA_SUCCESS);
    CHECK(std::string_view(name) == "PTX interpreter");
    CUdevice device = -1;
    CHECK(g.cuDeviceGet(&device, 3) == CUDA_ERROR_INVALID_DEVICE);
    std::size_t bytes = 0;
    CHECK(g.cuDeviceTotalMem_v2(&bytes, 0) == CUDA_SUCCESS);
    CHECK(bytes == std::size_t{4} << 30);
    const char* text = nullptr;
    CHECK(g.cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text) == CUDA_SUCCESS);
    CHECK(std::string_view(text) == "CUDA_ERROR_ILLEGAL_ADDRESS");
    CHECK(g.cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text) == CUDA_SUCCESS);
    CHECK(std::string_view(text) == "out of memory");
    CHECK(g.cuGetErrorName(static_cast<CUresult>(12345), &text) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("devices: none") {
    Gpu g{{"PM_INTERPRETER_DEVICES", "0"}};
    CHECK(g.cuInit(0) == CUDA_ERROR_NO_DEVICE);
    int count = 0;
    CHECK(g.cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED);
}

TEST_CASE("devices: a context must be current, and each has its own memory and functions") {
    Gpu g{{"PM_INTERPRETER_DEVICES", "2"}};
    const CUfunction k = g.function(adding);
    const CUdeviceptr first = g.memory(Values{1, 2});
    CUcontext zero = nullptr, one = nullptr;
    CHECK(g.cuCtxGetCurrent(&zero) == CUDA_SUCCESS);
    CHECK(g.cuDevicePrimaryCtxRetain(&one, 1) == CUDA_SUCCESS);
    CHECK(g.cuCtxSetCurrent(one) == CUDA_SUCCESS);
    const CUdeviceptr second = g.memory(Values{0, 0});
    CHECK(g.run(k, 1, 2, {second, 1}) == CUDA_ERROR_INVALID_CONTEXT);
    // All addresses are in one space: copies work across devices, kernels do not.
    CHECK(g.cuMemcpyDtoDAsync_v2(second, first, 16, nullptr) == CUDA_SUCCESS);
    const CUfunction other = g.function(adding);
    CHECK(g.run(other, 1, 2, {second, 5}) == CUDA_SUCCESS);
    CHECK(g.values<std::uint64_t>(second, 2) == Values{6, 7});
    CHECK(g.run(other, 1, 2, {first, 5}) == CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK(g.cuCtxSetCurrent(zero) == CUDA_SUCCESS);
    CHECK(g.values<std::uint64_t>(first, 2) == Values{1, 2});
    CHECK(g.cuDevicePrimaryCtxRelease_v2(1) == CUDA_SUCCESS);
    CHECK(g.cuCtxSetCurrent(one) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(g.cuCtxSetCurrent(nullptr) == CUDA_SUCCESS);
    CHECK(g.cuCtxSynchronize() == CUDA_ERROR_INVALID_CONTEXT);
}

TEST_CASE("devices: the current contexts of a thread are a stack") {
    Gpu g{{"PM_INTERPRETER_DEVICES", "2"}};
    CUcontext zero = nullptr, one = nullptr, now = nullptr;
    CHECK(g.cuCtxGetCurrent(&zero) == CUDA_SUCCESS);
    CHECK(g.cuDevicePrimaryCtxRetain(&one, 1) == CUDA_SUCCESS);
    CHECK(g.cuCtxPushCurrent_v2(one) == CUDA_SUCCESS);
    CHECK(g.cuCtxGetCurrent(&now) == CUDA_SUCCESS);
    CHECK(now == one);
    CHECK(g.cuCtxPopCurrent_v2(&now) == CUDA_SUCCESS);
    CHECK(now == one);
    CHECK(g.cuCtxGetCurrent(&now) == CUDA_SUCCESS);
    CHECK(now == zero);
    CHECK(g.cuCtxPopCurrent_v2(nullptr) == CUDA_SUCCESS);
    CHECK(g.cuCtxPopCurrent_v2(&now) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(g.cuCtxPushCurrent_v2(nullptr) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(g.cuDevicePrimaryCtxRelease_v2(1) == CUDA_SUCCESS);
    CHECK(g.cuCtxPushCurrent_v2(one) == CUDA_ERROR_INVALID_CONTEXT);
}

TEST_CASE("devices: attributes set by the environment") {
    Gpu g{{"PM_INTERPRETER_ATTRIBUTES", "115:0,16:108"}};
    CHECK(attribute(g, 115) == 0);
    CHECK(attribute(g, 16) == 108);
    CHECK(attribute(g, 95) == 1);
}

TEST_CASE("memory: limits, wrong addresses, freed memory") {
    Gpu g{{"PM_INTERPRETER_MEMORY", "1000"}};
    CUdeviceptr made = 0;
    CHECK(g.cuMemAlloc_v2(&made, 1001) == CUDA_ERROR_OUT_OF_MEMORY);
    CHECK(g.cuMemAlloc_v2(&made, 0) == CUDA_ERROR_INVALID_VALUE);
    const CUdeviceptr p = g.memory(600);
    std::size_t left = 0, total = 0;
    CHECK(g.cuMemGetInfo_v2(&left, &total) == CUDA_SUCCESS);
    CHECK(left == 400);
    CHECK(total == 1000);
    CHECK(g.cuMemAllocAsync(&made, 500, nullptr) == CUDA_ERROR_OUT_OF_MEMORY);
    char bytes[600];
    CHECK(g.cuMemcpyDtoHAsync_v2(bytes, p, 601, nullptr) == CUDA_ERROR_INVALID_VALUE);
    CHECK(g.cuMemcpyDtoHAsync_v2(bytes, p + 1, 599, nullptr) == CUDA_SUCCESS);
    CHECK(g.cuMemcpyHtoDAsync_v2(p, reinterpret_cast<void*>(p), 8, nullptr) == CUDA_ERROR_INVALID_VALUE);
    CHECK(g.cuMemcpyHtoDAsync_v2(reinterpret_cast<CUdeviceptr>(bytes), bytes, 8, nullptr) == CUDA_ERROR_INVALID_VALUE);
    CHECK(g.cuMemsetD32Async(p + 2, 1, 1, nullptr) == CUDA_ERROR_INVALID_VALUE);
    CHECK(g.cuMemFree_v2(p + 256) == CUDA_ERROR_INVALID_VALUE);
    CHECK(g.cuMemFreeAsync(p, nullptr) == CUDA_SUCCESS);
    CHECK(g.cuMemFree_v2(p) == CUDA_ERROR_INVALID_VALUE);
    CHECK(g.cuMemcpyDtoHAsync_v2(bytes, p, 8, nullptr) == CUDA_ERROR_INVALID_VALUE);
    CHECK(g.memory(1000) != p);
}

TEST_CASE("memory: a pool counts its own allocations only") {
    Gpu g;
    CUmemPoolProps properties{.allocType = 1,
                              .handleTypes = 0,
                              .location = {1, 0},
                              .win32SecurityAttributes = nullptr,
                              .maxSize = 0,
                              .reserved = {}};
    CUmemoryPool pool = nullptr;
    CHECK(g.cuMemPoolCreate(&pool, &properties) == CUDA_SUCCESS);
    const auto used = [&] {
        std::uint64_t bytes = 99;
        CHECK(g.cuMemPoolGetAttribute(pool, 7, &bytes) == CUDA_SUCCESS);
        return bytes;
    };
    CHECK(used() == 0);
    CUdeviceptr first = 0, second = 0;
    CHECK(g.cuMemAllocFromPoolAsync(&first, 100, pool, nullptr) == CUDA_SUCCESS);
    CHECK(g.cuMemAllocAsync(&second, 50, nullptr) == CUDA_SUCCESS);
    CHECK(used() == 100);
    CHECK(g.cuMemFreeAsync(first, nullptr) == CUDA_SUCCESS);
    CHECK(g.cuMemFreeAsync(second, nullptr) == CUDA_SUCCESS);
    CHECK(used() == 0);
    CHECK(g.cuMemPoolDestroy(pool) == CUDA_SUCCESS);
    CHECK(g.cuMemAllocFromPoolAsync(&first, 100, pool, nullptr) == CUDA_ERROR_INVALID_VALUE);
    CHECK(g.cuMemPoolDestroy(pool) == CUDA_ERROR_INVALID_VALUE);
    properties.location.id = 7;
    CHECK(g.cuMemPoolCreate(&pool, &properties) == CUDA_ERROR_INVALID_DEVICE);
}

TEST_CASE("memory: pools, host memory, sets") {
    Gpu g;
    CUmemoryPool pool = nullptr;
    std::uint64_t most = ~0ULL;
    CHECK(g.cuDeviceGetDefaultMemPool(&pool, 0) == CUDA_SUCCESS);
    CHECK(g.cuMemPoolSetAttribute(pool, 4, &most) == CUDA_SUCCESS);
    CHECK(g.cuMemPoolTrimTo(pool, 0) == CUDA_SUCCESS);
    CHECK(g.cuMemPoolTrimTo(nullptr, 0) == CUDA_ERROR_INVALID_VALUE);
    void* host = nullptr;
    CHECK(g.cuMemHostAlloc(&host, 16, 0) == CUDA_SUCCESS);
    const CUdeviceptr p = g.memory(16);
    CHECK(g.cuMemsetD8Async(p, 7, 16, nullptr) == CUDA_SUCCESS);
    CHECK(g.cuMemsetD32Async(p + 4, 9, 2, nullptr) == CUDA_SUCCESS);
    g.read(host, p, 16);
    const auto* words = static_cast<std::uint32_t*>(host);
    CHECK(words[0] == 0x0707'0707);
    CHECK(words[1] == 9);
    CHECK(words[2] == 9);
    CHECK(words[3] == 0x0707'0707);
    CHECK(g.cuMemFreeHost(host) == CUDA_SUCCESS);
    CHECK(g.cuMemFreeHost(host) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("errors: the fault of a kernel stays with the context") {
    for (const auto& [address, error] :
         {std::pair<std::uint64_t, CUresult>{16, CUDA_ERROR_ILLEGAL_ADDRESS}, {4, CUDA_ERROR_MISALIGNED_ADDRESS}}) {
        Gpu g;
        const CUfunction k = g.function(adding);
        const CUdeviceptr p = g.memory(Values{1, 2});
        put(g, k, p + address, 1, nullptr); // the launch itself does not wait
        CHECK(g.cuCtxSynchronize() == error);
        CUdeviceptr other = 0;
        CHECK(g.cuMemAlloc_v2(&other, 8) == error);
        CHECK(g.cuStreamSynchronize(nullptr) == error);
        CHECK(g.run(k, 1, 1, {p, 1}) == error);
        CHECK(g.cuDevicePrimaryCtxRelease_v2(0) == CUDA_SUCCESS);
        // A new context has no error.
        CUcontext context = nullptr;
        CHECK(g.cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS);
        CHECK(g.cuMemAlloc_v2(&other, 8) == CUDA_SUCCESS);
    }
    Gpu g{{"CUDA_LAUNCH_BLOCKING", "1"}};
    std::uint64_t nowhere = 8;
    void* parameters[] = {&nowhere, &nowhere};
    CHECK(g.cuLaunchKernel(g.function(adding), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr) ==
          CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_CASE("errors: kernels cannot access memory of the host, or freed memory") {
    Gpu g;
    std::uint64_t value = 0;
    const CUfunction k = g.function(adding);
    CHECK(g.run(k, 1, 1, {reinterpret_cast<std::uint64_t>(&value), 1}) == CUDA_ERROR_ILLEGAL_ADDRESS);
    Gpu other;
    const CUfunction again = other.function(adding);
    const CUdeviceptr p = other.memory(Values{1, 2});
    CHECK(other.run(again, 1, 2, {p, 1}) == CUDA_SUCCESS);
    CHECK(other.cuMemFree_v2(p) == CUDA_SUCCESS);
    CHECK(other.run(again, 1, 2, {p, 1}) == CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_CASE("errors: failures set by the environment") {
    Gpu g{{"PM_INTERPRETER_FAIL", "cuMemAlloc_v2:2:2,cuStreamCreate:1:999"}};
    CUdeviceptr p = 0;
    CUstream s = nullptr;
    CHECK(g.cuMemAlloc_v2(&p, 8) == CUDA_SUCCESS);
    CHECK(g.cuMemAlloc_v2(&p, 8) == CUDA_ERROR_OUT_OF_MEMORY);
    CHECK(g.cuMemAlloc_v2(&p, 8) == CUDA_SUCCESS);
    CHECK(g.cuStreamCreate(&s, 0) == CUDA_ERROR_UNKNOWN);
    CHECK(g.cuStreamCreate(&s, 0) == CUDA_SUCCESS);
}

TEST_CASE("launches: limits of blocks, threads and shared memory") {
    Gpu g;
    const CUmodule module = g.load(adding);
    CUfunction k = nullptr, bounded = nullptr;
    CHECK(g.cuModuleGetFunction(&k, module, "none") == CUDA_ERROR_NOT_FOUND);
    REQUIRE(g.cuModuleGetFunction(&k, module, "k") == CUDA_SUCCESS);
    REQUIRE(g.cuModuleGetFunction(&bounded, module, "bounded") == CUDA_SUCCESS);
    const CUdeviceptr p = g.memory(8 * 1024);
    CHECK(g.run(k, 0, 1, {p, 1}) == CUDA_ERROR_INVALID_VALUE);
    CHECK(g.run(k, 1, 0, {p, 1}) == CUDA_ERROR_INVALID_VALUE);
    CHECK(g.run(k, 1, 1025, {p, 1}) == CUDA_ERROR_INVALID_VALUE);
    CHECK(g.run(k, 1, 1024, {p, 1}) == CUDA_SUCCESS);
    CHECK(g.run(bounded, 1, 65, {p}) == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    CHECK(g.run(bounded, 1, 64, {p}, nullptr, 20000) == CUDA_ERROR_INVALID_VALUE);
    CHECK(g.cuFuncSetAttribute(bounded, 8, 130000) == CUDA_ERROR_INVALID_VALUE);
    CHECK(g.cuFuncSetAttribute(bounded, 8, 100000) == CUDA_SUCCESS);
    CHECK(g.run(bounded, 1, 64, {p}, nullptr, 100000) == CUDA_SUCCESS);
    int value = 0;
    CHECK(g.cuFuncGetAttribute(&value, 1, bounded) == CUDA_SUCCESS);
    CHECK(value == 40000);
    CHECK(g.cuFuncGetAttribute(&value, 0, bounded) == CUDA_SUCCESS);
    CHECK(value == 64);
    CHECK(g.cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, bounded, 64, 0) == CUDA_SUCCESS);
    CHECK(value == 4);
    CHECK(g.cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, k, 1024, 0) == CUDA_SUCCESS);
    CHECK(value == 2);
    CHECK(g.cuModuleUnload(module) == CUDA_SUCCESS);
    CHECK(g.run(k, 1, 1, {p, 1}) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(g.cuModuleUnload(module) == CUDA_ERROR_INVALID_HANDLE);
}

TEST_CASE("streams and events") {
    Gpu g;
    const CUstream s = g.stream();
    const CUevent before = event(g), after = event(g);
    float time = 0;
    CHECK(g.cuEventElapsedTime(&time, before, after) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(g.cuEventRecord(before, s) == CUDA_SUCCESS);
    CHECK(g.cuEventRecord(after, s) == CUDA_SUCCESS);
    CHECK(g.cuStreamWaitEvent(nullptr, after, 0) == CUDA_SUCCESS);
    CHECK(g.cuEventSynchronize(after) == CUDA_SUCCESS);
    CHECK(g.cuEventQuery(before) == CUDA_SUCCESS);
    CHECK(g.cuEventElapsedTime(&time, before, after) == CUDA_SUCCESS);
    CHECK(time >= 0);
    CHECK(g.cuStreamQuery(s) == CUDA_SUCCESS);
    CHECK(g.cuEventDestroy_v2(after) == CUDA_SUCCESS);
    CHECK(g.cuEventQuery(after) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(g.cuStreamDestroy_v2(s) == CUDA_SUCCESS);
    CHECK(g.cuStreamSynchronize(s) == CUDA_ERROR_INVALID_HANDLE);
}

TEST_CASE("graphs: captured work runs at each launch of the graph") {
    Gpu g;
    const CUfunction k = g.function(adding);
    const CUdeviceptr p = g.memory(Values{0, 0}), q = g.memory(Values{0, 0});
    const CUstream s = g.stream();
    const auto capture = [&](std::uint64_t by, bool longer) {
        REQUIRE(g.cuStreamBeginCapture_v2(s, 0) == CUDA_SUCCESS);
        put(g, k, p, by, s);
        if (longer) REQUIRE(g.cuMemsetD8Async(q, 0, 16, s) == CUDA_SUCCESS);
        REQUIRE(g.cuMemcpyDtoDAsync_v2(q, p, 16, s) == CUDA_SUCCESS);
        CUgraph graph = nullptr;
        REQUIRE(g.cuStreamEndCapture(s, &graph) == CUDA_SUCCESS);
        return graph;
    };
    const CUgraph graph = capture(3, false);
    CHECK(g.values<std::uint64_t>(p, 2) == Values{0, 0});
    CUgraphExec exec = nullptr;
    REQUIRE(g.cuGraphInstantiateWithFlags(&exec, graph, 0) == CUDA_SUCCESS);
    CHECK(g.cuGraphDestroy(graph) == CUDA_SUCCESS);
    CHECK(g.cuGraphLaunch(exec, s) == CUDA_SUCCESS);
    CHECK(g.cuGraphLaunch(exec, s) == CUDA_SUCCESS);
    CHECK(g.values<std::uint64_t>(q, 2) == Values{6, 6});
    CUgraphExecUpdateResultInfo info{};
    CHECK(g.cuGraphExecUpdate_v2(exec, capture(10, false), &info) == CUDA_SUCCESS);
    CHECK(g.cuGraphLaunch(exec, s) == CUDA_SUCCESS);
    CHECK(g.values<std::uint64_t>(q, 2) == Values{16, 16});
    CHECK(g.cuGraphExecUpdate_v2(exec, capture(10, true), &info) == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    CHECK(info.result == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    CHECK(g.cuGraphExecDestroy(exec) == CUDA_SUCCESS);
    CHECK(g.cuGraphLaunch(exec, s) == CUDA_ERROR_INVALID_HANDLE);
}

TEST_CASE("graphs: streams join a capture by events, and must rejoin the origin") {
    Gpu g;
    const CUfunction k = g.function(adding);
    const CUdeviceptr p = g.memory(Values{0, 0});
    const CUstream s = g.stream(), other = g.stream();
    const CUevent fork = event(g), joined = event(g);
    CUgraph graph = nullptr;
    for (const bool back : {true, false}) {
        REQUIRE(g.cuStreamBeginCapture_v2(s, 0) == CUDA_SUCCESS);
        put(g, k, p, 1, s);
        CHECK(g.cuEventRecord(fork, s) == CUDA_SUCCESS);
        CHECK(g.cuStreamWaitEvent(other, fork, 0) == CUDA_SUCCESS);
        CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
        CHECK(g.cuStreamIsCapturing(other, &status) == CUDA_SUCCESS);
        CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
        put(g, k, p, 10, other);
        CHECK(g.cuEventRecord(joined, other) == CUDA_SUCCESS);
        if (back) CHECK(g.cuStreamWaitEvent(s, joined, 0) == CUDA_SUCCESS);
        CHECK(g.cuStreamEndCapture(s, &graph) == (back ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNJOINED));
        if (!back) continue;
        CUgraphExec exec = nullptr;
        REQUIRE(g.cuGraphInstantiateWithFlags(&exec, graph, 0) == CUDA_SUCCESS);
        CHECK(g.cuGraphLaunch(exec, other) == CUDA_SUCCESS);
        CHECK(g.values<std::uint64_t>(p, 2) == Values{11, 11});
    }
    put(g, k, p, 1, other);
    CHECK(g.values<std::uint64_t>(p, 2) == Values{12, 12});
}

TEST_CASE("graphs: a forbidden call during a capture invalidates the capture") {
    Gpu g;
    const CUfunction k = g.function(adding);
    const CUdeviceptr p = g.memory(Values{0, 0});
    const CUstream s = g.stream();
    const CUevent e = event(g);
    const auto breaks = [&](auto call, CUresult expected) {
        REQUIRE(g.cuStreamBeginCapture_v2(s, 0) == CUDA_SUCCESS);
        put(g, k, p, 1, s);
        REQUIRE(g.cuEventRecord(e, s) == CUDA_SUCCESS);
        CHECK(call() == expected);
        CUgraph graph = nullptr;
        CHECK(g.cuStreamEndCapture(s, &graph) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
        CHECK(graph == nullptr);
    };
    CUdeviceptr made = 0;
    std::uint64_t word = 0;
    breaks([&] { return g.cuStreamSynchronize(s); }, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    breaks([&] { return g.cuStreamQuery(s); }, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    breaks([&] { return g.cuCtxSynchronize(); }, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    breaks([&] { return g.cuMemAlloc_v2(&made, 8); }, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    breaks([&] { return g.cuMemFree_v2(p); }, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    breaks([&] { return g.cuMemAllocAsync(&made, 8, s); }, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    breaks([&] { return g.cuMemcpyDtoHAsync_v2(&word, p, 8, nullptr); }, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    breaks([&] { return g.cuEventSynchronize(e); }, CUDA_ERROR_CAPTURED_EVENT);
    CHECK(g.values<std::uint64_t>(p, 2) == Values{0, 0});
    CUgraph graph = nullptr;
    CHECK(g.cuStreamEndCapture(s, &graph) == CUDA_ERROR_INVALID_VALUE);
    // A relaxed capture permits allocations.
    REQUIRE(g.cuStreamBeginCapture_v2(s, 2) == CUDA_SUCCESS);
    CHECK(g.cuMemAlloc_v2(&made, 8) == CUDA_SUCCESS);
    CHECK(g.cuCtxSynchronize() == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    CHECK(g.cuStreamEndCapture(s, &graph) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_CASE("streams: a stream waits for events of another device, but records only its own") {
    Gpu g{{"PM_INTERPRETER_DEVICES", "2"}};
    const CUstream here = g.stream();
    const CUevent mark = event(g);
    CUcontext one = nullptr;
    CHECK(g.cuDevicePrimaryCtxRetain(&one, 1) == CUDA_SUCCESS);
    CHECK(g.cuCtxPushCurrent_v2(one) == CUDA_SUCCESS);
    const CUstream there = g.stream();
    CHECK(g.cuEventRecord(mark, there) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(g.cuEventRecord(mark, here) == CUDA_SUCCESS);
    CHECK(g.cuStreamWaitEvent(there, mark, 0) == CUDA_SUCCESS);
    CHECK(g.cuStreamWaitEvent(there, event(g), 0) == CUDA_SUCCESS);
}
