#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pm::runtime {

/// Element types. Complex numbers are stored as (real, imaginary). A `key` is a random key of 64 bits: k0 in the upper
/// half, k1 in the lower. A bool (`b1`) is one byte, 0 or 1. A `tape` is the address of a Tape (tape.hpp), or 0 for
/// none; programs cannot name this type.
enum class DType : std::uint8_t { b1, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, c64, c128, key, tape };

constexpr int dtype_count = 17;
/// The number of dtypes that have a name in the language. These dtypes come first in DType.
constexpr int named_dtype_count = 16;

constexpr std::size_t size_of(DType d) {
    switch (d) {
    case DType::b1:
    case DType::i8:
    case DType::u8: return 1;
    case DType::i16:
    case DType::u16:
    case DType::f16:
    case DType::bf16: return 2;
    case DType::i32:
    case DType::u32:
    case DType::f32: return 4;
    case DType::i64:
    case DType::u64:
    case DType::f64:
    case DType::c64:
    case DType::key:
    case DType::tape: return 8;
    case DType::c128: return 16;
    }
    return 0;
}

/// The name in the language: "bool", "f32", "key" ...
constexpr std::string_view name(DType d) {
    constexpr std::string_view names[] = {"bool", "i8",   "i16", "i32", "i64", "u8",   "u16", "u32", "u64",
                                          "f16",  "bf16", "f32", "f64", "c64", "c128", "key", "tape"};
    return names[static_cast<std::size_t>(d)];
}

constexpr bool is_signed_integer(DType d) { return d >= DType::i8 && d <= DType::i64; }
constexpr bool is_unsigned_integer(DType d) { return d >= DType::u8 && d <= DType::u64; }
constexpr bool is_integer(DType d) { return d >= DType::i8 && d <= DType::u64; }
constexpr bool is_float(DType d) { return d >= DType::f16 && d <= DType::f64; }
constexpr bool is_complex(DType d) { return d == DType::c64 || d == DType::c128; }
/// Floats of 16 bits.
constexpr bool is_half(DType d) { return d == DType::f16 || d == DType::bf16; }
/// The type of the real and imaginary parts of a complex type; for other types, the type itself.
constexpr DType part_type(DType d) { return d == DType::c64 ? DType::f32 : d == DType::c128 ? DType::f64 : d; }
/// Floats and complex numbers: only values of these types have derivatives.
constexpr bool is_inexact(DType d) { return is_float(d) || is_complex(d); }

} // namespace pm::runtime
