#pragma once
#include "compiler/stage/values/value.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

namespace pm::stage {

/// The dtype of this language that has the name `name` in NumPy, such as f32 for `float32`. Empty for other names.
inline std::string_view dtype_of_numpy(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 16> names{{
        {"float16", "f16"},
        {"bfloat16", "bf16"},
        {"float32", "f32"},
        {"float64", "f64"},
        {"int8", "i8"},
        {"int16", "i16"},
        {"int32", "i32"},
        {"int64", "i64"},
        {"uint8", "u8"},
        {"uint16", "u16"},
        {"uint32", "u32"},
        {"uint64", "u64"},
        {"bool_", "bool"},
        {"float", "f32"},
        {"int", "i32"},
        {"bool", "bool"},
    }};
    for (const auto& [theirs, ours] : names)
        if (theirs == name) return ours;
    return {};
}

/// Completes `d`, the error that a dtype is needed. If `given` is NumPy's name of a dtype, adds a suggestion with the
/// name in this language.
inline Diagnostic with_dtype(Diagnostic d, const Value& given) {
    std::string_view name;
    if (given.text()) name = *given.text();
    if (const Function* f = given.function()) name = f->name;
    if (const std::string_view ours = dtype_of_numpy(name); !ours.empty())
        d.help.push_back(fmt::format("dtypes are values: write {}", ours));
    return d;
}

} // namespace pm::stage
