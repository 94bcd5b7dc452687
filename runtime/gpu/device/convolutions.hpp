#pragma once
#include "runtime/dtype.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace pm::runtime {

/// pm_gpu_convolution: computes one of three arrays from the other two: x[n, s.., c], w[d, k.., c / groups] and y[n,
/// o.., d]. The arrays are f16, bf16 or f32 and have 1 to 3 spatial axes.
///
///   forward  computes y. y at position o.. is the sum of x times w over the positions k.. of w and over the features
///            of a group. Positions o and k of an axis refer to position o * stride + k * dilation - padding of x. x is
///            zero outside.
///   data     computes x. `forward` is a linear function of x; `data` applies the transpose of that function to y.
///   filter   computes w. `forward` is a linear function of w; `filter` applies the transpose of that function to y.
///
/// buffers: first the two arrays that are given, in the order x, w, y; then the computed array, which shares no memory
/// with the other two. attributes: convolution_attributes().
struct ConvolutionSpec {
    enum class Kind : std::uint8_t { forward, data, filter };
    using Sizes = std::array<std::int64_t, 3>; ///< for each spatial axis; from index `axes` on, sizes are 1

    Kind kind = Kind::forward;
    DType dtype = DType::f32;
    int axes = 2;
    std::int64_t batch = 1, groups = 1, in = 1, out = 1; ///< n, groups, c, d
    Sizes x{1, 1, 1}, w{1, 1, 1}, y{1, 1, 1}, stride{1, 1, 1}, dilation{1, 1, 1}, padding{};

    /// The numbers of elements of x, w and y.
    std::array<std::int64_t, 3> elements() const;
    /// The bytes of each buffer, in the order of the buffers.
    std::array<std::size_t, 3> bytes() const;
    /// Whether the convolution is large enough for a device's library. For a smaller convolution, launching the
    /// library's kernels takes most of the time.
    bool large() const;
    bool operator==(const ConvolutionSpec&) const = default;
};
std::vector<std::int64_t> convolution_attributes(const ConvolutionSpec& spec);
ConvolutionSpec convolution_spec(const std::int64_t* attributes);
/// The number of convolution_attributes().
constexpr std::size_t convolution_attribute_count = 25;

/// pm_gpu_convolution_with_epilogue: y = scale * forward + added_scale * added + bias, computed in f32 and rounded once
/// to the dtype of y. `added` has the shape of y, and the bias has one number per feature of y. buffers: x, w, the
/// bias, `added` if added_scale is not 0, and y. y may share memory with `added` but not with other buffers.
/// attributes: convolution_attributes(), then convolution_epilogue_attributes().
struct ConvolutionEpilogue {
    float scale = 1;
    float added_scale = 0; ///< 0: nothing is added

    /// Bytes of each of the buffers.
    std::vector<std::size_t> bytes(const ConvolutionSpec& spec) const;
    bool operator==(const ConvolutionEpilogue&) const = default;
};
std::vector<std::int64_t> convolution_epilogue_attributes(const ConvolutionEpilogue& end);
ConvolutionEpilogue convolution_epilogue(const std::int64_t* attributes);

/// Queues convolutions on a device. Several threads may use the object.
class DeviceConvolutions {
  public:
    virtual ~DeviceConvolutions() = default;
    DeviceConvolutions(const DeviceConvolutions&) = delete;
    DeviceConvolutions& operator=(const DeviceConvolutions&) = delete;

    /// Whether the library has a deterministic algorithm for the convolution. The compiler calls this function first,
    /// because run() throws for a convolution without such an algorithm. `leave` is polled during a wait for memory.
    /// Returns false if `leave` returned true.
    virtual bool knows(const ConvolutionSpec& spec, const std::function<bool()>& leave) = 0;
    /// Queues a convolution. `leave` is polled first. If `leave` returns true, run() returns false and queues nothing.
    virtual bool run(const ConvolutionSpec& spec, void* const* buffers, const std::function<bool()>& leave) = 0;
    /// Queues a convolution with its epilogue. Returns false if run() would return false. Also returns false if the
    /// library finds no memory, or if it would need a slower algorithm to compute convolution and epilogue in one call.
    /// The caller then uses run().
    virtual bool run_with_epilogue(const ConvolutionSpec& spec, const ConvolutionEpilogue& end, void* const* buffers,
                                   const std::function<bool()>& leave) = 0;

  protected:
    DeviceConvolutions() = default;
};

} // namespace pm::runtime
