#include "runtime/gpu/device/convolutions.hpp"

#include <bit>

namespace pm::runtime {
namespace {

std::int64_t places(const ConvolutionSpec::Sizes& sizes) { return sizes[0] * sizes[1] * sizes[2]; }

} // namespace

std::array<std::int64_t, 3> ConvolutionSpec::elements() const {
    return {batch * places(x) * in, out * places(w) * (in / groups), batch * places(y) * out};
}

std::array<std::size_t, 3> ConvolutionSpec::bytes() const {
    const auto [of_x, of_w, of_y] = elements();
    const auto in_order = [&](std::int64_t a, std::int64_t b, std::int64_t result) -> std::array<std::size_t, 3> {
        const std::size_t one = size_of(dtype);
        return {one * static_cast<std::size_t>(a), one * static_cast<std::size_t>(b),
                one * static_cast<std::size_t>(result)};
    };
    switch (kind) {
    case Kind::forward: break;
    case Kind::data: return in_order(of_w, of_y, of_x);
    case Kind::filter: return in_order(of_x, of_y, of_w);
    }
    return in_order(of_x, of_w, of_y);
}

bool ConvolutionSpec::large() const {
    // Measured on an H100: a convolution with 2^25.8 multiplications, the smallest that was measured, takes 40 us with
    // cuDNN and 235 us as sums of products.
    constexpr double least_work = 1 << 22;
    return static_cast<double>(elements()[2]) * static_cast<double>(places(w)) * static_cast<double>(in / groups) >=
           least_work;
}

std::vector<std::int64_t> convolution_attributes(const ConvolutionSpec& s) {
    std::vector<std::int64_t> made{
        static_cast<std::int64_t>(s.kind), static_cast<std::int64_t>(s.dtype), s.axes, s.batch, s.groups, s.in, s.out};
    for (const ConvolutionSpec::Sizes* sizes : {&s.x, &s.w, &s.y, &s.stride, &s.dilation, &s.padding})
        made.insert(made.end(), sizes->begin(), sizes->end());
    return made;
}

ConvolutionSpec convolution_spec(const std::int64_t* a) {
    ConvolutionSpec s;
    s.kind = static_cast<ConvolutionSpec::Kind>(a[0]);
    s.dtype = static_cast<DType>(a[1]);
    s.axes = static_cast<int>(a[2]);
    s.batch = a[3];
    s.groups = a[4];
    s.in = a[5];
    s.out = a[6];
    const std::int64_t* next = a + 7;
    for (ConvolutionSpec::Sizes* sizes : {&s.x, &s.w, &s.y, &s.stride, &s.dilation, &s.padding})
        for (std::int64_t& size : *sizes) size = *next++;
    return s;
}

std::vector<std::size_t> ConvolutionEpilogue::bytes(const ConvolutionSpec& spec) const {
    const auto [x, w, y] = spec.bytes();
    std::vector<std::size_t> made{x, w, static_cast<std::size_t>(spec.out) * size_of(spec.dtype)};
    if (added_scale != 0) made.push_back(y);
    made.push_back(y);
    return made;
}

std::vector<std::int64_t> convolution_epilogue_attributes(const ConvolutionEpilogue& end) {
    return {std::bit_cast<std::int32_t>(end.scale), std::bit_cast<std::int32_t>(end.added_scale)};
}

ConvolutionEpilogue convolution_epilogue(const std::int64_t* a) {
    const auto number = [](std::int64_t word) { return std::bit_cast<float>(static_cast<std::int32_t>(word)); };
    return {.scale = number(a[0]), .added_scale = number(a[1])};
}

} // namespace pm::runtime
