#pragma once
#include "runtime/dtype.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace pm::runtime {

/// pm_gpu_fft: for each row x[n] of complex numbers (pairs of f32 or f64) the sums of x_j exp(-2 pi i jk / n).
/// `inverse`: the sums of x_j exp(2 pi i jk / n), not divided by n. buffers: x, then the result, which shares no memory
/// with x. attributes: fourier_attributes().
struct FourierSpec {
    DType part = DType::f32;
    bool inverse = false;
    std::int64_t rows = 1, n = 0;

    /// Bytes of x, and of the result.
    std::size_t bytes() const { return 2 * size_of(part) * static_cast<std::size_t>(rows * n); }
    /// Whether the transform is large enough for a device's library. Short rows are instead multiplied by the matrix of
    /// the transform, in fused kernels. For few numbers, launching a kernel takes most of the time.
    bool large() const { return n > 64 && rows * n >= (std::int64_t{1} << 16); }
};
std::vector<std::int64_t> fourier_attributes(const FourierSpec& spec);
FourierSpec fourier_spec(const std::int64_t* attributes);

/// Queues Fourier transforms on a device. Several threads may use the object.
class DeviceTransforms {
  public:
    virtual ~DeviceTransforms() = default;
    DeviceTransforms(const DeviceTransforms&) = delete;
    DeviceTransforms& operator=(const DeviceTransforms&) = delete;

    /// Queues a transform. `leave` is polled first; false if it returned true.
    virtual bool run(const FourierSpec& spec, void* const* buffers, const std::function<bool()>& leave) = 0;

  protected:
    DeviceTransforms() = default;
};

} // namespace pm::runtime
