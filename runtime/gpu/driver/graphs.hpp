#pragma once
#include "runtime/gpu/driver/cuda_driver.hpp"
#include "runtime/gpu/driver/operation_batch.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace pm::runtime::cuda {

/// The CUDA graphs of one program. If calls of the program repeat a sequence of operations, the sequence becomes one
/// launch of the driver. A graph is a chain of the operations of a batch. Operations whose arguments or numbers of
/// blocks have changed are updated in the graph before the launch. For one thread at a time, with the device's context
/// current.
class Graphs {
  public:
    /// The most graphs. When there are more, the least recently used graph is destroyed.
    static constexpr std::size_t most = 16;

    Graphs(const Driver& driver, void* context);
    ~Graphs();
    Graphs(const Graphs&) = delete;
    Graphs& operator=(const Graphs&) = delete;

    /// Runs the first `count` operations as a graph if the same sequence has occurred before. Returns false and runs
    /// nothing if the sequence is new, if it has fewer than two launches, or if the driver refused a graph. After a
    /// refusal no graph is tried again. An earlier failure of the device is reported when the caller runs the
    /// operations itself.
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
    std::array<std::uint64_t, 64> seen_sequences_{}; ///< hashes of earlier sequences; a new hash replaces the oldest
    std::size_t next_ = 0;
    bool refused_ = false;
    std::vector<void*> arguments_; ///< used by kernel_node()
};

} // namespace pm::runtime::cuda
