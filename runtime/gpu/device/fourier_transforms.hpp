#pragma once
#include "runtime/dtype.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace pm::runtime {

/// pm_gpu_fft: for each row x[n] of complex numbers (pairs of f32 or f64) and each k, computes the sum over j of x_j
/// exp(-2 pi i jk / n). If `inverse` is true, the terms are x_j exp(2 pi i jk / n); the sum is not divided by n.
/// buffers: x, then the result, which shares no memory with x. attributes: fourier_attributes().
struct FourierSpec {
    DType part = DType::f32;
    bool inverse = false;
    std::int64_t rows = 1, n = 0;

    /// The bytes of x. The result has as many.
    std::size_t bytes() const { return 2 * size_of(part) * static_cast<std::size_t>(rows * n); }
    /// Whether the transform is large enough for a device's library. Fused kernels instead multiply short rows by the
    /// matrix of the transform. For few numbers, launching the library's kernel would take most of the time.
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

    /// Queues a transform. `leave` is polled first. If `leave` returns true, run() returns false and queues nothing.
    virtual bool run(const FourierSpec& spec, void* const* buffers, const std::function<bool()>& leave) = 0;

  protected:
    DeviceTransforms() = default;
};

} // namespace pm::runtime
