#include "compiler/codegen/steps/buffers.hpp"

#include <numeric>

namespace pm::codegen {

std::int64_t alignment_of(const plan::Buffer& buffer) {
    std::int64_t divides = std::gcd(widest_access, buffer.offset);
    for (const plan::Stride& s : buffer.strides) divides = std::gcd(divides, s.bytes);
    return divides;
}

std::int64_t lane_stride(const plan::Buffer& buffer) {
    for (const plan::Stride& s : buffer.strides)
        if (s.loop == plan::lane) return s.bytes;
    return 0;
}

} // namespace pm::codegen
