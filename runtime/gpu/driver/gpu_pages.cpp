#include "runtime/gpu/driver/gpu_pages.hpp"

#include "runtime/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace pm::runtime {
namespace {

cuda::MemoryProperties memory_of(int device) { return {.place = {.device = device}}; }

} // namespace

std::size_t Pages::Range::mapped_bytes() const {
    std::size_t sum = 0;
    for (const auto& [begin, size] : mapped) sum += size;
    return sum;
}

Pages::Pages(const cuda::Driver& driver, int device, std::function<void()> wait, std::function<void()> make_room)
    : driver_(driver), device_(device), access_{{.place = {.device = device}}}, wait_(std::move(wait)),
      make_room_(std::move(make_room)) {
    const cuda::MemoryProperties properties = memory_of(device_);
    driver_.expect(driver_.granularity(&page_, &properties, cuda::granularity_recommended),
                   "cuMemGetAllocationGranularity");
}

Pages::~Pages() {
    for (const auto& [address, range] : ranges_) unmap(address, range);
    for (const Kept& kept : kept_) unmap(kept.address, kept.range);
}

std::uint64_t Pages::reserve(std::size_t bytes) {
    const std::size_t whole = (std::max<std::size_t>(bytes, 1) + page_ - 1) / page_ * page_;
    bool many = false;
    {
        const std::scoped_lock lock(mutex_);
        // Begins with the last released range, because its pages with memory are most probably those that are needed.
        for (auto kept = kept_.rbegin(); kept != kept_.rend(); ++kept) {
            if (kept->range.bytes != whole) continue;
            kept_bytes_ -= kept->range.mapped_bytes();
            const std::uint64_t address = kept->address;
            ranges_.emplace(address, std::move(kept->range));
            kept_.erase(std::next(kept).base());
            return address;
        }
        many = kept_.size() >= most_kept;
    }
    if (many) forget(most_kept / 2);
    std::uint64_t address = 0;
    driver_.expect(driver_.reserve(&address, whole, 0, 0, 0), "cuMemAddressReserve");
    ranges_[address].bytes = whole;
    return address;
}

void Pages::release(std::uint64_t address) noexcept {
    const auto found = ranges_.find(address);
    const std::scoped_lock lock(mutex_);
    kept_bytes_ += found->second.mapped_bytes();
    kept_.push_back({address, std::move(found->second)});
    ranges_.erase(found);
}

void Pages::touch(std::uint64_t address, std::size_t bytes) {
    if (bytes == 0) return;
    auto& [begin, range] = *std::prev(ranges_.upper_bound(address));
    const std::size_t end = (address - begin + bytes + page_ - 1) / page_ * page_;
    std::size_t at = (address - begin) / page_ * page_;
    auto piece = range.mapped.upper_bound(at);
    if (piece != range.mapped.begin()) --piece;
    while (at < end) {
        while (piece != range.mapped.end() && piece->first + piece->second <= at) ++piece;
        const bool there = piece != range.mapped.end() && piece->first <= at;
        const std::size_t next = piece == range.mapped.end() ? end
                                 : there                     ? piece->first + piece->second
                                                             : piece->first;
        if (!there) {
            const std::size_t missing = std::min(next, end) - at;
            map(begin + at, missing);
            piece = range.mapped.emplace_hint(piece, at, missing);
        }
        at = next;
    }
}

std::vector<Stretch> Pages::give_back(std::uint64_t address, const std::function<bool(Stretch)>& may_free) {
    auto& mapped = ranges_.at(address).mapped;
    std::vector<Stretch> freed;
    for (const auto& [from, bytes] : mapped)
        if (const Stretch piece{from, from + bytes}; may_free(piece)) freed.push_back(piece);
    if (freed.empty()) return freed;
    wait_();
    for (const auto& [from, to] : freed) {
        static_cast<void>(driver_.unmap(address + from, to - from));
        mapped.erase(from);
    }
    return freed;
}

bool Pages::create(std::uint64_t& piece, std::size_t bytes) {
    const cuda::MemoryProperties properties = memory_of(device_);
    const int error = driver_.create(&piece, bytes, &properties, 0);
    if (error == cuda::error_out_of_memory) return false;
    driver_.expect(error, "cuMemCreate");
    return true;
}

/// Releases the handle of the piece at once. The memory of the piece is freed when the range is unmapped.
void Pages::map(std::uint64_t address, std::size_t bytes) {
    std::uint64_t piece = 0;
    if (!create(piece, bytes)) {
        make_room_();
        trim();
        if (!create(piece, bytes))
            throw Failure(FailureKind::out_of_memory, fmt::format("the GPU has no memory for {} bytes", bytes));
    }
    const int mapped = driver_.map(address, bytes, 0, piece, 0);
    const int released = driver_.release_piece(piece);
    driver_.expect(mapped, "cuMemMap");
    if (const int error = driver_.set_access(address, bytes, access_.data(), access_.size()); error != 0) {
        static_cast<void>(driver_.unmap(address, bytes));
        driver_.expect(error, "cuMemSetAccess");
    }
    driver_.expect(released, "cuMemRelease");
}

/// Ignores errors, because they mean that the device has failed. Its memory is then already lost.
void Pages::unmap(std::uint64_t address, const Range& range) noexcept {
    for (const auto& [begin, bytes] : range.mapped) static_cast<void>(driver_.unmap(address + begin, bytes));
    static_cast<void>(driver_.free_addresses(address, range.bytes));
}

/// Unmaps the `count` oldest kept ranges, or all if there are fewer. Ranges that are released during the wait are kept.
void Pages::forget(std::size_t count) {
    std::list<Kept> freed;
    {
        const std::scoped_lock lock(mutex_);
        const auto end = static_cast<std::ptrdiff_t>(std::min(count, kept_.size()));
        freed.splice(freed.end(), kept_, kept_.begin(), std::next(kept_.begin(), end));
        for (const Kept& kept : freed) kept_bytes_ -= kept.range.mapped_bytes();
    }
    try {
        wait_();
    } catch (...) { // queued work may still use the ranges
        const std::scoped_lock lock(mutex_);
        for (const Kept& kept : freed) kept_bytes_ += kept.range.mapped_bytes();
        kept_.splice(kept_.begin(), freed);
        throw;
    }
    for (const Kept& kept : freed) unmap(kept.address, kept.range);
}

void Pages::trim() { forget(std::numeric_limits<std::size_t>::max()); }

} // namespace pm::runtime
