#pragma once
#include "runtime/dtype.hpp"

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
/// Whether products of this dtype may have roundings and orders of sums of a device's own.
constexpr bool leaves_to_device(runtime::DType dtype, std::string_view precision) {
    return runtime::DType::f32 == dtype ? precision == standard
                                        : (dtype == runtime::DType::f16 || dtype == runtime::DType::bf16) &&
                                              !precision.empty() && precision != highest;
}
/// The words, for a message.
constexpr std::string_view choices = "\"default\", \"high\" or \"highest\"";

} // namespace pm::ir::precision
