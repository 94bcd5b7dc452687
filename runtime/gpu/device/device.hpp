#pragma once
#include "runtime/gpu/device/product_spec.hpp"
#include "runtime/process.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pm::runtime {

/// The loaded kernels of one program. They are unloaded when the object is destroyed.
class Kernels {
  public:
    virtual ~Kernels() = default;
    /// The handles for Device::launch, by kernel number.
    virtual std::span<void* const> handles() const = 0;
};

/// The memory that a kernel accesses through one of its parameters, which is an address: `count` pieces of `bytes`
/// bytes each. The first piece begins `offset` bytes after the address. Each further piece begins `stride` bytes after
/// the beginning of the previous piece. Compiled code contains tables of MemoryAccess.
struct MemoryAccess {
    enum Mode : std::int64_t {
        nothing = 0, ///< the parameter is not an address, or the kernel does not use it
        reads = 1,
        writes = 2, ///< writes every byte, and reads no byte before it has written that byte
        changes = 3 ///< reads or writes any of the bytes
    };
    std::int64_t mode = nothing;
    std::int64_t bytes = 0;
    std::int64_t count = 1;
    std::int64_t stride = 0;
    std::int64_t offset = 0;
};

/// The parameters of a kernel launch.
struct Launch {
    void* kernel = nullptr; ///< one of Kernels::handles()
    std::int64_t blocks = 1;
    int threads = 1;                ///< threads per block
    std::span<void* const> buffers; ///< the arguments of the kernel, which are device addresses
    /// True if all threads of the launch wait for each other (thread.h). The launch may then have fewer blocks than
    /// `blocks`.
    bool all_synchronize = false;
    const void* stop = nullptr; ///< Stop::address(), for a kernel that polls
    /// One MemoryAccess per buffer. From these, a device of several GPUs determines which bytes it must copy. Null: the
    /// kernel may change all bytes of the allocations that contain the buffers.
    const MemoryAccess* accesses = nullptr;
    /// Polled during a wait for memory. Null: the wait is short.
    const std::function<bool()>* leave = nullptr;
};

/// A word in host memory. Kernels that may run for a long time read the word, and exit when it is not 0.
class Stop {
  public:
    virtual ~Stop() = default;
    virtual const void* address() const = 0;
};

class DeviceMatrices;
class DeviceTransforms;
class DeviceConvolutions;
struct AllReduceSpec;

/// A GPU: its memory, and a queue of work that is done in order. Launches and stores may first be collected and later
/// be queued together. submit() queues the collected operations, and so does any function whose work must follow them.
/// The function that queues the operations throws their errors. The host cannot dereference an address of device
/// memory; it uses functions such as upload() and download(). Several threads may use the object. Functions throw
/// Failure(out_of_memory). If the device has failed, they throw Failure(device_failed), possibly only in a call after
/// the one that caused the failure.
class Device : public std::enable_shared_from_this<Device> {
  public:
    virtual ~Device() = default;
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    /// The name of the GPU from its manufacturer.
    virtual std::string name() const = 0;
    /// The target of PTX for this GPU: "sm_80" or "sm_90a".
    virtual std::string architecture() const = 0;
    /// The bytes of all memory, and the bytes of unused memory.
    virtual std::size_t memory() const = 0;
    virtual std::size_t free_memory() const = 0;

    /// Memory of `bytes` bytes or more, aligned to 256 bytes, with undefined contents. The size of the memory is a
    /// multiple of 4, because an atomic operation on a smaller number accesses the 4-byte word that contains it. The
    /// result is not null, even for 0 bytes. Released memory may be reused at once: work that was queued before the
    /// release is done before any later work.
    virtual std::byte* allocate(std::size_t bytes) = 0;
    virtual void release(std::byte* block) noexcept = 0;
    /// Waits until the queue is empty, and returns cached memory to the system.
    virtual void trim() = 0;

