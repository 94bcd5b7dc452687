#pragma once
#include "runtime/dtype.hpp"

#include <algorithm>
#include <array>
#include <string_view>

/// The precision of matrix products, for devices that compute less precise products faster: Attr::precision of a `dot`,
/// as in JAX.
namespace pm::ir::precision {

constexpr std::string_view standard = "default"; ///< on GPUs factors of f32 are rounded to TF32
constexpr std::string_view high = "high";        ///< three TF32 products for each f32 product
constexpr std::string_view highest = "highest";  ///< the same bits as on a CPU

constexpr std::array all{standard, high, highest};

constexpr bool is(std::string_view word) { return std::find(all.begin(), all.end(), word) != all.end(); }
/// Whether the device may choose the roundings and the order of sums in products of this dtype.
constexpr bool leaves_to_device(runtime::DType dtype, std::string_view precision) {
    return runtime::DType::f32 == dtype ? precision == standard
                                        : (dtype == runtime::DType::f16 || dtype == runtime::DType::bf16) &&
                                              !precision.empty() && precision != highest;
}
/// The choices, for a message.
constexpr std::string_view choices = "\"default\", \"high\" or \"highest\"";

} // namespace pm::ir::precision
