#pragma once
#include <algorithm>
#include <array>
#include <string_view>

/// How exact products of matrices are where a device has faster ways: Attr::precision of a `dot`, as in JAX.
namespace pm::ir::precision {

constexpr std::string_view standard = "default"; ///< on GPUs factors of f32 are rounded to TF32
constexpr std::string_view high = "high";        ///< three products of TF32 for one of f32
constexpr std::string_view highest = "highest";  ///< the bits of a processor

constexpr std::array all{standard, high, highest};

constexpr bool is(std::string_view word) { return std::find(all.begin(), all.end(), word) != all.end(); }
/// The words, for a message.
constexpr std::string_view choices = "\"default\", \"high\" or \"highest\"";

} // namespace pm::ir::precision
