#include "runtime/gpu/host/host_copies.hpp"

namespace pm::runtime {

const Scratch& HostCopies::copied(const std::byte* address, std::size_t bytes) {
    const Scratch& copy = copies_.emplace_back(allocator_, bytes);
    device_.download(copy.data(), address, bytes);
    return copy;
}

void* HostCopies::write(std::byte* address, std::size_t bytes, Change change) {
    const Scratch& copy = change == Change::all ? copies_.emplace_back(allocator_, bytes) : copied(address, bytes);
    written_.push_back({address, copy.data(), bytes});
    return copy.data();
}

void HostCopies::end(bool changed) {
    if (changed)
        for (const Written& w : written_) device_.upload(w.address, w.copy, w.bytes);
    written_.clear();
    copies_.clear();
}

} // namespace pm::runtime
