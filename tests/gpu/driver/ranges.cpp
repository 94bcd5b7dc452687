#include "tests/gpu/driver/ranges.hpp"

#include <sys/mman.h>

#include <cstring>

namespace pm::ptx {

Ranges::Pages::Pages(std::size_t count) : bytes(count) {
    void* made = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made != MAP_FAILED) data = static_cast<std::uint8_t*>(made);
}
Ranges::Pages::~Pages() {
    if (data != nullptr) munmap(data, bytes);
}

std::uint64_t Ranges::reserve(std::size_t bytes) {
    auto host = std::make_unique<Pages>(bytes);
    if (host->data == nullptr) return 0;
    const std::uint64_t begin = next_address_;
    next_address_ += bytes + granularity; // a gap separates ranges
    ranges_[begin] = {bytes, std::move(host)};
    return begin;
}

bool Ranges::free(std::uint64_t address, std::size_t bytes) {
    const auto found = ranges_.find(address);
    if (found == ranges_.end() || found->second.bytes != bytes) return false;
    const auto mapping = mappings_.lower_bound(address);
    if (mapping != mappings_.end() && mapping->first < address + bytes) return false;
    ranges_.erase(found);
    return true;
}

std::uint64_t Ranges::create(Memory& device, std::size_t bytes) {
    if (!device.take(bytes)) return 0;
    pieces_[next_piece_] = {&device, bytes};
    return next_piece_++;
}

void Ranges::free_piece(std::uint64_t number) {
    const auto found = pieces_.find(number);
    found->second.device->give_back(found->second.bytes);
    pieces_.erase(found);
}

bool Ranges::release(std::uint64_t piece) {
    const auto found = pieces_.find(piece);
    if (found == pieces_.end() || found->second.released) return false;
    found->second.released = true;
    for (const auto& [address, mapping] : mappings_)
        if (mapping.piece == piece) return true;
    free_piece(piece);
    return true;
}

bool Ranges::map(std::uint64_t address, std::size_t bytes, std::uint64_t piece) {
    const auto found = pieces_.find(piece);
    const auto after = ranges_.upper_bound(address);
    if (found == pieces_.end() || found->second.released || found->second.was_mapped || found->second.bytes != bytes ||
        address % granularity != 0 || after == ranges_.begin())
        return false;
    const auto& [begin, range] = *std::prev(after);
    if (address + bytes > begin + range.bytes) return false;
    const auto next = mappings_.upper_bound(address);
    if (next != mappings_.end() && next->first < address + bytes) return false;
    if (next != mappings_.begin() && std::prev(next)->first + std::prev(next)->second.bytes > address) return false;
    std::uint8_t* host = range.host->data + (address - begin);
    std::memset(host, 0xFF, bytes);
    found->second.was_mapped = true;
    mappings_[address] = {bytes, piece, host, false};
    return true;
}

std::vector<Ranges::Mappings::iterator> Ranges::filling(std::uint64_t address, std::size_t bytes) {
    std::vector<Mappings::iterator> list;
    std::uint64_t at = address;
    for (auto one = mappings_.find(address); one != mappings_.end() && one->first == at && at < address + bytes;
         ++one) {
        list.push_back(one);
        at += one->second.bytes;
    }
    if (at != address + bytes) list.clear();
    return list;
}

bool Ranges::open(std::uint64_t address, std::size_t bytes, Memory& device) {
    const auto list = filling(address, bytes);
    if (list.empty()) return false;
    for (const auto one : list)
        if (pieces_.at(one->second.piece).device != &device) return false;
    for (const auto one : list) {
        if (!one->second.open) device.show(one->first, one->second.bytes, one->second.host);
        one->second.open = true;
    }
    return true;
}

void Ranges::drop(Mappings::iterator mapping) {
    const auto& [address, m] = *mapping;
    const auto piece = pieces_.find(m.piece);
    if (m.open) piece->second.device->hide(address);
    madvise(m.host, m.bytes, MADV_DONTNEED);
    if (piece->second.released) free_piece(m.piece);
    mappings_.erase(mapping);
}

bool Ranges::unmap(std::uint64_t address, std::size_t bytes) {
    const auto list = filling(address, bytes);
    for (const auto one : list) drop(one);
    return !list.empty();
}

void Ranges::forget(const Memory& device) {
    for (auto one = mappings_.begin(); one != mappings_.end();) {
        const auto next = std::next(one);
        if (pieces_.at(one->second.piece).device == &device) drop(one);
        one = next;
    }
    for (auto one = pieces_.begin(); one != pieces_.end();) {
        const auto next = std::next(one);
        if (one->second.device == &device) free_piece(one->first);
        one = next;
    }
}

} // namespace pm::ptx
