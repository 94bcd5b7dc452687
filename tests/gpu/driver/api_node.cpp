#include "tests/gpu/driver/state.hpp"

#include <algorithm>

// Graphs that are built node by node, and changes of instantiated ones.

using namespace pm::ptx;

namespace {

template <class F>
CUresult with_graph(CUgraph handle, const F& f) {
    for (const auto& device : driver().devices)
        if (Graph* found = device->graphs.find(handle)) return f(*found);
    return CUDA_ERROR_INVALID_VALUE;
}

const NodePlace* place_of(CUgraphNode handle) {
    for (const auto& device : driver().devices)
        for (const auto& [_, graph] : device->graphs)
            for (const auto& place : graph->places)
                if (reinterpret_cast<CUgraphNode>(place.get()) == handle) return place.get();
    return nullptr;
}

/// Adds a node after its dependencies, which must be distinct nodes of the graph.
CUresult add(Graph& graph, CUgraphNode* handle, const CUgraphNode* dependencies, std::size_t count, Node node) {
    if (!handle || (count > 0 && !dependencies)) return CUDA_ERROR_INVALID_VALUE;
    for (std::size_t n = 0; n < count; ++n) {
        const NodePlace* place = place_of(dependencies[n]);
        if (!place || place->graph != &graph || !node.after.insert(place->number).second)
            return CUDA_ERROR_INVALID_VALUE;
    }
    graph.places.push_back(std::make_unique<NodePlace>(NodePlace{&graph, graph.nodes.size()}));
    graph.nodes.push_back(std::move(node));
    *handle = reinterpret_cast<CUgraphNode>(graph.places.back().get());
    return CUDA_SUCCESS;
}

CUresult kernel_of(Context& context, const CUDA_KERNEL_NODE_PARAMS* p, bool cooperative, KernelCall& made) {
    if (!p || !p->func || p->kern || (p->kernelParams && p->extra) || (p->extra && cooperative))
        return CUDA_ERROR_INVALID_VALUE;
    const LaunchShape shape{{p->gridDimX, p->gridDimY, p->gridDimZ},
                            {p->blockDimX, p->blockDimY, p->blockDimZ},
                            p->sharedMemBytes,
                            cooperative};
    return prepare(context, p->func, shape, p->kernelParams, p->extra, made);
}

CUresult set_of(Context& context, const CUDA_MEMSET_NODE_PARAMS* p, CUcontext handle, MemorySet& made) {
    if (reinterpret_cast<Context*>(handle) != &context) return CUDA_ERROR_INVALID_CONTEXT;
    // Several rows are not supported.
    if (!p || p->height != 1) return CUDA_ERROR_INVALID_VALUE;
    made = {p->dst, p->value, p->elementSize, p->width, &context};
    return check_set(made);
}

/// The node of an executable graph that corresponds to a node of its source graph. Null if there is none.
Node* node_of(CUgraphExec handle, CUgraphNode node) {
    const NodePlace* place = place_of(node);
    for (const auto& device : driver().devices)
        if (GraphExec* exec = device->execs.find(handle);
            exec && place && exec->graph == place->graph->number && place->number < exec->nodes.size())
            return &exec->nodes[place->number];
    return nullptr;
}

} // namespace

CUresult cuGraphCreate(CUgraph* graph, unsigned flags) {
    return call_in_context("cuGraphCreate", [&](Context& context) {
        if (!graph || flags != 0) return CUDA_ERROR_INVALID_VALUE;
        auto made = std::make_unique<Graph>();
        made->context = &context;
        made->number = ++driver().graphs_made;
        *graph = reinterpret_cast<CUgraph>(context.graphs.add(std::move(made)));
        return CUDA_SUCCESS;
    });
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, std::size_t count,
                                 const CUDA_KERNEL_NODE_PARAMS* parameters) {
    return call_in_context("cuGraphAddKernelNode_v2", [&](Context& context) {
        return with_graph(graph, [&](Graph& into) {
            KernelCall made;
            const CUresult checked = kernel_of(context, parameters, false, made);
            if (checked != CUDA_SUCCESS) return checked;
            return add(into, node, dependencies, count, {work_of(made), {}, made, {}});
        });
    });
}

CUresult cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, std::size_t count,
                              const CUDA_MEMSET_NODE_PARAMS* parameters, CUcontext handle) {
    return call_in_context("cuGraphAddMemsetNode", [&](Context& context) {
        return with_graph(graph, [&](Graph& into) {
            MemorySet made;
            const CUresult checked = set_of(context, parameters, handle, made);
            if (checked != CUDA_SUCCESS) return checked;
            return add(into, node, dependencies, count, {work_of(made), {}, {}, made});
        });
    });
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUlaunchAttributeID attribute,
                                       const CUlaunchAttributeValue* value) {
    return call_in_context("cuGraphKernelNodeSetAttribute", [&](Context&) {
        const NodePlace* place = place_of(node);
        if (!place) return CUDA_ERROR_INVALID_HANDLE;
        Node& changed = place->graph->nodes[place->number];
        if (!changed.kernel || !value || attribute != CU_LAUNCH_ATTRIBUTE_COOPERATIVE) return CUDA_ERROR_INVALID_VALUE;
        changed.kernel->shape.cooperative = value->cooperative != 0;
        changed.work = work_of(*changed.kernel);
        return CUDA_SUCCESS;
    });
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS* parameters) {
    return call_in_context("cuGraphExecKernelNodeSetParams_v2", [&](Context& context) {
        Node* changed = node_of(exec, node);
        if (!changed || !changed->kernel) return CUDA_ERROR_INVALID_VALUE;
        KernelCall made;
        const CUresult checked = kernel_of(context, parameters, changed->kernel->shape.cooperative, made);
        // The context of the function must not change.
        if (checked == CUDA_ERROR_INVALID_CONTEXT) return CUDA_ERROR_INVALID_VALUE;
        if (checked != CUDA_SUCCESS) return checked;
        changed->kernel = made;
        changed->work = work_of(made);
        return CUDA_SUCCESS;
    });
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* parameters,
                                        CUcontext handle) {
    return call_in_context("cuGraphExecMemsetNodeSetParams", [&](Context& context) {
        Node* changed = node_of(exec, node);
        if (!changed || !changed->set) return CUDA_ERROR_INVALID_VALUE;
        MemorySet made;
        if (const CUresult checked = set_of(context, parameters, handle, made); checked != CUDA_SUCCESS) return checked;
        // A driver may allow other sizes; the kind of memory must not change in any driver.
        const MemorySet& before = *changed->set;
        if (made.element != before.element || made.count != before.count ||
            Memory::is_device(made.to) != Memory::is_device(before.to))
            return CUDA_ERROR_INVALID_VALUE;
        changed->set = made;
        changed->work = work_of(made);
        return CUDA_SUCCESS;
    });
}
