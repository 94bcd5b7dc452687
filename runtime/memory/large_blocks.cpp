#include "runtime/memory/large_blocks.hpp"

namespace pm::runtime {

// Free blocks are poisoned. The functions that access them are therefore not checked by the address sanitizer.

[[gnu::no_sanitize_address]] void LargeBlocks::insert(List& list, std::size_t which, Free* block) noexcept {
    block->newer[which] = nullptr;
    block->older[which] = list.newest;
    if (list.newest != nullptr)
        list.newest->newer[which] = block;
    else
        list.oldest = block;
    list.newest = block;
}

[[gnu::no_sanitize_address]] void LargeBlocks::remove(List& list, std::size_t which, Free* block) noexcept {
    Free* const newer = block->newer[which];
    Free* const older = block->older[which];
    if (newer != nullptr)
        newer->older[which] = older;
    else
        list.newest = older;
    if (older != nullptr)
        older->newer[which] = newer;
    else
        list.oldest = newer;
}

[[gnu::no_sanitize_address]] void LargeBlocks::take_out(Free* block) noexcept {
    remove(classes_[class_index(block->rounded)], 0, block);
    remove(all_, 1, block);
    cached_.store(cached() - block->rounded, std::memory_order_relaxed);
}

std::byte* LargeBlocks::reuse(std::size_t rounded) noexcept {
    Free* const block = classes_[class_index(rounded)].newest;
    if (block == nullptr) return nullptr;
    take_out(block);
    return reinterpret_cast<std::byte*>(block);
}

[[gnu::no_sanitize_address]] void LargeBlocks::keep(std::byte* block, std::size_t rounded) noexcept {
    PM_POISON(block, rounded);
    auto* const entry = reinterpret_cast<Free*>(block);
    entry->rounded = rounded;
    insert(classes_[class_index(rounded)], 0, entry);
    insert(all_, 1, entry);
    cached_.store(cached() + rounded, std::memory_order_relaxed);
}

[[gnu::no_sanitize_address]] void LargeBlocks::trim(std::size_t bytes) noexcept {
    while (bytes != 0 && all_.oldest != nullptr) {
        Free* const block = all_.oldest;
        const std::size_t rounded = block->rounded;
        take_out(block);
        unmap_pages(reinterpret_cast<std::byte*>(block), rounded);
        bytes -= bytes < rounded ? bytes : rounded;
    }
}

} // namespace pm::runtime
