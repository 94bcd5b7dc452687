#include "tests/gpu/driver/tests/gpu.hpp"

#include <doctest/doctest.h>

// Graphs that are built node by node.

using namespace pm::ptx;

namespace {

using Values = std::vector<std::uint64_t>;

/// out[0] += by from the first thread of each block, one block after another.
const std::string adding = R"(
.visible .entry k(.param .u64 out, .param .u64 by)
{
.reg .b64 %x<5>;
ld.param.u64 %x1, [out];
ld.param.u64 %x2, [by];
atom.global.add.u64 %x3, [%x1], %x2;
ret;
}
)";

/// A kernel node with its arguments, which the driver copies.
struct Adding {
    Adding(CUfunction function, CUdeviceptr to, std::uint64_t by, unsigned blocks = 1)
        : out(to), added(by), parameters{function, blocks, 1, 1, 1, 1, 1, 0, pointers, nullptr, nullptr, nullptr} {}
    const CUDA_KERNEL_NODE_PARAMS* get() const { return &parameters; }
    CUdeviceptr out;
    std::uint64_t added;
    void* pointers[2] = {&out, &added};
    CUDA_KERNEL_NODE_PARAMS parameters;
};

CUDA_MEMSET_NODE_PARAMS zeros(CUdeviceptr to, std::size_t words) { return {to, 0, 0, 4, words, 1}; }

CUcontext context(Gpu& g) {
    CUcontext made = nullptr;
    REQUIRE(g.cuCtxGetCurrent(&made) == CUDA_SUCCESS);
    return made;
}

} // namespace

TEST_CASE("nodes: changed parameters affect only the executable graph") {
    Gpu g;
    const CUfunction k = g.function(adding);
    const CUdeviceptr p = g.memory(Values{9, 0}), q = g.memory(Values{7, 0});
    const CUstream s = g.stream();
    CUgraph graph = nullptr;
    CHECK(g.cuGraphCreate(&graph, 1) == CUDA_ERROR_INVALID_VALUE);
    REQUIRE(g.cuGraphCreate(&graph, 0) == CUDA_SUCCESS);
    CUgraphNode set = nullptr, kernel = nullptr, other = nullptr;
    CUDA_MEMSET_NODE_PARAMS clear = zeros(p, 2);
    REQUIRE(g.cuGraphAddMemsetNode(&set, graph, nullptr, 0, &clear, context(g)) == CUDA_SUCCESS);
    {
        const Adding five(k, p, 5); // is destroyed before the graph is launched
        REQUIRE(g.cuGraphAddKernelNode_v2(&kernel, graph, &set, 1, &five.parameters) == CUDA_SUCCESS);
    }
    const CUgraphNode twice[] = {set, set};
    CHECK(g.cuGraphAddKernelNode_v2(&other, graph, twice, 2, Adding(k, p, 5).get()) == CUDA_ERROR_INVALID_VALUE);
    CUgraphExec exec = nullptr, second = nullptr;
    REQUIRE(g.cuGraphInstantiateWithFlags(&exec, graph, 0) == CUDA_SUCCESS);
    REQUIRE(g.cuGraphLaunch(exec, s) == CUDA_SUCCESS);
    CHECK(g.values<std::uint64_t>(p, 1) == Values{5});

    CHECK(g.cuGraphExecKernelNodeSetParams_v2(exec, kernel, Adding(k, q, 6, 3).get()) == CUDA_SUCCESS);
    clear = zeros(q, 2);
    CHECK(g.cuGraphExecMemsetNodeSetParams(exec, set, &clear, context(g)) == CUDA_SUCCESS);
    REQUIRE(g.cuGraphLaunch(exec, s) == CUDA_SUCCESS);
    CHECK(g.values<std::uint64_t>(p, 1) == Values{5});
    CHECK(g.values<std::uint64_t>(q, 1) == Values{18});
    REQUIRE(g.cuGraphInstantiateWithFlags(&second, graph, 0) == CUDA_SUCCESS);
    REQUIRE(g.cuGraphLaunch(second, s) == CUDA_SUCCESS);
    CHECK(g.values<std::uint64_t>(p, 1) == Values{5});
    CHECK(g.values<std::uint64_t>(q, 1) == Values{18});
    CHECK(g.pm_interpreter_calls("cuGraphLaunch") == 3);
}

