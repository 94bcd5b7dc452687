#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pm::runtime::cuda {

/// One operation on a device: a kernel launch or, without a kernel, a fill of memory.
struct Operation {
    void* function = nullptr; ///< the driver's handle; null for a fill
    unsigned blocks = 0;      ///< blocks of a launch; elements of a fill
    unsigned threads = 0;     ///< threads per block of a launch; bytes per element of a fill, 1 or 4
    bool cooperative = false; ///< true if all blocks wait for each other
    /// The index of the operation's first word in the batch. The words of a launch are its arguments. The words of a
    /// fill are the address and the value.
    std::uint32_t first = 0;
    std::uint32_t count = 0;    ///< the number of the operation's words
    const void* stop = nullptr; ///< Launch::stop

    bool launches() const { return function != nullptr; }
};

/// Whether the two operations are equal except for their words and their numbers of blocks.
inline bool alike(const Operation& a, const Operation& b) {
    return a.function == b.function && a.threads == b.threads && a.cooperative == b.cooperative && a.count == b.count &&
           (a.launches() || a.blocks == b.blocks);
}

/// Operations that are not in the device's queue yet, in order.
class Batch {
  public:
    /// Adds an operation; the batch sets its `first` and `count`.
    void add(Operation operation, std::span<const std::uint64_t> words);

    bool empty() const { return operations_.empty(); }
    std::size_t launches() const { return launches_; }
    std::span<const Operation> operations() const { return operations_; }
    std::span<const std::uint64_t> words(const Operation& operation) const {
        return std::span(words_).subspan(operation.first, operation.count);
    }
    /// The number of operations to submit when the batch is long: the number of operations before the last one that is
    /// alike() to the first operation. If no other operation is alike() to the first, it is the number of all
    /// operations. In a loop of the host, the submitted operations are thus probably whole iterations. The next batch
    /// then begins with the same operation as this batch.
    std::size_t whole_iterations() const;
    /// Removes the first `count` operations.
    void drop(std::size_t count);

  private:
    std::vector<Operation> operations_;
    std::vector<std::uint64_t> words_;
    std::size_t launches_ = 0;
};

} // namespace pm::runtime::cuda
