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

/// Whether pages begin on a 2 MB boundary, and may be huge ones.
enum class PageKind { plain, aligned, huge };

/// Pages of the system, whose bytes are 0; null where it has none.
std::byte* map_pages(std::size_t bytes, PageKind kind);
void unmap_pages(std::byte* pages, std::size_t bytes) noexcept;

/// The memory of pages goes back to the system, the addresses stay: their bytes are 0 when they are used again. Both
/// are multiples of page_bytes().
void return_pages(std::byte* pages, std::size_t bytes) noexcept;
/// Pages are not joined to huge ones any more, which would take back what has been returned.
void keep_pages_apart(std::byte* pages, std::size_t bytes) noexcept;
std::size_t page_bytes();

} // namespace pm::runtime
