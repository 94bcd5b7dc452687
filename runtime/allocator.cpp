#include "runtime/allocator.hpp"

#include "runtime/failure.hpp"
#include "runtime/process.hpp"

#include <fmt/format.h>

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define PM_POISON(address, bytes) __asan_poison_memory_region(address, bytes)
#define PM_UNPOISON(address, bytes) __asan_unpoison_memory_region(address, bytes)
#else
#define PM_POISON(address, bytes) static_cast<void>(0)
#define PM_UNPOISON(address, bytes) static_cast<void>(0)
#endif

namespace pm::runtime {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t region_bytes = huge_page;       // small blocks are cut from regions of this size
constexpr std::size_t largest_small = 512U << 10;     // larger blocks are mapped on their own
constexpr std::size_t largest = std::size_t{1} << 46; // no request above can be met

/// Up to 256 bytes in steps of 64, then four classes per doubling: at most a quarter is lost.
std::size_t class_bytes(std::size_t bytes) {
    if (bytes <= 256) return std::max<std::size_t>(64, (bytes + 63) & ~std::size_t{63});
    const std::size_t step = std::bit_floor(bytes - 1) / 4;
    std::size_t rounded = (bytes + step - 1) & ~(step - 1);
    if (rounded >= huge_page) rounded = (rounded + huge_page - 1) & ~(huge_page - 1);
    return rounded;
}

/// A number for a class; not every number is used.
std::size_t class_index(std::size_t rounded) {
    if (rounded <= 256) return rounded / 64;
    const auto log = static_cast<std::size_t>(std::bit_width(rounded - 1));
    const std::size_t step = std::bit_floor(rounded - 1) / 4;
    return log * 4 + (rounded / step) % 4;
}
constexpr std::size_t class_count = 64 * 4;

/// Maps pages; from 2 MB on they begin on a 2 MB boundary and may be huge ones.
std::byte* map_pages(std::size_t bytes, bool huge) {
    const std::size_t spare = huge ? huge_page : 0;
    void* mapped =
        mmap(nullptr, bytes + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    auto* begin = static_cast<std::byte*>(mapped);
    if (!huge) return begin;
    const std::size_t over = reinterpret_cast<std::uintptr_t>(begin) % huge_page;
    std::byte* aligned = over == 0 ? begin : begin + (huge_page - over);
    if (aligned != begin) munmap(begin, static_cast<std::size_t>(aligned - begin));
    const auto behind = static_cast<std::size_t>(begin + bytes + spare - (aligned + bytes));
    if (behind != 0) munmap(aligned + bytes, behind);
    madvise(aligned, bytes, MADV_HUGEPAGE);
    return aligned;
}

void unmap_pages(std::byte* block, std::size_t bytes) noexcept {
    PM_UNPOISON(block, bytes);
    munmap(block, bytes);
}

[[noreturn]] void fail_memory(std::size_t bytes) {
    throw Failure(FailureKind::out_of_memory, fmt::format("no memory for {} bytes", bytes));
}

} // namespace

struct Allocator::State {
    // A free block holds the address of the next one of its class.
    struct Free {
        Free* next;
    };
    ProcessMark process; ///< in a fork of it nothing here is touched: the lock may be held for ever
    mutable std::mutex mutex;
    Options options;
    std::size_t in_use = 0;
    std::size_t peak = 0;
    std::size_t cached = 0;
    std::array<Free*, class_count> free{};
    std::vector<std::byte*> regions;
    std::size_t region_used = region_bytes;

    std::byte* pop(std::size_t index) {
        Free* block = free[index];
        if (block == nullptr) return nullptr;
        PM_UNPOISON(block, sizeof(Free));
        free[index] = block->next;
        return reinterpret_cast<std::byte*>(block);
    }

    void push(std::size_t index, std::byte* block, std::size_t rounded) {
        PM_UNPOISON(block, sizeof(Free));
        auto* entry = reinterpret_cast<Free*>(block);
        entry->next = free[index];
        free[index] = entry;
        PM_POISON(block, rounded);
        static_cast<void>(rounded);
    }

    std::byte* cut(std::size_t rounded) {
        if (region_used + rounded > region_bytes) {
            regions.reserve(regions.size() + 1);
            // The first region is likely to stay almost empty: it takes single pages, the others huge ones.
            std::byte* region = map_pages(region_bytes, !regions.empty());
            if (region == nullptr) return nullptr;
            PM_POISON(region, region_bytes);
            regions.push_back(region);
            region_used = 0;
        }
        std::byte* block = regions.back() + region_used;
        region_used += rounded;
        return block;
    }

