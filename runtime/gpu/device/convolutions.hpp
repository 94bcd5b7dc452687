#pragma once
#include "runtime/dtype.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace pm::runtime {

/// pm_gpu_convolution: of three arrays x[n, s.., c], w[d, k.., c / groups] and y[n, o.., d] of f16, bf16 or f32 with 1
/// to 3 axes of space, one from the other two:
///
///   forward  y: at each of the o.. places, the sums over k.. and the features of a group of x times w, where place o
///            and k of an axis meet at o * stride + k * dilation - padding of x, and x is zero outside
///   data     x: what forward, which is linear in x, has for its transpose, of y
///   filter   w: the same of w, of y
///
/// buffers: those of x, w and y that are given, in this order, then the result, which is none of their memory.
/// attributes: convolution_attributes().
struct ConvolutionSpec {
    enum class Kind : std::uint8_t { forward, data, filter };
    using Sizes = std::array<std::int64_t, 3>; ///< for each axis of space; those behind `axes` count as one place

    Kind kind = Kind::forward;
    DType dtype = DType::f32;
    int axes = 2;
    std::int64_t batch = 1, groups = 1, in = 1, out = 1; ///< n, groups, c, d
    Sizes x{1, 1, 1}, w{1, 1, 1}, y{1, 1, 1}, stride{1, 1, 1}, dilation{1, 1, 1}, padding{};

    /// Elements of x, w and y.
    std::array<std::int64_t, 3> elements() const;
    /// Bytes of each of the buffers, the result last.
    std::array<std::size_t, 3> bytes() const;
    /// Whether a device's library is worth it: for fewer multiplications the starting of its kernels takes longest.
    bool large() const;
    bool operator==(const ConvolutionSpec&) const = default;
};
std::vector<std::int64_t> convolution_attributes(const ConvolutionSpec& spec);
ConvolutionSpec convolution_spec(const std::int64_t* attributes);
/// So many.
constexpr std::size_t convolution_attribute_count = 25;

/// pm_gpu_convolution_with_end: y = scale * forward + added_scale * added + bias, in f32, rounded once, where `added`
/// has the form of y, and the bias one number for each of its features. buffers: x, w, the bias, `added` if there is
/// one, and y, which may be the memory of `added`, and of no other. attributes: convolution_attributes(), then
/// convolution_end_attributes().
struct ConvolutionEpilogue {
    float scale = 1;
    float added_scale = 0; ///< 0: nothing is added

    /// Bytes of each of the buffers.
    std::vector<std::size_t> bytes(const ConvolutionSpec& spec) const;
    bool operator==(const ConvolutionEpilogue&) const = default;
};
std::vector<std::int64_t> convolution_end_attributes(const ConvolutionEpilogue& end);
ConvolutionEpilogue convolution_end(const std::int64_t* attributes);

/// Convolutions on a device, put into its queue. Safe to use from several threads.
class DeviceConvolutions {
  public:
    virtual ~DeviceConvolutions() = default;
    DeviceConvolutions(const DeviceConvolutions&) = delete;
    DeviceConvolutions& operator=(const DeviceConvolutions&) = delete;

    /// Whether the library has a way to compute it that gives the same bits in every run. Who compiles asks first: what
    /// it has not, run() cannot do. False when `leave`, which is asked while it waits for others, said so.
    virtual bool knows(const ConvolutionSpec& spec, const std::function<bool()>& leave) = 0;
    /// False when `leave`, which is asked before, said so.
    virtual bool run(const ConvolutionSpec& spec, void* const* buffers, const std::function<bool()>& leave) = 0;
    /// False, too, when the library has no way to do both that would not make the convolution slower, or no memory for
    /// it: run() is asked then.
    virtual bool run_with_end(const ConvolutionSpec& spec, const ConvolutionEpilogue& end, void* const* buffers,
                              const std::function<bool()>& leave) = 0;

  protected:
    DeviceConvolutions() = default;
};

} // namespace pm::runtime
