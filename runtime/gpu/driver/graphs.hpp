#pragma once
#include "runtime/gpu/driver/cuda_driver.hpp"
#include "runtime/gpu/driver/operation_batch.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace pm::runtime::cuda {

/// The CUDA graphs of one program. If calls of the program repeat a sequence of operations, the sequence becomes a
/// graph, which the driver launches as a whole. The nodes of a graph are the operations in order, and each node depends
/// on the node before it. If arguments or numbers of blocks of operations have changed, these operations are updated in
/// the graph before the launch. Only one thread at a time may use the object, with the device's context current.
class Graphs {
  public:
    /// The largest number of graphs. Before a graph is added to so many graphs, the least recently used graph is
    /// destroyed.
    static constexpr std::size_t most = 16;

    Graphs(const Driver& driver, void* context);
    ~Graphs();
    Graphs(const Graphs&) = delete;
    Graphs& operator=(const Graphs&) = delete;

    /// If the sequence of the first `count` operations of `batch` has occurred before, runs these operations as a
    /// graph. Returns false and runs nothing if the sequence is new, if it has fewer than two launches, or if the
    /// driver refused a graph. After a refusal no graph is tried again. If run() returns false, the caller runs the
    /// operations without a graph, and then gets the error of an earlier failure of the device.
    bool run(const Batch& batch, std::size_t count, void* stream);

  private:
    struct Graph;
    Graph* find(std::uint64_t shape, const Batch& batch, std::size_t count) const;
    bool was_seen(std::uint64_t shape);
    bool make(std::uint64_t shape, const Batch& batch, std::size_t count);
    bool add(Graph& graph, const Operation& operation);
    bool update(Graph& graph, const Batch& batch);
    bool launch(Graph& graph, void* stream);
    KernelNode kernel_node(const Operation& operation, std::span<const std::uint64_t> words);
    void destroy(Graph& graph) noexcept;

    const Driver& driver_;
    void* context_;
    std::vector<std::unique_ptr<Graph>> graphs_;
    std::uint64_t launches_ = 0;
    /// The hashes of earlier sequences. A new hash replaces the oldest one.
    std::array<std::uint64_t, 64> seen_sequences_{};
    std::size_t next_ = 0;
    bool refused_ = false;
    std::vector<void*> arguments_; ///< used by kernel_node()
};

} // namespace pm::runtime::cuda
