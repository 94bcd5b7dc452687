#pragma once
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define PM_POISON(address, bytes) __asan_poison_memory_region(address, bytes)
#define PM_UNPOISON(address, bytes) __asan_unpoison_memory_region(address, bytes)
#else
#define PM_POISON(address, bytes) static_cast<void>(0)
#define PM_UNPOISON(address, bytes) static_cast<void>(0)
#endif

namespace pm::runtime {

constexpr std::size_t huge_page = std::size_t{2} << 20;

/// plain: the pages begin at any page. aligned: the pages begin on a 2 MB boundary. huge: as aligned, and the system is
/// advised to combine the pages into huge pages.
enum class PageKind { plain, aligned, huge };

/// Maps new pages, filled with zeros. Returns null if the system has no memory.
std::byte* map_pages(std::size_t bytes, PageKind kind);
void unmap_pages(std::byte* pages, std::size_t bytes) noexcept;

/// Returns the memory of pages to the system and keeps the addresses. When the pages are used again, they contain
/// zeros. Both arguments are multiples of page_bytes().
void return_pages(std::byte* pages, std::size_t bytes) noexcept;
/// Forbids huge pages in this range. Otherwise the system could merge pages of the range into a huge page, which would
/// allocate the returned memory again.
void disable_huge_pages(std::byte* pages, std::size_t bytes) noexcept;
std::size_t page_bytes();

} // namespace pm::runtime
