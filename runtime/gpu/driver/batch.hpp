#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pm::runtime::cuda {

/// One thing that is done to a device: a kernel is launched or, where there is none, memory is set.
struct Operation {
    void* function = nullptr;   ///< the driver's
    unsigned blocks = 0;        ///< of a launch; of memory how many elements are set
    unsigned threads = 0;       ///< of a block; of memory the bytes of an element, 1 or 4
    bool together = false;      ///< all blocks wait for each other
    std::uint32_t first = 0;    ///< of its words in the batch: arguments; of memory its address and the value
    std::uint32_t count = 0;    ///< of them
    const void* stop = nullptr; ///< Launch::stop

    bool launches() const { return function != nullptr; }
};

/// Whether one can be made of the other by other words and another number of blocks.
inline bool alike(const Operation& a, const Operation& b) {
    return a.function == b.function && a.threads == b.threads && a.together == b.together && a.count == b.count &&
           (a.launches() || a.blocks == b.blocks);
}

/// What is to be done to a device and is not in its queue yet, in order.
class Batch {
  public:
    /// Which words are its own is the batch's to say.
    void add(Operation operation, std::span<const std::uint64_t> words);

    bool empty() const { return operations_.empty(); }
    std::size_t launches() const { return launches_; }
    std::span<const Operation> operations() const { return operations_; }
    std::span<const std::uint64_t> words(const Operation& operation) const {
        return std::span(words_).subspan(operation.first, operation.count);
    }
    /// How many operations to do of a batch that has become long: in a loop of the host's whole iterations, as far as
    /// can be seen - up to one that is like the first - so that the next batch begins as this one did. Otherwise all.
    std::size_t whole_turns() const;
    /// Forgets the first ones.
    void drop(std::size_t count);

  private:
    std::vector<Operation> operations_;
    std::vector<std::uint64_t> words_;
    std::size_t launches_ = 0;
};

} // namespace pm::runtime::cuda
