#pragma once
#include "runtime/dtype.hpp"

#include <algorithm>
#include <array>
#include <string_view>

/// The values of Attr::precision of a `dot`: the precisions of matrix products, as in JAX. Some devices compute
/// products with a lower precision faster.
namespace pm::ir::precision {

constexpr std::string_view standard = "default"; ///< on GPUs, f32 factors are rounded to TF32
constexpr std::string_view high = "high";        ///< on GPUs, an f32 product is computed by three TF32 products
constexpr std::string_view highest = "highest";  ///< a GPU computes the same bits as a CPU

constexpr std::array all{standard, high, highest};

constexpr bool is(std::string_view word) { return std::find(all.begin(), all.end(), word) != all.end(); }
/// True if a device may choose the roundings and the order of sums in products of this dtype.
constexpr bool leaves_to_device(runtime::DType dtype, std::string_view precision) {
    return runtime::DType::f32 == dtype ? precision == standard
                                        : (dtype == runtime::DType::f16 || dtype == runtime::DType::bf16) &&
                                              !precision.empty() && precision != highest;
}
/// The possible values, for a message.
constexpr std::string_view choices = "\"default\", \"high\" or \"highest\"";

} // namespace pm::ir::precision
