#pragma once
#include "runtime/dtype.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pm::runtime {

/// What the library does to a product before it is stored: function(scale * product + added_scale * added + bias), in
/// f32, rounded once. The bias and what is added have the type of what is stored.
struct ProductEpilogue {
    enum class Function : std::int64_t {
        none,
        gelu ///< in its form by tanh
    };
    Function function = Function::none;
    float scale = 1;
    float added_scale = 0; ///< 0: nothing is added
    std::int64_t added_b = 0, added_m = 0, added_n = 0;
    bool has_bias = false; ///< bias[b, i], where i goes along the axis of `out` whose elements are neighbours
    std::int64_t bias_b = 0;

    auto operator<=>(const ProductEpilogue&) const = default;
};

/// out[b, m, n] = the sum over k of a[b, m, k] * b[b, k, n]; strides in elements, as of a dot step. f32 is multiplied
/// as TF32, halves exactly; sums are f32, in an order of the library's.
struct ProductSpec {
    DType in = DType::f32;
    DType out = DType::f32;
    std::int64_t batch = 1, m = 0, n = 0, k = 0;
    std::int64_t a_b = 0, a_m = 0, a_k = 0;
    std::int64_t b_b = 0, b_k = 0, b_n = 0;
    std::int64_t out_b = 0, out_m = 0, out_n = 0;
    ProductEpilogue end = {};

    auto operator<=>(const ProductSpec&) const = default;
};
/// Addresses of the device. `out` shares no memory with the others.
struct ProductOperands {
    const std::byte* a = nullptr;
    const std::byte* b = nullptr;
    const std::byte* bias = nullptr;  ///< ProductEpilogue::has_bias
    const std::byte* added = nullptr; ///< ProductEpilogue::added_scale
    std::byte* out = nullptr;
};
/// Bytes from the first element of each to behind its last; 0 of what a product has not.
struct ProductBytes {
    std::size_t a = 0, b = 0, bias = 0, added = 0, out = 0;
};
/// Of one that the library knows.
ProductBytes product_bytes(const ProductSpec& spec);
/// As compiled code hands it on.
std::vector<std::int64_t> product_attributes(const ProductSpec& spec);
ProductSpec product_spec(const std::int64_t* attributes);

} // namespace pm::runtime
