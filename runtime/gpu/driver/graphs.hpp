#pragma once
#include "runtime/gpu/driver/batch.hpp"
#include "runtime/gpu/driver/cuda_driver.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace pm::runtime::cuda {

/// The graphs of one program: what its calls do again and again is one launch for the driver. A graph has the
/// operations of a batch in their order, one behind the other; whose arguments or blocks are others the next time are
/// changed before it is launched. For one thread at a time, with the device's context the current one.
class Graphs {
  public:
    /// Those that were not used for longest go.
    static constexpr std::size_t most = 16;

    Graphs(const Driver& driver, void* context);
    ~Graphs();
    Graphs(const Graphs&) = delete;
    Graphs& operator=(const Graphs&) = delete;

    /// Does the first `count` operations, when so many launches have come in this order before. False: nothing was
    /// done - it is the first time, there is one launch at most, or the driver refused a graph, which is then not asked
    /// for again. What has failed on the device before is for whoever does the operations to find.
    bool run(const Batch& batch, std::size_t count, void* stream);

  private:
    struct Graph;
    Graph* find(std::uint64_t shape, const Batch& batch, std::size_t count) const;
    bool has_come(std::uint64_t shape);
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
    std::array<std::uint64_t, 64> came_{}; ///< shapes, the next in the place of the oldest
    std::size_t next_ = 0;
    bool refused_ = false;
    std::vector<void*> arguments_; ///< of kernel_node()
};

} // namespace pm::runtime::cuda
