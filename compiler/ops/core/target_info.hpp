#pragma once
#include "runtime/dtype.hpp"

#include <cstdint>
#include <string_view>

namespace pm::runtime {
struct ConvolutionSpec;
}

namespace pm::ops {

/// What the libraries of the devices compute. The stages of the compiler get it once, from the session. This one has no
/// libraries. A precision is one of ir/precision.hpp; empty: unspecified.
class TargetInfo {
  public:
    virtual ~TargetInfo() = default;
    /// Whether there are factorizations of matrices.
    virtual bool has_factorizations() const { return false; }
    /// Whether there are convolutions of this dtype and precision, of some sizes.
    virtual bool has_convolutions(runtime::DType, std::string_view /*precision*/) const { return false; }
    /// Whether this convolution is computed.
    virtual bool convolves(const runtime::ConvolutionSpec&, std::string_view /*precision*/) const { return false; }
    /// Whether Fourier transforms along an axis of n are computed, of `elements` elements.
    virtual bool transforms(std::int64_t /*n*/, std::int64_t /*elements*/) const { return false; }

    static const TargetInfo& none() {
        static const TargetInfo without_libraries;
        return without_libraries;
    }
};

} // namespace pm::ops
