#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace pm {

/// A digest of 128 bits that stands for a text in keys: SipHash-2-4 (Aumasson, Bernstein 2012) with a fixed key. Texts
/// that differ have the same one with a probability of 2^-128.
std::array<std::uint64_t, 2> digest(std::string_view text);

} // namespace pm
