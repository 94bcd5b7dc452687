#include "tests/gpu/driver/memory.hpp"

#include <cstring>
#include <new>

namespace pm::ptx {

Memory::Bytes Memory::take(std::size_t bytes) {
    const auto found = kept_.find(bytes);
    if (found == kept_.end()) return Bytes(new (std::nothrow) std::uint8_t[bytes]);
    Bytes host = std::move(found->second);
    kept_.erase(found);
    kept_bytes_ -= bytes;
    return host;
}

void Memory::keep(std::size_t bytes, Bytes host) {
    if (bytes > most_kept) return;
    if (kept_bytes_ + bytes > most_kept) {
        kept_.clear();
        kept_bytes_ = 0;
    }
    kept_.emplace(bytes, std::move(host));
    kept_bytes_ += bytes;
}

std::uint64_t Memory::allocate(std::size_t bytes) {
    if (bytes == 0 || bytes > left()) return 0;
    Bytes host = take(bytes);
    if (!host) return 0;
    std::memset(host.get(), 0xFF, bytes);
    const std::uint64_t begin = next_;
    // Nothing lies in the 256 bytes or more behind it.
    next_ += (bytes + 2 * alignment - 1) / alignment * alignment;
    blocks_[begin] = {begin, bytes, std::move(host)};
    used_ += bytes;
    return begin;
}

bool Memory::free(std::uint64_t address) {
    const auto found = blocks_.find(address);
    if (found == blocks_.end()) return false;
    used_ -= found->second.bytes;
    keep(found->second.bytes, std::move(found->second.host));
    blocks_.erase(found);
    ++epoch_;
    return true;
}

void Memory::free_all() {
    blocks_.clear();
    used_ = 0;
    ++epoch_;
}

const Memory::Block* Memory::find(std::uint64_t address, std::size_t bytes) const {
    auto after = blocks_.upper_bound(address);
    if (after == blocks_.begin()) return nullptr;
    const Block& block = std::prev(after)->second;
    const std::uint64_t offset = address - block.begin;
    return offset <= block.bytes && bytes <= block.bytes - offset ? &block : nullptr;
}

std::uint8_t* Memory::mapped(std::uint64_t address, std::size_t bytes) const {
    for (const auto& [host, size] : mapped_) {
        const std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(host);
        if (offset <= size && bytes <= size - offset) return host + offset;
    }
    return nullptr;
}

std::uint8_t* Memory::host(std::uint64_t address, std::size_t bytes) const {
    const Block* block = find(address, bytes);
    return block ? block->host.get() + (address - block->begin) : nullptr;
}

} // namespace pm::ptx
