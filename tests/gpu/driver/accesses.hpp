#pragma once

#include "tests/gpu/driver/body.hpp"
#include "tests/gpu/driver/thread.hpp"

namespace pm::ptx {

/// An operand [base + offset].
struct Place {
    Space space = Space::generic;
    std::uint32_t base = 0;
    std::int64_t offset = 0;
};

Space take_space(Body& b);
Place place_of(Body& b, const Operand& operand, Space space);

/// The host address of an aligned access. Null after a failure.
template <Space space, std::size_t bytes>
std::uint8_t* find_bytes(Thread& t, const Instruction* i, std::uint64_t address) {
    const bool aligned = address % bytes == 0;
    if constexpr (space == Space::global) {
        const Site& site = t.sites[i->site];
        const std::uint64_t offset = address - site.begin;
        if (offset < site.room && aligned) return site.host + offset;
        return device_bytes(t, i, address, bytes);
    }
    if constexpr (space == Space::shared) {
        if (aligned && address < t.shared_bytes && bytes <= t.shared_bytes - address) return t.shared + address;
        return shared_bytes(t, i, address, bytes);
    }
    if constexpr (space == Space::local) return local_bytes(t, i, address, bytes);
    if constexpr (space == Space::parameter) return parameter_bytes(t, i, address, bytes);
    return generic_bytes(t, i, address, bytes);
}

} // namespace pm::ptx
