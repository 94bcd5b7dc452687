#pragma once
#include "runtime/dtype.hpp"

#include <cstdint>
#include <string_view>

namespace pm::runtime {
struct ConvolutionSpec;
}

namespace pm::ops {

/// The operations that device libraries compute. The session creates one object and passes it to the stages of the
/// compiler. This base class describes a target without libraries. `precision` is a word of ir/precision.hpp. If it is
/// empty, the precision is unspecified.
class TargetInfo {
  public:
    virtual ~TargetInfo() = default;
    /// True if a library computes factorizations of matrices.
    virtual bool has_factorizations() const { return false; }
    /// True if a library computes convolutions of this dtype and precision, at least for some sizes.
    virtual bool has_convolutions(runtime::DType, std::string_view /*precision*/) const { return false; }
    /// True if a library computes this convolution.
    virtual bool convolves(const runtime::ConvolutionSpec&, std::string_view /*precision*/) const { return false; }
    /// True if a library computes Fourier transforms along an axis of size `n` of arrays with `elements` elements.
    virtual bool transforms(std::int64_t /*n*/, std::int64_t /*elements*/) const { return false; }

    static const TargetInfo& none() {
        static const TargetInfo without_libraries;
        return without_libraries;
    }
};

} // namespace pm::ops
