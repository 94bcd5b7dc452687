#pragma once
#include "runtime/dtype.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pm::runtime {

/// The epilogue of a product that the library computes: function(scale * product + added_scale * added + bias). It is
/// computed in f32 and rounded once, to the type of the result. The bias and `added` also have this type.
struct ProductEpilogue {
    enum class Function : std::int64_t {
        none,
        gelu ///< the tanh approximation
    };
    Function function = Function::none;
    float scale = 1;
    float added_scale = 0; ///< 0: nothing is added
    std::int64_t added_b = 0, added_m = 0, added_n = 0;
    bool has_bias = false; ///< true: bias[b, i] is added, where i is the index along the contiguous axis of `out`
    std::int64_t bias_b = 0;

    auto operator<=>(const ProductEpilogue&) const = default;
};

/// out[b, m, n] = the sum over k of a[b, m, k] * b[b, k, n]. Members such as a_m are strides in elements: the stride of
/// `a` along axis m. Products of f32 are computed as TF32, products of f16 and bf16 exactly. Sums are computed in f32,
/// in an order that the library chooses.
struct ProductSpec {
    DType in = DType::f32;
    DType out = DType::f32;
    std::int64_t batch = 1, m = 0, n = 0, k = 0;
    std::int64_t a_b = 0, a_m = 0, a_k = 0;
    std::int64_t b_b = 0, b_k = 0, b_n = 0;
    std::int64_t out_b = 0, out_m = 0, out_n = 0;
    ProductEpilogue epilogue = {};

    auto operator<=>(const ProductSpec&) const = default;
};
/// Device addresses. `out` shares no memory with the other operands.
struct ProductOperands {
    const std::byte* a = nullptr;
    const std::byte* b = nullptr;
    const std::byte* bias = nullptr;  ///< null unless ProductEpilogue::has_bias
    const std::byte* added = nullptr; ///< null if ProductEpilogue::added_scale is 0
    std::byte* out = nullptr;
};
/// The bytes from the first to the last element of each operand, including these two elements. 0 for an operand that
/// the product does not have.
struct ProductBytes {
    std::size_t a = 0, b = 0, bias = 0, added = 0, out = 0;
};
/// The sizes of the operands of a product. The library must be able to compute the product.
ProductBytes product_bytes(const ProductSpec& spec);
/// The attributes as compiled code passes them.
std::vector<std::int64_t> product_attributes(const ProductSpec& spec);
ProductSpec product_spec(const std::int64_t* attributes);

} // namespace pm::runtime
