#pragma once
#include "runtime/memory/mapped_pages.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace pm::runtime {

constexpr std::size_t block_unit = 64;                   // blocks are multiples of it
constexpr std::size_t largest_small = 512U << 10;        // larger blocks are mapped on their own
constexpr std::size_t class_count = std::size_t{64} * 4; // numbers of classes; not every number is used

/// The class of a block: up to 256 bytes in steps of 64, then four classes per doubling: at most a quarter is lost.
constexpr std::size_t class_bytes(std::size_t bytes) {
    if (bytes <= 256) return std::max(block_unit, (bytes + block_unit - 1) & ~(block_unit - 1));
    const std::size_t step = std::bit_floor(bytes - 1) / 4;
    std::size_t rounded = (bytes + step - 1) & ~(step - 1);
    if (rounded >= huge_page) rounded = (rounded + huge_page - 1) & ~(huge_page - 1);
    return rounded;
}

/// The largest class of small blocks that is not more than `bytes`, a multiple of 64.
constexpr std::size_t class_within(std::size_t bytes) {
    if (bytes <= 256) return bytes;
    if (bytes >= largest_small) return largest_small;
    return bytes & ~(std::bit_floor(bytes) / 4 - 1);
}

/// The number of a class.
constexpr std::size_t class_index(std::size_t rounded) {
    if (rounded <= 256) return rounded / block_unit;
    const auto log = static_cast<std::size_t>(std::bit_width(rounded - 1));
    const std::size_t step = std::bit_floor(rounded - 1) / 4;
    return log * 4 + (rounded / step) % 4;
}

} // namespace pm::runtime
