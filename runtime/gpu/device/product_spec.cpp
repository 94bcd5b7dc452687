#include "runtime/gpu/device/product_spec.hpp"

#include <bit>
#include <initializer_list>
#include <utility>

namespace pm::runtime {
namespace {

std::int64_t word_of(std::int64_t x) { return x; }
std::int64_t word_of(bool x) { return x ? 1 : 0; }
std::int64_t word_of(float x) { return std::bit_cast<std::int32_t>(x); }
std::int64_t word_of(DType x) { return static_cast<std::int64_t>(x); }
std::int64_t word_of(ProductEpilogue::Function x) { return static_cast<std::int64_t>(x); }

void take(std::int64_t word, std::int64_t& x) { x = word; }
void take(std::int64_t word, bool& x) { x = word != 0; }
void take(std::int64_t word, float& x) { x = std::bit_cast<float>(static_cast<std::int32_t>(word)); }
void take(std::int64_t word, DType& x) { x = static_cast<DType>(word); }
void take(std::int64_t word, ProductEpilogue::Function& x) { x = static_cast<ProductEpilogue::Function>(word); }

/// Calls `use` for each field of a ProductSpec, in a fixed order.
template <class Spec, class Use>
void each_field(Spec& s, const Use& use) {
    const auto all = [&](auto&... fields) { (use(fields), ...); };
    all(s.in, s.out, s.batch, s.m, s.n, s.k, s.a_b, s.a_m, s.a_k, s.b_b, s.b_k, s.b_n, s.out_b, s.out_m, s.out_n);
    auto& e = s.epilogue;
    all(e.function, e.scale, e.added_scale, e.added_b, e.added_m, e.added_n, e.has_bias, e.bias_b);
}

} // namespace

std::vector<std::int64_t> product_attributes(const ProductSpec& spec) {
    std::vector<std::int64_t> made;
    each_field(spec, [&](const auto& field) { made.push_back(word_of(field)); });
    return made;
}
ProductSpec product_spec(const std::int64_t* attributes) {
    ProductSpec spec;
    each_field(spec, [&](auto& field) { take(*attributes++, field); });
    return spec;
}

ProductBytes product_bytes(const ProductSpec& s) {
    const auto bytes = [](DType dtype, std::initializer_list<std::pair<std::int64_t, std::int64_t>> axes) {
        std::int64_t last = 0;
        for (const auto& [size, stride] : axes) last += (size - 1) * stride;
        return static_cast<std::size_t>(last + 1) * size_of(dtype);
    };
    const ProductEpilogue& end = s.epilogue;
    const std::int64_t neighbours = s.out_n == 1 ? s.n : s.m;
    return {.a = bytes(s.in, {{s.batch, s.a_b}, {s.m, s.a_m}, {s.k, s.a_k}}),
            .b = bytes(s.in, {{s.batch, s.b_b}, {s.k, s.b_k}, {s.n, s.b_n}}),
            .bias = end.has_bias ? bytes(s.out, {{s.batch, end.bias_b}, {neighbours, 1}}) : 0,
            .added = end.added_scale != 0
                         ? bytes(s.out, {{s.batch, end.added_b}, {s.m, end.added_m}, {s.n, end.added_n}})
                         : 0,
            .out = bytes(s.out, {{s.batch, s.out_b}, {s.m, s.out_m}, {s.n, s.out_n}})};
}

} // namespace pm::runtime
