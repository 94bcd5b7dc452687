#include "tests/gpu/driver/memory.hpp"

#include <cstring>
#include <new>

namespace pm::ptx {

Memory::Bytes Memory::kept_or_new(std::size_t bytes) {
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

bool Memory::take(std::size_t bytes) {
    if (bytes > left()) return false;
    used_ += bytes;
    return true;
}

std::uint64_t Memory::allocate(std::size_t bytes, bool open) {
    if (bytes == 0 || bytes > left()) return 0;
    Bytes host = kept_or_new(bytes);
    if (!host) return 0;
    std::memset(host.get(), 0xFF, bytes);
    const std::uint64_t begin = next_;
    // At least 256 bytes after it stay unused.
    next_ += (bytes + 2 * alignment - 1) / alignment * alignment;
    std::uint8_t* const memory = host.get();
    blocks_[begin] = {begin, bytes, memory, std::move(host), open};
    used_ += bytes;
    return begin;
}

bool Memory::free(std::uint64_t address) {
    const auto found = blocks_.find(address);
    if (found == blocks_.end() || !found->second.own) return false;
    used_ -= found->second.bytes;
    keep(found->second.bytes, std::move(found->second.own));
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
    const Block* first = find(address, bytes > 0 ? 1 : 0);
    if (first == nullptr) return nullptr;
    const Block* last = first;
    while (bytes > last->begin + last->bytes - address) {
        const Block* next = find(last->begin + last->bytes, 1);
        if (next == nullptr || next->host != last->host + last->bytes) return nullptr;
        last = next;
    }
    return first->host + (address - first->begin);
}

} // namespace pm::ptx