    void trim() {
        std::size_t rounded = largest_small;
        while (cached != 0) {
            rounded = class_bytes(rounded + 1);
            while (std::byte* block = pop(class_index(rounded))) {
                unmap_pages(block, rounded);
                cached -= rounded;
            }
        }
    }
};

Allocator::Allocator(Options options) : state_(std::make_unique<State>()) { state_->options = options; }
std::shared_ptr<Allocator> Allocator::create(Options options) {
    return std::shared_ptr<Allocator>(new Allocator(options));
}

Allocator::~Allocator() {
    state_->trim();
    for (std::byte* region : state_->regions) unmap_pages(region, region_bytes);
}

std::byte* Allocator::allocate(std::size_t bytes) {
    if (!state_->process.here()) return allocate_from(nullptr, bytes);
    if (bytes > largest) fail_memory(bytes);
    const std::size_t rounded = class_bytes(bytes);
    const std::scoped_lock lock(state_->mutex);
    State& state = *state_;
    if (state.options.limit != 0 && (rounded > state.options.limit || state.in_use > state.options.limit - rounded))
        throw Failure(FailureKind::memory_limit,
                      fmt::format("{} more bytes would pass the memory limit of {} bytes ({} are in use)", bytes,
                                  state.options.limit, state.in_use));
    std::byte* block = state.pop(class_index(rounded));
    if (rounded <= largest_small) {
        if (block == nullptr) block = state.cut(rounded);
    } else if (block != nullptr) {
        state.cached -= rounded;
    } else {
        block = map_pages(rounded, rounded >= huge_page);
        if (block == nullptr && state.cached != 0) {
            state.trim();
            block = map_pages(rounded, rounded >= huge_page);
        }
    }
    if (block == nullptr) fail_memory(bytes);
    state.in_use += rounded;
    state.peak = std::max(state.peak, state.in_use);
    PM_POISON(block, rounded);
    PM_UNPOISON(block, bytes);
    return block;
}

void Allocator::release(std::byte* block, std::size_t bytes) noexcept {
    if (!state_->process.here()) return;
    const std::size_t rounded = class_bytes(bytes);
    const std::scoped_lock lock(state_->mutex);
    State& state = *state_;
    state.in_use -= rounded;
    if (rounded > largest_small) {
        if (rounded > state.options.most_cached || state.cached > state.options.most_cached - rounded) {
            unmap_pages(block, rounded);
            return;
        }
        state.cached += rounded;
    }
    state.push(class_index(rounded), block, rounded);
}

void Allocator::set_limit(std::size_t bytes) {
    const std::scoped_lock lock(state_->mutex);
    state_->options.limit = bytes;
}
std::size_t Allocator::limit() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->options.limit;
}
std::size_t Allocator::in_use() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->in_use;
}
std::size_t Allocator::peak() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->peak;
}
std::size_t Allocator::cached() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->cached;
}
void Allocator::trim() {
    const std::scoped_lock lock(state_->mutex);
    state_->trim();
}

std::byte* allocate_from(Allocator* allocator, std::size_t bytes) {
    if (allocator != nullptr) return allocator->allocate(bytes);
    if (bytes > largest) fail_memory(bytes);
    const std::size_t rounded = std::max(buffer_alignment, (bytes + buffer_alignment - 1) & ~(buffer_alignment - 1));
    void* block = std::aligned_alloc(buffer_alignment, rounded);
    if (block == nullptr) fail_memory(bytes);
    PM_POISON(static_cast<std::byte*>(block) + bytes, rounded - bytes);
    return static_cast<std::byte*>(block);
}

void release_to(Allocator* allocator, std::byte* block, std::size_t bytes) noexcept {
    if (allocator != nullptr) {
        allocator->release(block, bytes);
        return;
    }
    PM_UNPOISON(block, bytes + buffer_alignment);
    std::free(block);
}

Scratch::Scratch(std::shared_ptr<Allocator> allocator, std::size_t bytes)
    : allocator_(std::move(allocator)), data_(allocate_from(allocator_.get(), bytes)), bytes_(bytes) {}
Scratch::~Scratch() { release_to(allocator_.get(), data_, bytes_); }

} // namespace pm::runtime
