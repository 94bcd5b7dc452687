#include "runtime/gpu/driver/operation_batch.hpp"

#include <algorithm>

namespace pm::runtime::cuda {

void Batch::add(Operation operation, std::span<const std::uint64_t> words) {
    operation.first = static_cast<std::uint32_t>(words_.size());
    operation.count = static_cast<std::uint32_t>(words.size());
    words_.insert(words_.end(), words.begin(), words.end());
    operations_.push_back(operation);
    if (operation.launches()) ++launches_;
}

std::size_t Batch::whole_iterations() const {
    for (std::size_t i = operations_.size(); i-- > 1;)
        if (alike(operations_[i], operations_.front())) return i;
    return operations_.size();
}

void Batch::drop(std::size_t count) {
    const auto kept = operations_.begin() + static_cast<std::ptrdiff_t>(count);
    launches_ -= static_cast<std::size_t>(
        std::count_if(operations_.begin(), kept, [](const Operation& o) { return o.launches(); }));
    if (kept == operations_.end()) {
        words_.clear();
    } else {
        const std::uint32_t first = kept->first;
        words_.erase(words_.begin(), words_.begin() + first);
        for (auto o = kept; o != operations_.end(); ++o) o->first -= first;
    }
    operations_.erase(operations_.begin(), kept);
}

} // namespace pm::runtime::cuda
