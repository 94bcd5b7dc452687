#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace pm::ptx {

/// Types of PTX. `b` types are treated as `u` types where a meaning is needed.
enum class Type {
    none,
    pred,
    b8,
    b16,
    b32,
    b64,
    u8,
    u16,
    u32,
    u64,
    s8,
    s16,
    s32,
    s64,
    f16,
    f16x2,
    bf16,
    bf16x2,
    tf32,
    f32,
    f64
};

Type type_named(std::string_view word);
std::size_t size_of(Type type);
inline bool is_signed(Type t) { return t >= Type::s8 && t <= Type::s64; }
inline bool is_integer(Type t) { return t >= Type::b8 && t <= Type::s64; }
inline bool is_float(Type t) { return t >= Type::f16; }

/// A register, a constant or a special register, with its value in the low bytes. The bits above the width of the value
/// are its sign or zero, and are not read.
using Slot = std::uint64_t;

/// Sixteen-bit floating-point numbers.
struct F16 {
    std::uint16_t bits;
};
struct BF16 {
    std::uint16_t bits;
};

template <class T>
T get(const Slot* r, std::uint32_t at) {
    T value;
    std::memcpy(&value, r + at, sizeof value);
    return value;
}

template <class T>
void set(Slot* r, std::uint32_t at, T value) {
    if constexpr (std::is_same_v<T, float>) {
        r[at] = std::bit_cast<std::uint32_t>(value);
    } else if constexpr (std::is_same_v<T, double>) {
        r[at] = std::bit_cast<std::uint64_t>(value);
    } else if constexpr (std::is_same_v<T, F16> || std::is_same_v<T, BF16>) {
        r[at] = value.bits;
    } else if constexpr (std::is_signed_v<T>) {
        r[at] = static_cast<Slot>(static_cast<std::int64_t>(value));
    } else {
        r[at] = static_cast<Slot>(value);
    }
}

} // namespace pm::ptx
