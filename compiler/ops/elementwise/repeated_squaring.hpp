#pragma once
#include <cstdint>

namespace pm::ops {

constexpr std::uint64_t magnitude(std::int64_t n) {
    return n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
}

/// Computes x^n from the bits of n, beginning with the lowest bit. square() squares the current power of x, and
/// multiply() multiplies the product by the current power.
template <class Square, class Multiply>
void walk_power(std::uint64_t n, Square&& square, Multiply&& multiply) {
    while (true) {
        if ((n & 1) != 0) multiply();
        n >>= 1;
        if (n == 0) return;
        square();
    }
}

} // namespace pm::ops
