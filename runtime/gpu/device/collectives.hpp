#pragma once
#include "runtime/dtype.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace pm::runtime {

/// A reduction of arrays of equal size, one per lane: element i of the result combines the elements i of all arrays.
/// The device chooses the order of the lanes. The result is written to one array per lane. A stride is the number of
/// bytes from the array of a lane to the array of the next lane. If a stride is 0, all lanes share one array.
struct AllReduceSpec {
    enum class By : std::int64_t { sum, greatest, least };
    DType dtype = DType::f32;
    By by = By::sum;
    std::int64_t lanes = 1, count = 0;
    std::int64_t in_stride = 0, out_stride = 0;

    std::size_t bytes() const { return static_cast<std::size_t>(count) * size_of(dtype); }
    bool operator==(const AllReduceSpec&) const = default;
};
/// The attributes as compiled code passes them.
std::vector<std::int64_t> all_reduce_attributes(const AllReduceSpec& spec);
AllReduceSpec all_reduce_spec(const std::int64_t* attributes);
/// Whether the library that reduces between GPUs computes what the language specifies. True for sums of f32 and f64,
/// whose order the language does not specify, and for all reductions of 8, 32 and 64-bit integers. False for other
/// reductions. The library rounds a sum of f16 or bf16 after each addend, and it ignores NaNs in the maximum and
/// minimum of floats.
bool library_reduces(DType dtype, AllReduceSpec::By by);

/// A library for reductions between several GPUs. The object lives as long as the GPUs. Several threads may use the
/// object.
class DeviceCollectives {
  public:
    virtual ~DeviceCollectives() = default;
    DeviceCollectives(const DeviceCollectives&) = delete;
    DeviceCollectives& operator=(const DeviceCollectives&) = delete;

    /// Waits until there is room in the queues of all GPUs. Returns false if `leave` returned true first.
    virtual bool make_room(const std::function<bool()>& leave) = 0;
    /// Reduces the arrays in[g] of all GPUs g, and writes the result to out[g] on each GPU g. Only queues this work.
    /// in[g] and out[g] may be the same array. The GPUs wait for each other in the reduction, so work that is already
    /// in one queue must not wait for work that is queued later on another GPU. If a queue has no room, returns false
    /// and queues nothing.
    virtual bool all_reduce(const AllReduceSpec& spec, std::span<const std::byte* const> in,
                            std::span<std::byte* const> out) = 0;
    /// Throws Failure(device_failed) if a queued reduction has failed. The results of that reduction, and of reductions
    /// queued with it, are then undefined.
    virtual void throw_if_failed() = 0;

  protected:
    DeviceCollectives() = default;
};

/// A function that opens the library. It returns null if the system has no such library, or if the library does not
/// work with the GPUs.
using OpenCollectives = std::function<std::unique_ptr<DeviceCollectives>()>;

} // namespace pm::runtime
