#include "runtime/memory/allocator.hpp"

#include "runtime/failure.hpp"
#include "runtime/memory/large_blocks.hpp"
#include "runtime/memory/prepaid.hpp"
#include "runtime/memory/small_blocks.hpp"
#include "runtime/process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>

namespace pm::runtime {
namespace {

constexpr std::size_t largest = std::size_t{1} << 46; // larger requests fail

// Three sizes for free small blocks. `spare_small`: this many free bytes do not count against the limit.
// `looked_through`: near the limit, small blocks are trimmed each time this many further bytes are free. `most_beyond`:
// the memory in use and the free memory together may exceed the limit by this amount, because free blocks between
// blocks in use cannot always be returned.
constexpr std::size_t spare_small = std::size_t{4} << 20;
constexpr std::size_t looked_through = std::size_t{2} << 20;
constexpr std::size_t most_beyond = std::size_t{8} << 20;

/// The amount that this thread has prepaid to an account. With a prepaid amount, small charges rarely change the
/// counter that all threads share.
struct Prepaid {
    Allocator* account = nullptr;
    std::size_t bytes = 0;
};
thread_local Prepaid prepaid;
constexpr std::size_t prepaid_at_once = std::size_t{64} << 10;

[[noreturn]] void fail_memory(std::size_t bytes) {
    throw Failure(FailureKind::out_of_memory, fmt::format("no memory for {} bytes", bytes));
}

} // namespace

struct Allocator::State {
    /// In a fork no other member is used, because another thread may have held the lock at the time of the fork.
    ProcessMark process;
    mutable std::mutex mutex; // guards the blocks
    Options options;
    std::atomic<std::size_t> limit{0};
    std::atomic<std::size_t> in_use{0};
    std::atomic<std::size_t> peak{0};
    std::atomic<std::size_t> next_check{0}; // bytes in use from which on `available` is called again
    SmallBlocks small;
    LargeBlocks large;
    std::size_t idle_after_trim = 0; // free bytes of small blocks after the last trim; they lie between blocks in use

    /// The bytes by which the memory in use and the free memory together exceed the limit.
    std::size_t beyond() const {
        const std::size_t most = limit.load(std::memory_order_relaxed);
        const std::size_t idle = small.idle();
        const std::size_t taken =
            in_use.load(std::memory_order_relaxed) + large.cached() + (idle > spare_small ? idle - spare_small : 0);
        return most == 0 || taken <= most ? 0 : taken - most;
    }

    void trim_small() noexcept {
        small.trim();
        idle_after_trim = small.idle();
    }

    /// Called after `more` bytes have been counted as in use. Returns free blocks to the system until beyond() is 0, if
    /// possible. Throws Failure(memory_limit) if beyond() stays too large.
    void make_room(std::size_t more) {
        large.trim(beyond());
        if (beyond() == 0) return;
        const bool late = beyond() > most_beyond;
        if (late || small.idle() >= idle_after_trim + looked_through) trim_small();
        if (late && beyond() > most_beyond - looked_through)
            throw Failure(
                FailureKind::memory_limit,
                fmt::format("{} more bytes would pass the memory limit of {} bytes ({} are in use, and {} are "
                            "free between them)",
                            more, limit.load(), in_use.load() - more, small.idle()));
    }

    void charge(Allocator& account, std::size_t bytes) {
        account.count(bytes, bytes);
        if (!process.here() || beyond() == 0) return;
        try {
            const std::scoped_lock lock(mutex);
            make_room(bytes);
        } catch (...) {
            in_use.fetch_sub(bytes, std::memory_order_relaxed);
            throw;
        }
    }

    /// Whether the limit allows `bytes` more bytes.
    bool has_room(std::size_t bytes) const {
        const std::size_t most = limit.load(std::memory_order_relaxed);
        const std::size_t used = in_use.load(std::memory_order_relaxed);
        return most == 0 || (used <= most && bytes <= most - used);
    }

    /// Subtracts the bytes from the thread's prepaid amount, and prepays more if needed. Returns false if the thread
    /// does not prepay for this account, if `bytes` exceeds one prepayment, or if there is no room for a further
    /// prepayment. The caller must then count the bytes separately.
    bool take_prepaid(Allocator& account, std::size_t bytes) {
        if (prepaid.account != &account || bytes > prepaid_at_once) return false;
        if (prepaid.bytes < bytes && !prepay_more(account)) {
            in_use.fetch_sub(std::exchange(prepaid.bytes, 0), std::memory_order_relaxed);
            return false;
        }
        prepaid.bytes -= bytes;
        return true;
    }

