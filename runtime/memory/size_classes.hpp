#pragma once
#include "runtime/memory/mapped_pages.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace pm::runtime {

constexpr std::size_t block_unit = 64;                   // the size of every block is a multiple of this
constexpr std::size_t largest_small = 512U << 10;        // each larger block has its own pages
constexpr std::size_t class_count = std::size_t{64} * 4; // class indices; not all of them are used

/// The size of the class for a block of `bytes` bytes. Sizes of classes are multiples of 64 bytes up to 256 bytes. From
/// there on each power of two is followed by three classes in equal steps. Classes of 2 MB and more are also rounded up
/// to multiples of 2 MB. Above 256 bytes, rounding adds at most a quarter or at most 2 MB.
constexpr std::size_t class_bytes(std::size_t bytes) {
    if (bytes <= 256) return std::max(block_unit, (bytes + block_unit - 1) & ~(block_unit - 1));
    const std::size_t step = std::bit_floor(bytes - 1) / 4;
    std::size_t rounded = (bytes + step - 1) & ~(step - 1);
    if (rounded >= huge_page) rounded = (rounded + huge_page - 1) & ~(huge_page - 1);
    return rounded;
}

/// The size of the largest class of small blocks that is at most `bytes`. `bytes` is a multiple of 64.
constexpr std::size_t class_within(std::size_t bytes) {
    if (bytes <= 256) return bytes;
    if (bytes >= largest_small) return largest_small;
    return bytes & ~(std::bit_floor(bytes) / 4 - 1);
}

/// The index of the class with size `rounded`.
constexpr std::size_t class_index(std::size_t rounded) {
    if (rounded <= 256) return rounded / block_unit;
    const auto log = static_cast<std::size_t>(std::bit_width(rounded - 1));
    const std::size_t step = std::bit_floor(rounded - 1) / 4;
    return log * 4 + (rounded / step) % 4;
}

} // namespace pm::runtime
