#include "runtime/gpu/driver/graphs.hpp"

#include <algorithm>
#include <bit>

namespace pm::runtime::cuda {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t with) {
    return (std::rotl(hash, 23) ^ with) * 0x9E37'79B9'7F4A'7C15ULL;
}

/// The hash of the properties of the operations that alike() compares.
std::uint64_t shape_of(std::span<const Operation> operations) {
    std::uint64_t hash = operations.size();
    for (const Operation& o : operations) {
        hash = mixed(hash, std::bit_cast<std::uintptr_t>(o.function));
        hash = mixed(hash, (std::uint64_t{o.threads} << 33) | (std::uint64_t{o.cooperative} << 32) | o.count);
    }
    return hash;
}

MemoryNode memory_node(const Operation& operation, std::span<const std::uint64_t> words) {
    return {.to = words[0],
            .value = static_cast<unsigned>(words[1]),
            .element = operation.threads,
            .elements = operation.blocks};
}

} // namespace

/// A graph and the operations of its last launch.
struct Graphs::Graph {
    std::uint64_t shape = 0;
    std::vector<Operation> operations;
    std::vector<std::uint64_t> words;
    void* graph = nullptr;
    void* executable = nullptr;
    std::vector<void*> nodes;
    std::uint64_t last_launch = 0;

    std::span<std::uint64_t> words_of(const Operation& o) { return std::span(words).subspan(o.first, o.count); }
};

Graphs::Graphs(const Driver& driver, void* context) : driver_(driver), context_(context) {}

Graphs::~Graphs() {
    for (const auto& graph : graphs_) destroy(*graph);
}

void Graphs::destroy(Graph& graph) noexcept {
    if (graph.executable != nullptr) static_cast<void>(driver_.executable_destroy(graph.executable));
    if (graph.graph != nullptr) static_cast<void>(driver_.graph_destroy(graph.graph));
}

bool Graphs::run(const Batch& batch, std::size_t count, void* stream) {
    const auto operations = batch.operations().first(count);
    if (refused_ || std::ranges::count_if(operations, &Operation::launches) < 2) return false;
    const std::uint64_t shape = shape_of(operations);
    Graph* graph = find(shape, batch, count);
    if (graph == nullptr) {
        if (!was_seen(shape)) return false;
        refused_ = !make(shape, batch, count);
    } else {
        refused_ = !update(*graph, batch);
    }
    if (!refused_) refused_ = !launch(graph == nullptr ? *graphs_.back() : *graph, stream);
    return !refused_;
}

Graphs::Graph* Graphs::find(std::uint64_t shape, const Batch& batch, std::size_t count) const {
    const auto found = std::ranges::find_if(graphs_, [&](const auto& graph) {
        return graph->shape == shape && std::ranges::equal(graph->operations, batch.operations().first(count), alike);
    });
    return found == graphs_.end() ? nullptr : found->get();
}

bool Graphs::was_seen(std::uint64_t shape) {
    if (std::ranges::find(seen_sequences_, shape) != seen_sequences_.end()) return true;
    seen_sequences_[next_++ % seen_sequences_.size()] = shape;
    return false;
}

/// Creates a graph as the last element of graphs_.
bool Graphs::make(std::uint64_t shape, const Batch& batch, std::size_t count) {
    if (graphs_.size() == most) {
        const auto oldest = std::ranges::min_element(graphs_, {}, [](const auto& g) { return g->last_launch; });
        destroy(**oldest); // a running graph is destroyed only after it has ended
        graphs_.erase(oldest);
    }
    auto made = std::make_unique<Graph>();
    made->shape = shape;
    for (Operation o : batch.operations().first(count)) {
        const auto words = batch.words(o);
        o.first = static_cast<std::uint32_t>(made->words.size());
        made->words.insert(made->words.end(), words.begin(), words.end());
        made->operations.push_back(o);
    }
    made->nodes.reserve(count);
    Graph& graph = *graphs_.emplace_back(std::move(made));
    return driver_.graph_create(&graph.graph, 0) == 0 &&
           std::ranges::all_of(graph.operations, [&](const Operation& o) { return add(graph, o); }) &&
           driver_.graph_instantiate(&graph.executable, graph.graph, 0) == 0;
}

/// Adds a node after the last node of the chain.
bool Graphs::add(Graph& graph, const Operation& operation) {
    void* const* last = graph.nodes.empty() ? nullptr : &graph.nodes.back();
    const std::size_t before = graph.nodes.empty() ? 0 : 1;
    void* node = nullptr;
    if (!operation.launches()) {
        const MemoryNode memory = memory_node(operation, graph.words_of(operation));
        if (driver_.graph_add_memory(&node, graph.graph, last, before, &memory, context_) != 0) return false;
    } else {
        const KernelNode kernel = kernel_node(operation, graph.words_of(operation));
        if (driver_.graph_add_kernel(&node, graph.graph, last, before, &kernel) != 0) return false;
        const NodeAttribute cooperative{.value = 1};
        if (operation.cooperative && driver_.node_attribute(node, node_is_cooperative, &cooperative) != 0) return false;
    }
    graph.nodes.push_back(node);
    return true;
}

bool Graphs::update(Graph& graph, const Batch& batch) {
    for (std::size_t i = 0; i < graph.operations.size(); ++i) {
        const Operation& now = batch.operations()[i];
        Operation& before = graph.operations[i];
        const auto words = batch.words(now);
        const auto words_before = graph.words_of(before);
        if (now.blocks == before.blocks && std::ranges::equal(words, words_before)) continue;
        if (now.launches()) {
            const KernelNode kernel = kernel_node(now, words);
            if (driver_.executable_set_kernel(graph.executable, graph.nodes[i], &kernel) != 0) return false;
        } else {
            const MemoryNode memory = memory_node(now, words);
            if (driver_.executable_set_memory(graph.executable, graph.nodes[i], &memory, context_) != 0) return false;
        }
        before.blocks = now.blocks;
        std::ranges::copy(words, words_before.begin());
    }
    return true;
}

bool Graphs::launch(Graph& graph, void* stream) {
    graph.last_launch = ++launches_;
    return driver_.graph_launch(graph.executable, stream) == 0;
}

/// The driver copies the values that the arguments point to.
KernelNode Graphs::kernel_node(const Operation& operation, std::span<const std::uint64_t> words) {
    arguments_.clear();
    for (const std::uint64_t& word : words) arguments_.push_back(const_cast<std::uint64_t*>(&word));
    return {.function = operation.function,
            .blocks = {operation.blocks, 1, 1},
            .threads = {operation.threads, 1, 1},
            .arguments = arguments_.data()};
}

} // namespace pm::runtime::cuda
