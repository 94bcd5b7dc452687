#include "runtime/memory/mapped_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace pm::runtime {

std::byte* map_pages(std::size_t bytes, PageKind kind) {
    const std::size_t spare = kind == PageKind::plain ? 0 : huge_page;
    void* mapped =
        mmap(nullptr, bytes + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    auto* begin = static_cast<std::byte*>(mapped);
    if (kind == PageKind::plain) return begin;
    const std::size_t over = reinterpret_cast<std::uintptr_t>(begin) % huge_page;
    std::byte* aligned = over == 0 ? begin : begin + (huge_page - over);
    if (aligned != begin) munmap(begin, static_cast<std::size_t>(aligned - begin));
    const auto suffix = static_cast<std::size_t>(begin + bytes + spare - (aligned + bytes));
    if (suffix != 0) munmap(aligned + bytes, suffix);
    if (kind == PageKind::huge) madvise(aligned, bytes, MADV_HUGEPAGE);
    return aligned;
}

void unmap_pages(std::byte* pages, std::size_t bytes) noexcept {
    PM_UNPOISON(pages, bytes);
    munmap(pages, bytes);
}

void return_pages(std::byte* pages, std::size_t bytes) noexcept { madvise(pages, bytes, MADV_DONTNEED); }
void disable_huge_pages(std::byte* pages, std::size_t bytes) noexcept { madvise(pages, bytes, MADV_NOHUGEPAGE); }

std::size_t page_bytes() {
    static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

} // namespace pm::runtime