    bool prepay_more(Allocator& account) {
        if (!has_room(prepaid_at_once)) return false;
        try {
            charge(account, prepaid_at_once);
        } catch (const Failure&) { // another thread has used the room, or the machine has no more memory
            return false;
        }
        prepaid.bytes += prepaid_at_once;
        return true;
    }

    /// A block of the class with size `rounded`, new or reused. Returns null if the system has no memory.
    std::byte* take(std::size_t rounded) {
        if (std::byte* block = rounded <= largest_small ? small.reuse(rounded) : large.reuse(rounded)) return block;
        make_room(rounded);
        const auto fresh = [&] {
            if (rounded <= largest_small) return small.cut(rounded);
            return map_pages(rounded, rounded >= huge_page ? PageKind::huge : PageKind::plain);
        };
        std::byte* block = fresh();
        if (block != nullptr) return block;
        give_back(large.cached() + 1);
        return fresh();
    }

    /// Returns `bytes` bytes of free blocks to the system, or as many as possible. Small blocks are returned only if
    /// the large blocks do not suffice. The result is false if nothing was returned.
    bool give_back(std::size_t bytes) noexcept {
        const std::size_t cached = large.cached();
        const std::size_t free = cached + small.idle();
        large.trim(bytes);
        if (bytes > cached) trim_small();
        return large.cached() + small.idle() < free;
    }
};

void prepay(Allocator* account) noexcept {
    if (prepaid.account == account) return;
    const Prepaid rest = std::exchange(prepaid, {});
    if (rest.bytes != 0) rest.account->discharge(rest.bytes);
    prepaid.account = account;
}

Allocator::Allocator(Options options) : state_(std::make_unique<State>()) {
    state_->options = options;
    state_->limit = options.limit;
}
std::shared_ptr<Allocator> Allocator::create(Options options) {
    return std::shared_ptr<Allocator>(new Allocator(options));
}

Allocator::~Allocator() {
    // In a fork the blocks are not freed: another thread may have been changing their lists at the time of the fork.
    if (!state_->process.here()) static_cast<void>(state_.release());
}

/// Counts `counted` bytes as in use. `requested` is the number of bytes that the caller requested, for the message of a
/// Failure.
void Allocator::count(std::size_t counted, std::size_t requested) {
    State& state = *state_;
    const std::size_t limit = state.limit.load(std::memory_order_relaxed);
    std::size_t used = state.in_use.load(std::memory_order_relaxed);
    do {
        if (limit != 0 && (counted > limit || used > limit - counted))
            throw Failure(FailureKind::memory_limit,
                          fmt::format("{} more bytes would pass the memory limit of {} bytes ({} are in use)",
                                      requested, limit, used));
    } while (!state.in_use.compare_exchange_weak(used, used + counted, std::memory_order_relaxed));
    const std::size_t now = used + counted;
    std::size_t peak = state.peak.load(std::memory_order_relaxed);
    while (now > peak && !state.peak.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
    }
    if (!state.process.here() || state.options.available == nullptr ||
        now < state.next_check.load(std::memory_order_relaxed))
        return;
    try {
        check_available(counted);
    } catch (...) {
        state.in_use.fetch_sub(counted, std::memory_order_relaxed);
        throw;
    }
}

/// Throws Failure(memory_limit) if the machine does not have room for `more` bytes. These bytes have already been
/// counted as in use.
void Allocator::check_available(std::size_t more) {
    constexpr std::size_t parts = 8; // after this part of the remaining bytes has been used, the next check follows
    constexpr std::size_t at_once = std::size_t{64} << 20; // the fewest bytes to return, because `available` is inexact
    State& state = *state_;
    const std::size_t reserve = state.options.reserve;
    std::size_t available = state.options.available();
    const auto give_back = [&] {
        const std::scoped_lock lock(state.mutex);
        return state.give_back(std::max(reserve + more - available, at_once));
    };
    while (available < reserve + more && give_back()) available = state.options.available();
    if (available < reserve || available - reserve < more)
        throw Failure(FailureKind::memory_limit,
                      fmt::format("{} more bytes would leave the machine too little memory ({} bytes are available)",
                                  more, available));
    state.next_check.store(state.in_use.load(std::memory_order_relaxed) + (available - reserve - more) / parts,
                           std::memory_order_relaxed);
}

void Allocator::charge(std::size_t bytes) {
    if (!state_->take_prepaid(*this, bytes)) state_->charge(*this, bytes);
}

void Allocator::discharge(std::size_t bytes) noexcept {
    if (prepaid.account != this || bytes > prepaid_at_once) {
        state_->in_use.fetch_sub(bytes, std::memory_order_relaxed);
        return;
    }
    prepaid.bytes += bytes;
    if (prepaid.bytes <= 2 * prepaid_at_once) return;
    state_->in_use.fetch_sub(prepaid.bytes - prepaid_at_once, std::memory_order_relaxed);
    prepaid.bytes = prepaid_at_once;
}

std::byte* Allocator::allocate(std::size_t bytes, std::size_t unused) {
    if (!state_->process.here()) return allocate_from(nullptr, bytes);
    if (bytes > largest) fail_memory(bytes);
    const std::size_t rounded = class_bytes(bytes);
    const std::size_t used = rounded - unused;
    State& state = *state_;
    if (!state.take_prepaid(*this, used)) count(used, bytes - unused);
    const std::scoped_lock lock(state.mutex);
    std::byte* block = nullptr;
    try {
        block = state.take(rounded);
    } catch (const std::bad_alloc&) { // no memory for the bookkeeping of blocks
    } catch (...) {
        discharge(used);
        throw;
    }
    if (block == nullptr) {
        discharge(used);
        fail_memory(bytes);
    }
    PM_POISON(block, rounded);
    PM_UNPOISON(block, bytes);
    return block;
}

void Allocator::release(std::byte* block, std::size_t bytes, std::size_t unused) noexcept {
    if (!state_->process.here()) return;
    const std::size_t rounded = class_bytes(bytes);
    const std::scoped_lock lock(state_->mutex);
    State& state = *state_;
    discharge(rounded - unused);
    if (rounded <= largest_small) return state.small.release(block, rounded);
    state.large.keep(block, rounded);
    const std::size_t most = state.options.most_cached;
    state.large.trim(std::max(state.beyond(), state.large.cached() - std::min(most, state.large.cached())));
}

void Allocator::set_limit(std::size_t bytes) { state_->limit = bytes; }
std::size_t Allocator::limit() const { return state_->limit; }
std::size_t Allocator::in_use() const { return state_->in_use - (prepaid.account == this ? prepaid.bytes : 0); }
std::size_t Allocator::peak() const { return state_->peak; }
std::size_t Allocator::cached() const { return state_->large.cached() + state_->small.idle(); }
void Allocator::trim() {
    if (!state_->process.here()) return;
    const std::scoped_lock lock(state_->mutex);
    state_->give_back(state_->large.cached() + 1);
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

std::byte* allocate_from(Allocator* allocator, std::size_t bytes, std::size_t unused) {
    if (allocator != nullptr) return allocator->allocate(bytes, unused);
    if (bytes > largest) fail_memory(bytes);
    const std::size_t rounded = std::max(buffer_alignment, (bytes + buffer_alignment - 1) & ~(buffer_alignment - 1));
    void* block = std::aligned_alloc(buffer_alignment, rounded);
    if (block == nullptr) fail_memory(bytes);
    PM_POISON(static_cast<std::byte*>(block) + bytes, rounded - bytes);
    return static_cast<std::byte*>(block);
}

void release_to(Allocator* allocator, std::byte* block, std::size_t bytes, std::size_t unused) noexcept {
    if (allocator != nullptr) {
        allocator->release(block, bytes, unused);
        return;
    }
    PM_UNPOISON(block, bytes + buffer_alignment);
    std::free(block);
}

Scratch::Scratch(std::shared_ptr<Allocator> allocator, std::size_t bytes)
    : allocator_(std::move(allocator)), data_(bytes == 0 ? nullptr : allocate_from(allocator_.get(), bytes)),
      bytes_(bytes) {}
Scratch::~Scratch() {
    if (data_ != nullptr) release_to(allocator_.get(), data_, bytes_);
}

} // namespace pm::runtime
