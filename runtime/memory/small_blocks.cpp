#include "runtime/memory/small_blocks.hpp"

#include <algorithm>
#include <cstdint>
#include <new>

namespace pm::runtime {
namespace {

constexpr std::size_t region_bytes = huge_page;
constexpr std::size_t word_bytes = 64 * block_unit;
constexpr std::uint64_t all = ~std::uint64_t{0};

} // namespace

/// The free bytes of a region: one bit per 64 bytes, one word per 4 KB.
struct SmallBlocks::Map {
    std::byte* region = nullptr;
    std::array<std::uint64_t, region_bytes / word_bytes> words{};

    void mark(const std::byte* begin, std::size_t bytes) {
        std::size_t bit = static_cast<std::size_t>(begin - region) / block_unit;
        for (std::size_t remaining = bytes / block_unit; remaining != 0;) {
            const std::size_t count = std::min(remaining, 64 - bit % 64);
            words[bit / 64] |= (count == 64 ? all : (std::uint64_t{1} << count) - 1) << bit % 64;
            bit += count;
            remaining -= count;
        }
    }
    bool is_free(std::size_t bit) const { return (words[bit / 64] >> bit % 64 & 1) != 0; }

    /// Calls `use(begin, bytes)` for each maximal run of free bytes.
    template <class Use>
    void for_each_run(const Use& use) const {
        constexpr std::size_t bits = region_bytes / block_unit;
        for (std::size_t bit = 0; bit < bits;) {
            const std::size_t begin = bit;
            const bool free = is_free(bit);
            while (bit < bits && is_free(bit) == free) bit += words[bit / 64] == (free ? all : 0) ? 64 - bit % 64 : 1;
            if (free) use(region + begin * block_unit, (bit - begin) * block_unit);
        }
    }
};

SmallBlocks::~SmallBlocks() {
    for (std::byte* region : regions_) unmap_pages(region, region_bytes);
}

void SmallBlocks::push(std::byte* block, std::size_t rounded) noexcept {
    PM_UNPOISON(block, sizeof(Free));
    auto* entry = reinterpret_cast<Free*>(block);
    Free*& first = free_[class_index(rounded)];
    entry->next = first;
    first = entry;
    PM_POISON(block, rounded);
}

/// Divides a range of free bytes into free blocks of existing classes. `bytes` is a multiple of 64.
void SmallBlocks::push_parts(std::byte* begin, std::size_t bytes) noexcept {
    while (bytes != 0) {
        const std::size_t part = class_within(bytes);
        push(begin, part);
        begin += part;
        bytes -= part;
    }
}

std::byte* SmallBlocks::reuse(std::size_t rounded) noexcept {
    Free*& first = free_[class_index(rounded)];
    if (first == nullptr) return nullptr;
    auto* block = reinterpret_cast<std::byte*>(first);
    PM_UNPOISON(block, sizeof(Free));
    first = first->next;
    count_idle(0, rounded);
    return block;
}

void SmallBlocks::release(std::byte* block, std::size_t rounded) noexcept {
    push(block, rounded);
    count_idle(rounded, 0);
}

std::byte* SmallBlocks::cut(std::size_t rounded) {
    if (static_cast<std::size_t>(end_ - at_) < rounded && !begin_run(rounded)) return nullptr;
    std::byte* block = at_;
    at_ += rounded;
    count_idle(0, rounded);
    return block;
}

/// Chooses another run of free bytes, from which blocks are then cut. It is the smallest sufficient run of returned
/// pages. If there is none, it is a new region. The rest of the previous run becomes free blocks.
bool SmallBlocks::begin_run(std::size_t rounded) {
    Pages run{};
    if (const auto found = runs_.lower_bound(rounded); found != runs_.end()) {
        run = {found->second, found->first};
        runs_.erase(found);
    } else {
        // The first region probably stays almost empty, so it uses small pages. The other regions may use huge pages.
        const PageKind kind = regions_.empty() ? PageKind::aligned : PageKind::huge;
        regions_.push_back(nullptr);
        run = {map_pages(region_bytes, kind), region_bytes};
        if (run.begin == nullptr) {
            regions_.pop_back();
            return false;
        }
        regions_.back() = run.begin;
        PM_POISON(run.begin, run.bytes);
    }
    push_parts(at_, static_cast<std::size_t>(end_ - at_));
    at_ = run.begin;
    end_ = run.begin + run.bytes;
    count_idle(run.bytes, 0);
    return true;
}

/// One map per region, by address.
std::vector<SmallBlocks::Map> SmallBlocks::free_maps() {
    std::sort(regions_.begin(), regions_.end());
    std::vector<Map> maps(regions_.size());
    for (std::size_t i = 0; i < maps.size(); ++i) maps[i].region = regions_[i];
    Map* last = maps.data();
    const auto mark = [&](const std::byte* begin, std::size_t bytes) {
        if (begin < last->region || begin >= last->region + region_bytes) {
            const auto next = std::upper_bound(regions_.begin(), regions_.end(), begin);
            last = &maps[static_cast<std::size_t>(next - regions_.begin()) - 1];
        }
        last->mark(begin, bytes);
    };
    for (std::size_t rounded = block_unit; rounded <= largest_small; rounded = class_bytes(rounded + 1))
        for (Free* block = free_[class_index(rounded)]; block != nullptr; block = block->next) {
            PM_UNPOISON(block, sizeof(Free));
            mark(reinterpret_cast<const std::byte*>(block), rounded);
        }
    for (const auto& [bytes, begin] : runs_) mark(begin, bytes);
    if (at_ != end_) mark(at_, static_cast<std::size_t>(end_ - at_));
    return maps;
}

void SmallBlocks::trim() noexcept {
    if (regions_.empty()) return;
    try {
        const std::vector<Map> maps = free_maps();
        const std::size_t page = std::max(page_bytes(), word_bytes);
        std::vector<Pages> whole; // by address
        Runs runs;
        for (const Map& map : maps)
            map.for_each_run([&](std::byte* begin, std::size_t bytes) {
                const auto offset = static_cast<std::size_t>(begin - map.region);
                const std::size_t first = (offset + page - 1) / page * page;
                const std::size_t end = (offset + bytes) / page * page;
                if (first >= end) return;
                whole.push_back({map.region + first, end - first});
                if (end - first < region_bytes) runs.emplace(end - first, map.region + first);
            });
        runs_.swap(runs);
        return_free(maps, whole);
    } catch (const std::bad_alloc&) { // no memory for the search; nothing has been changed
    }
}

/// Returns the pages `whole` to the system. The other free bytes of `maps` become free blocks.
void SmallBlocks::return_free(const std::vector<Map>& maps, const std::vector<Pages>& whole) noexcept {
    free_ = {};
    at_ = end_ = nullptr;
    regions_.clear(); // keeps its capacity, which suffices for the remaining regions
    std::size_t idle = 0;
    const auto keep = [&](std::byte* begin, const std::byte* end) {
        push_parts(begin, static_cast<std::size_t>(end - begin));
        idle += static_cast<std::size_t>(end - begin);
    };
    auto pages = whole.begin();
    for (const Map& map : maps) {
        const std::byte* const end = map.region + region_bytes;
        const auto some = [&](const std::byte* before) { return pages != whole.end() && pages->begin < before; };
        if (some(end) && pages->bytes == region_bytes) {
            unmap_pages(map.region, region_bytes);
            ++pages;
            continue;
        }
        regions_.push_back(map.region);
        if (some(end)) disable_huge_pages(map.region, region_bytes);
        map.for_each_run([&](std::byte* begin, std::size_t bytes) {
            if (!some(begin + bytes)) return keep(begin, begin + bytes);
            keep(begin, pages->begin);
            return_pages(pages->begin, pages->bytes);
            PM_POISON(pages->begin, pages->bytes);
            keep(pages->begin + pages->bytes, begin + bytes);
            ++pages;
        });
    }
    idle_.store(idle, std::memory_order_relaxed);
}

} // namespace pm::runtime
