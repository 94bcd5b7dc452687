#include "tests/gpu/driver/state.hpp"

#include <algorithm>

using namespace pm::ptx;

namespace {

template <class T>
T* owned(Handles<T> Context::* list, const void* handle) {
    for (const auto& device : driver().devices)
        if (T* found = (device.get()->*list).find(handle)) return found;
    return nullptr;
}

/// Whether the last nodes of the origin stream depend on every other node.
bool all_joined(const Capture& capture) {
    std::vector<bool> reached(capture.nodes.size());
    for (const std::size_t last : capture.origin->last) reached[last] = true;
    for (std::size_t n = capture.nodes.size(); n-- > 0;) {
        if (!reached[n]) return false;
        for (const std::size_t before : capture.nodes[n].after) reached[before] = true;
    }
    return true;
}

CUresult run_all(const std::vector<Node>& nodes) {
    for (const Node& node : nodes)
        if (const CUresult result = node.work.run(); result != CUDA_SUCCESS) return result;
    return CUDA_SUCCESS;
}

} // namespace

CUresult cuStreamBeginCapture_v2(CUstream handle, CUstreamCaptureMode mode) {
    return call_in_context("cuStreamBeginCapture_v2", [&](Context&) {
        if (mode < 0 || mode > 2) return CUDA_ERROR_INVALID_VALUE;
        if (is_default(handle)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        Stream* stream = stream_of(handle);
        if (!stream) return CUDA_ERROR_INVALID_HANDLE;
        if (stream->capture) {
            stream->capture->broken = true;
            return CUDA_ERROR_INVALID_VALUE;
        }
        stream->capture = std::make_shared<Capture>();
        stream->capture->origin = stream;
        stream->capture->mode = mode;
        stream->capture->thread = std::this_thread::get_id();
        stream->capture->members = {stream};
        stream->last.clear();
        return CUDA_SUCCESS;
    });
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph* graph) {
    return call_in_context("cuStreamEndCapture", [&](Context& context) {
        if (!graph) return CUDA_ERROR_INVALID_VALUE;
        *graph = nullptr;
        const Stream* stream = stream_of(handle);
        if (!stream) return CUDA_ERROR_INVALID_HANDLE;
        const std::shared_ptr<Capture> capture = stream->capture;
        if (!capture) return CUDA_ERROR_INVALID_VALUE;
        if (capture->origin != stream) {
            capture->broken = true;
            return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
        }
        CUresult result = CUDA_SUCCESS;
        if (capture->broken) {
            result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
        } else if (!all_joined(*capture)) {
            result = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
        }
        for (Stream* member : capture->members) {
            member->capture = nullptr;
            member->last.clear();
        }
        if (result != CUDA_SUCCESS) return result;
        auto made = std::make_unique<Graph>();
        made->context = &context;
        made->number = ++driver().graphs_made;
        made->nodes = std::move(capture->nodes);
        *graph = reinterpret_cast<CUgraph>(context.graphs.add(std::move(made)));
        return CUDA_SUCCESS;
    });
}

CUresult cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus* status) {
    return call("cuStreamIsCapturing", [&] {
        if (!status) return CUDA_ERROR_INVALID_VALUE;
        *status = CU_STREAM_CAPTURE_STATUS_NONE;
        if (is_default(handle)) return CUDA_SUCCESS;
        const Stream* stream = stream_of(handle);
        if (!stream) return CUDA_ERROR_INVALID_HANDLE;
        if (stream->capture)
            *status = stream->capture->broken ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
        return CUDA_SUCCESS;
    });
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph handle, unsigned long long) {
    return call_in_context("cuGraphInstantiateWithFlags", [&](Context& context) {
        const Graph* graph = owned(&Context::graphs, handle);
        if (!exec) return CUDA_ERROR_INVALID_VALUE;
        if (!graph) return CUDA_ERROR_INVALID_HANDLE;
        // Cooperative launches can be checked only now: the attribute is set after a node has been added.
        for (const Node& node : graph->nodes)
            if (const CUresult checked = node.kernel ? check_launch(*node.kernel) : CUDA_SUCCESS;
                checked != CUDA_SUCCESS)
                return checked;
        auto made = std::make_unique<GraphExec>();
        made->context = graph->context;
        made->graph = graph->number;
        made->nodes = graph->nodes;
        *exec = reinterpret_cast<CUgraphExec>(context.execs.add(std::move(made)));
        return CUDA_SUCCESS;
    });
}

CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream) {
    return call_in_context("cuGraphLaunch", [&](Context& context) {
        const GraphExec* exec = owned(&Context::execs, handle);
        if (!exec) return CUDA_ERROR_INVALID_HANDLE;
        // In a capture the launch of a graph is one node.
        return submit(context, stream, {Work::Kind::nothing, [nodes = exec->nodes] { return run_all(nodes); }});
    });
}

CUresult cuGraphExecUpdate_v2(CUgraphExec handle, CUgraph graph_handle, CUgraphExecUpdateResultInfo* info) {
    return call_in_context("cuGraphExecUpdate_v2", [&](Context&) {
        GraphExec* exec = owned(&Context::execs, handle);
        const Graph* graph = owned(&Context::graphs, graph_handle);
        if (!exec || !graph) return CUDA_ERROR_INVALID_HANDLE;
        if (!info) return CUDA_ERROR_INVALID_VALUE;
        *info = {CU_GRAPH_EXEC_UPDATE_SUCCESS, nullptr, nullptr};
        const auto& before = exec->nodes;
        const auto& after = graph->nodes;
        const auto same = [](auto member) {
            return [member](const Node& a, const Node& b) { return member(a) == member(b); };
        };
        if (!std::ranges::equal(before, after, same([](const Node& n) { return n.after; }))) {
            info->result = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
        } else if (!std::ranges::equal(before, after, same([](const Node& n) { return n.work.kind; }))) {
            info->result = CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
        }
        if (info->result != CU_GRAPH_EXEC_UPDATE_SUCCESS) return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
        exec->nodes = graph->nodes;
        return CUDA_SUCCESS;
    });
}

CUresult cuGraphExecDestroy(CUgraphExec handle) {
    return call("cuGraphExecDestroy", [&] {
        const GraphExec* exec = owned(&Context::execs, handle);
        if (!exec) return CUDA_ERROR_INVALID_HANDLE;
        for (const auto& device : driver().devices) device->execs.remove(handle);
        return CUDA_SUCCESS;
    });
}

CUresult cuGraphDestroy(CUgraph handle) {
    return call("cuGraphDestroy", [&] {
        if (!owned(&Context::graphs, handle)) return CUDA_ERROR_INVALID_HANDLE;
        for (const auto& device : driver().devices) device->graphs.remove(handle);
        return CUDA_SUCCESS;
    });
}
