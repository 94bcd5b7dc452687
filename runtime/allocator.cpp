#include "runtime/allocator.hpp"

#include "runtime/failure.hpp"
#include "runtime/process.hpp"

#include <fmt/format.h>

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
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
    ProcessMark process;      ///< in a fork of it nothing here is touched: the lock may be held for ever
    mutable std::mutex mutex; // of the blocks
    Options options;
    std::atomic<std::size_t> limit{0};
    std::atomic<std::size_t> in_use{0};
    std::atomic<std::size_t> peak{0};
    std::atomic<std::size_t> cached{0};
    std::atomic<std::size_t> look_at{0}; // bytes in use from which on the machine is asked what it can still give
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

    /// A block of a class, fresh or used before; null where the system has none.
    std::byte* take(std::size_t rounded) {
        std::byte* block = pop(class_index(rounded));
        if (rounded <= largest_small) return block != nullptr ? block : cut(rounded);
        if (block != nullptr) {
            cached -= rounded;
            return block;
        }
        // Free blocks and those in use keep to the limit together.
        const std::size_t most = limit.load(std::memory_order_relaxed);
        if (most != 0 && cached != 0 && cached > most - std::min<std::size_t>(most, in_use)) trim();
        block = map_pages(rounded, rounded >= huge_page);
        if (block != nullptr || cached == 0) return block;
        trim();
        return map_pages(rounded, rounded >= huge_page);
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

Allocator::Allocator(Options options) : state_(std::make_unique<State>()) {
    state_->options = options;
    state_->limit = options.limit;
}
std::shared_ptr<Allocator> Allocator::create(Options options) {
    return std::shared_ptr<Allocator>(new Allocator(options));
}

Allocator::~Allocator() {
    state_->trim();
    for (std::byte* region : state_->regions) unmap_pages(region, region_bytes);
}

/// Counts `counted` bytes; `asked` are those that somebody wanted.
void Allocator::count(std::size_t counted, std::size_t asked) {
    State& state = *state_;
    const std::size_t limit = state.limit.load(std::memory_order_relaxed);
    std::size_t used = state.in_use.load(std::memory_order_relaxed);
    do {
        if (limit != 0 && (counted > limit || used > limit - counted))
            throw Failure(FailureKind::memory_limit,
                          fmt::format("{} more bytes would pass the memory limit of {} bytes ({} are in use)", asked,
                                      limit, used));
    } while (!state.in_use.compare_exchange_weak(used, used + counted, std::memory_order_relaxed));
    const std::size_t now = used + counted;
    std::size_t peak = state.peak.load(std::memory_order_relaxed);
    while (now > peak && !state.peak.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
    }
    if (!state.process.here() || state.options.available == nullptr ||
        now < state.look_at.load(std::memory_order_relaxed))
        return;
    try {
        look_at_machine(counted);
    } catch (...) {
        state.in_use.fetch_sub(counted, std::memory_order_relaxed);
        throw;
    }
}

/// Whether the machine has room for `more` bytes, which are counted already.
void Allocator::look_at_machine(std::size_t more) {
    constexpr std::size_t parts = 8; // of what is left, before it is looked at again
    State& state = *state_;
    const std::size_t reserve = state.options.reserve;
    std::size_t available = state.options.available();
    if (available < reserve + more && state.cached.load(std::memory_order_relaxed) != 0) {
        trim();
        available = state.options.available();
    }
    if (available < reserve || available - reserve < more)
        throw Failure(FailureKind::memory_limit,
                      fmt::format("{} more bytes would leave the machine too little memory ({} bytes are available)",
                                  more, available));
    state.look_at.store(state.in_use.load(std::memory_order_relaxed) + (available - reserve - more) / parts,
                        std::memory_order_relaxed);
}

void Allocator::charge(std::size_t bytes) {
    count(bytes, bytes);
    if (!state_->process.here()) return;
    // What is charged takes the place of free blocks that would pass the limit with it.
    const State& state = *state_;
    const std::size_t limit = state.limit.load(std::memory_order_relaxed);
    const std::size_t cached = state.cached.load(std::memory_order_relaxed);
    if (limit != 0 && cached != 0 && cached > limit - std::min(limit, in_use())) trim();
}

void Allocator::discharge(std::size_t bytes) noexcept { state_->in_use.fetch_sub(bytes, std::memory_order_relaxed); }

std::byte* Allocator::allocate(std::size_t bytes) {
    if (!state_->process.here()) return allocate_from(nullptr, bytes);
    if (bytes > largest) fail_memory(bytes);
    const std::size_t rounded = class_bytes(bytes);
    count(rounded, bytes);
    State& state = *state_;
    const std::scoped_lock lock(state.mutex);
    std::byte* block = nullptr;
    try {
        block = state.take(rounded);
    } catch (...) {
        discharge(rounded);
        throw;
    }
    if (block == nullptr) {
        discharge(rounded);
        fail_memory(bytes);
    }
    PM_POISON(block, rounded);
    PM_UNPOISON(block, bytes);
    return block;
}

void Allocator::release(std::byte* block, std::size_t bytes) noexcept {
    if (!state_->process.here()) return;
    const std::size_t rounded = class_bytes(bytes);
    const std::scoped_lock lock(state_->mutex);
    State& state = *state_;
    const std::size_t used = state.in_use.fetch_sub(rounded, std::memory_order_relaxed) - rounded;
    if (rounded > largest_small) {
        const std::size_t limit = state.limit.load(std::memory_order_relaxed);
        const std::size_t room = limit == 0 ? state.options.most_cached : limit - std::min(limit, used);
        const std::size_t most = std::min(room, state.options.most_cached);
        if (rounded > most || state.cached > most - rounded) {
            unmap_pages(block, rounded);
            return;
        }
        state.cached += rounded;
    }
    state.push(class_index(rounded), block, rounded);
}

void Allocator::set_limit(std::size_t bytes) { state_->limit = bytes; }
std::size_t Allocator::limit() const { return state_->limit; }
std::size_t Allocator::in_use() const { return state_->in_use; }
std::size_t Allocator::peak() const { return state_->peak; }
std::size_t Allocator::cached() const { return state_->cached; }
void Allocator::trim() {
    if (!state_->process.here()) return;
    const std::scoped_lock lock(state_->mutex);
    state_->trim();
}

void ChargedText::grow(std::size_t bytes) {
    charge_.resize(text_.capacity() + bytes + 1);
    text_.reserve(bytes);
    charge_.resize(text_.capacity() + 1);
}
void ChargedText::reserve(std::size_t bytes) {
    if (bytes > text_.capacity()) grow(bytes);
}
void ChargedText::resize(std::size_t bytes) {
    if (bytes > text_.capacity()) grow(std::max(bytes, 2 * text_.capacity()));
    text_.resize(bytes);
}
void ChargedText::append(std::string_view more) {
    const std::size_t bytes = text_.size() + more.size();
    if (bytes > text_.capacity()) grow(std::max(bytes, 2 * text_.capacity()));
    text_ += more;
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