    /// Copies to the device; `from` may change after the call.
    virtual void upload(std::byte* to, const void* from, std::size_t bytes) = 0;
    /// Copies to the host. Waits until the bytes have arrived, and therefore until all earlier work of the queue is
    /// done.
    virtual void download(void* to, const std::byte* from, std::size_t bytes) = 0;
    /// Copies from device memory to device memory.
    virtual void copy(std::byte* to, const std::byte* from, std::size_t bytes) = 0;
    /// Sets the bytes to zero.
    virtual void clear(std::byte* to, std::size_t bytes) = 0;
    /// Stores one number of `width` bytes (1, 2, 4, 8).
    virtual void store(std::byte* to, std::uint64_t value, int width) = 0;
    virtual void launch(const Launch& launch) = 0;
    /// Waits for room in the queue, then queues a product that the device's library computes. Returns false and queues
    /// nothing if the library cannot compute the product, or if `leave` returns true during the wait.
    virtual bool multiply(const ProductSpec& /*spec*/, const ProductOperands& /*operands*/,
                          const std::function<bool()>& /*leave*/) {
        return false;
    }
    /// Queues a reduction (collectives.hpp) of the lanes' arrays at `in` into the lanes' arrays at `out`. A library for
    /// several GPUs computes the reduction. Returns false and queues nothing if the library cannot compute the
    /// reduction, if the number of lanes is not the number of GPUs, or if `leave` returns true during a wait.
    virtual bool all_reduce(const AllReduceSpec& spec, const std::byte* in, std::byte* out,
                            const std::function<bool()>& leave) {
        static_cast<void>(spec), static_cast<void>(in), static_cast<void>(out), static_cast<void>(leave);
        return false;
    }
    /// Waits until there is room for a launch, since the host must not run far ahead of the device
    /// (launch_throttle.hpp). `leave` is polled during the wait. Returns false if `leave` returned true before there
    /// was room.
    virtual bool make_room(const std::function<bool()>& leave) = 0;
    /// Waits until there is room in the queue, or until `leave` returns true. In both cases, then queues the collected
    /// operations.
    virtual void submit(const std::function<bool()>& leave) { static_cast<void>(leave); }
    /// A word in host memory that is set once `condition` returns true. Another thread polls `condition` every few
    /// milliseconds until the Stop is destroyed. Kernels that read the word must be done before the Stop is destroyed.
    virtual std::unique_ptr<Stop> stop_when(std::function<bool()> condition) = 0;
    /// Waits until the kernels that were launched with this Stop are done.
    virtual void wait_for(const Stop& stop) = 0;
    /// Waits until the queue is empty.
    virtual void wait() = 0;

    /// The device for the work of lane `lane` of `lanes`: this device, or one of several GPUs. Lane -1: the device for
    /// work outside of lanes.
    virtual Device& of_lane(std::int64_t /*lane*/, std::int64_t /*lanes*/) { return *this; }
    /// Whether this device consists of several GPUs. The kernels on these GPUs then use addresses of their GPU, which
    /// differ from the addresses of this device.
    bool is_several() { return &of_lane(0, 1) != this; }

    /// Loads PTX with `count` kernels unit_0, unit_1, ....
    virtual std::shared_ptr<const Kernels> load(const std::string& ptx, std::int64_t count) = 0;

    /// The object that factorizes matrices and solves triangular systems on the device. It lives as long as the device.
    /// Returns null if the system has no libraries for these operations. The first call looks for the libraries.
    virtual DeviceMatrices* matrices() { return nullptr; }
    /// As matrices(), for Fourier transforms and for convolutions.
    virtual DeviceTransforms* transforms() { return nullptr; }
    virtual DeviceConvolutions* convolutions() { return nullptr; }

    /// The process that opened the device. A fork of that process cannot use the device.
    const ProcessMark process;

  protected:
    Device() = default;
};

/// Opens the first GPU of this machine with NVIDIA's driver, which is loaded at run time. If the machine has more GPUs
/// of the same kind, the device consists of up to `most` GPUs (several.hpp). Throws Failure(no_device) if there is no
/// driver, no GPU, or no GPU that is new enough; the message says which. If a process has opened a GPU, its forks
/// cannot open one, because the driver does not work in a fork.
std::shared_ptr<Device> open_gpu(std::int64_t most = 1);

/// Memory of a device for the life of the object; null if `device` is null.
class DeviceScratch {
  public:
    DeviceScratch(std::shared_ptr<Device> device, std::size_t bytes)
        : device_(std::move(device)), data_(device_ ? device_->allocate(bytes) : nullptr) {}
    ~DeviceScratch() {
        if (device_) device_->release(data_);
    }
    DeviceScratch(const DeviceScratch&) = delete;
    DeviceScratch& operator=(const DeviceScratch&) = delete;
    std::byte* data() const { return data_; }

  private:
    std::shared_ptr<Device> device_;
    std::byte* data_;
};

} // namespace pm::runtime
