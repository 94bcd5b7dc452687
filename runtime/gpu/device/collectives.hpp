#pragma once
#include "runtime/dtype.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace pm::runtime {

/// An array of each lane, all of which are combined, element by element, in an order of the device's own; every lane
/// gets the result. Strides are the bytes from a lane's array to the next lane's; 0: they share one.
struct AllReduceSpec {
    enum class By : std::int64_t { sum, greatest, least };
    DType dtype = DType::f32;
    By by = By::sum;
    std::int64_t lanes = 1, count = 0;
    std::int64_t in_stride = 0, out_stride = 0;

    std::size_t bytes() const { return static_cast<std::size_t>(count) * size_of(dtype); }
    bool operator==(const AllReduceSpec&) const = default;
};
/// As compiled code hands it on.
std::vector<std::int64_t> all_reduce_attributes(const AllReduceSpec& spec);
AllReduceSpec all_reduce_spec(const std::int64_t* attributes);
/// Whether a library between GPUs has what the language says: sums of f32 and f64, but for their order, and whole
/// numbers of 8, 32 and 64 bits. It rounds a sum of halves after each addend, and of floats the greatest and the least
/// leave NaNs out there.
bool library_reduces(DType dtype, AllReduceSpec::By by);

/// A library that works between several GPUs, for the life of those. Safe to use from several threads.
class DeviceCollectives {
  public:
    virtual ~DeviceCollectives() = default;
    DeviceCollectives(const DeviceCollectives&) = delete;
    DeviceCollectives& operator=(const DeviceCollectives&) = delete;

    /// Waits until there is room in all GPUs' queues, unless `leave` says so first, with false.
    virtual bool make_room(const std::function<bool()>& leave) = 0;
    /// Puts into every GPU's queue that it gets in out[its number] what is in[number] on each, combined; an array may
    /// be its own result. What is in one of the queues already may not wait for what comes later in another: GPUs wait
    /// for each other here. False where there is no room, and nothing is queued then.
    virtual bool all_reduce(const AllReduceSpec& spec, std::span<const std::byte* const> in,
                            std::span<std::byte* const> out) = 0;
    /// Failure(device_failed) when one that was queued has failed: what came of it, and of those that were queued with
    /// it, is undefined.
    virtual void expect_well() = 0;

  protected:
    DeviceCollectives() = default;
};

/// Makes them; null where the system has no library, or none that works here.
using OpenCollectives = std::function<std::unique_ptr<DeviceCollectives>()>;

} // namespace pm::runtime