TEST_CASE("nodes: invalid changes are refused") {
    Gpu g{{"PM_INTERPRETER_DEVICES", "2"}};
    const CUfunction k = g.function(adding);
    const CUdeviceptr p = g.memory(Values{0, 0});
    CUgraph graph = nullptr, another = nullptr;
    REQUIRE(g.cuGraphCreate(&graph, 0) == CUDA_SUCCESS);
    REQUIRE(g.cuGraphCreate(&another, 0) == CUDA_SUCCESS);
    CUgraphNode set = nullptr, kernel = nullptr, foreign = nullptr;
    CUDA_MEMSET_NODE_PARAMS clear = zeros(p, 2);
    CHECK(g.cuGraphAddMemsetNode(&set, graph, nullptr, 0, &clear, nullptr) == CUDA_ERROR_INVALID_CONTEXT);
    REQUIRE(g.cuGraphAddMemsetNode(&set, graph, nullptr, 0, &clear, context(g)) == CUDA_SUCCESS);
    const Adding one(k, p, 1);
    REQUIRE(g.cuGraphAddKernelNode_v2(&kernel, graph, &set, 1, &one.parameters) == CUDA_SUCCESS);
    CHECK(g.cuGraphAddKernelNode_v2(&foreign, another, &set, 1, &one.parameters) == CUDA_ERROR_INVALID_VALUE);
    REQUIRE(g.cuGraphAddKernelNode_v2(&foreign, another, nullptr, 0, &one.parameters) == CUDA_SUCCESS);
    CUgraphExec exec = nullptr;
    REQUIRE(g.cuGraphInstantiateWithFlags(&exec, graph, 0) == CUDA_SUCCESS);

    CHECK(g.cuGraphExecKernelNodeSetParams_v2(exec, foreign, &one.parameters) == CUDA_ERROR_INVALID_VALUE);
    CHECK(g.cuGraphExecKernelNodeSetParams_v2(exec, set, &one.parameters) == CUDA_ERROR_INVALID_VALUE);
    CHECK(g.cuGraphExecMemsetNodeSetParams(exec, kernel, &clear, context(g)) == CUDA_ERROR_INVALID_VALUE);
    clear = zeros(p, 1);
    CHECK(g.cuGraphExecMemsetNodeSetParams(exec, set, &clear, context(g)) == CUDA_ERROR_INVALID_VALUE);
    clear = zeros(p + 12, 2);
    CHECK(g.cuGraphExecMemsetNodeSetParams(exec, set, &clear, context(g)) == CUDA_ERROR_INVALID_VALUE); // too long
    Adding both(k, p, 1);
    both.parameters.extra = both.pointers;
    CHECK(g.cuGraphExecKernelNodeSetParams_v2(exec, kernel, &both.parameters) == CUDA_ERROR_INVALID_VALUE);

    CUcontext own = context(g), second = nullptr;
    REQUIRE(g.cuDevicePrimaryCtxRetain(&second, 1) == CUDA_SUCCESS);
    REQUIRE(g.cuCtxSetCurrent(second) == CUDA_SUCCESS);
    const CUfunction elsewhere = g.function(adding);
    REQUIRE(g.cuCtxSetCurrent(own) == CUDA_SUCCESS);
    CHECK(g.cuGraphExecKernelNodeSetParams_v2(exec, kernel, Adding(elsewhere, p, 1).get()) == CUDA_ERROR_INVALID_VALUE);

    REQUIRE(g.cuGraphDestroy(graph) == CUDA_SUCCESS);
    CHECK(g.cuGraphExecKernelNodeSetParams_v2(exec, kernel, &one.parameters) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("nodes: a cooperative launch with too many blocks is refused") {
    Gpu g;
    const CUfunction k = g.function(adding);
    const CUdeviceptr p = g.memory(Values{0});
    const CUstream s = g.stream();
    CUgraph graph = nullptr;
    REQUIRE(g.cuGraphCreate(&graph, 0) == CUDA_SUCCESS);
    CUgraphNode kernel = nullptr;
    constexpr unsigned too_many = 1U << 12;
    REQUIRE(g.cuGraphAddKernelNode_v2(&kernel, graph, nullptr, 0, Adding(k, p, 1, too_many).get()) == CUDA_SUCCESS);
    CUlaunchAttributeValue launch_attribute{};
    launch_attribute.cooperative = 1;
    CHECK(g.cuGraphKernelNodeSetAttribute(kernel, 1, &launch_attribute) == CUDA_ERROR_INVALID_VALUE);
    CUgraphExec exec = nullptr;
    REQUIRE(g.cuGraphInstantiateWithFlags(&exec, graph, 0) == CUDA_SUCCESS);
    REQUIRE(g.cuGraphLaunch(exec, s) == CUDA_SUCCESS);
    REQUIRE(g.cuGraphKernelNodeSetAttribute(kernel, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &launch_attribute) ==
            CUDA_SUCCESS);
    CHECK(g.cuGraphInstantiateWithFlags(&exec, graph, 0) == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);

    REQUIRE(g.cuGraphCreate(&graph, 0) == CUDA_SUCCESS);
    REQUIRE(g.cuGraphAddKernelNode_v2(&kernel, graph, nullptr, 0, Adding(k, p, 1, 2).get()) == CUDA_SUCCESS);
    REQUIRE(g.cuGraphKernelNodeSetAttribute(kernel, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &launch_attribute) ==
            CUDA_SUCCESS);
    REQUIRE(g.cuGraphInstantiateWithFlags(&exec, graph, 0) == CUDA_SUCCESS);
    CHECK(g.cuGraphExecKernelNodeSetParams_v2(exec, kernel, Adding(k, p, 1, too_many).get()) ==
          CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    CHECK(g.cuGraphExecKernelNodeSetParams_v2(exec, kernel, Adding(k, p, 1, 4).get()) == CUDA_SUCCESS);
    REQUIRE(g.cuGraphLaunch(exec, s) == CUDA_SUCCESS);
    CHECK(g.values<std::uint64_t>(p, 1) == Values{too_many + 4});
}
