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

/// The kernels of one program, loaded. Freed with the last reference.
class Kernels {
  public:
    virtual ~Kernels() = default;
    /// By number, as Device::launch takes them.
    virtual std::span<void* const> handles() const = 0;
};

/// What a kernel does to the memory behind one of its parameters: it accesses `count` pieces of as many bytes, the
/// first `offset` behind the address, each `stride` behind the one before. Compiled code has tables of these.
struct MemoryAccess {
    enum Mode : std::int64_t {
        nothing = 0, ///< it is no address, or not used
        reads = 1,
        writes = 2, ///< every byte, and reads none before
        changes = 3 ///< reads or writes any of it
    };
    std::int64_t mode = nothing;
    std::int64_t bytes = 0;
    std::int64_t count = 1;
    std::int64_t stride = 0;
    std::int64_t offset = 0;
};

/// How a kernel is launched.
struct Launch {
    void* kernel = nullptr; ///< of Kernels::handles()
    std::int64_t blocks = 1;
    int threads = 1;                ///< of a block
    std::span<void* const> buffers; ///< its arguments, addresses of the device
    /// All threads meet: see thread.h. Then fewer blocks do too.
    bool all_meet = false;
    const void* stop = nullptr; ///< Stop::address() of one that asks
    /// For each of the buffers, where several GPUs have to know; null: any of their allocations may be changed.
    const MemoryAccess* accesses = nullptr;
    /// Asked by who waits for memory; null: nobody waits for long.
    const std::function<bool()>* leave = nullptr;
};

/// A word in the host's memory that kernels which may run for long read, to leave when it is not 0.
class Stop {
  public:
    virtual ~Stop() = default;
    virtual const void* address() const = 0;
};

class DeviceMatrices;
class DeviceTransforms;
class DeviceConvolutions;
struct AllReduceSpec;

/// A GPU: memory of its own, and a queue of work that is done in the order in which it was put there. Launches and
/// stores may be held back, to be put there together, until submit() or until something else is asked for that comes
/// behind them; what they throw then is thrown there. An address of the device is a number to the host, which reads and
/// writes there through upload(), download() and the like alone. Safe to use from several threads. Functions throw
/// Failure(out_of_memory), or Failure(device_failed) when the device has failed, which may be told of by a later call
/// than the one at fault.
class Device : public std::enable_shared_from_this<Device> {
  public:
    virtual ~Device() = default;
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    /// As its maker calls it.
    virtual std::string name() const = 0;
    /// What PTX is made for: "sm_80", or "sm_90a".
    virtual std::string architecture() const = 0;
    /// Bytes of memory, and of these those that nobody has.
    virtual std::size_t memory() const = 0;
    virtual std::size_t free_memory() const = 0;

    /// At least `bytes`, and whole words of 4 (atomic operations on numbers of fewer bytes take the word around them),
    /// aligned to 256, contents undefined; not null for 0 bytes either. What is released may be
    /// given out again at once: the queue's order keeps uses apart.
    virtual std::byte* allocate(std::size_t bytes) = 0;
    virtual void release(std::byte* block) noexcept = 0;
    /// Waits until the queue is empty, and gives the memory that is kept for those who ask next back to the system.
    virtual void trim() = 0;

    /// To the device; `from` may change as soon as this returns.
    virtual void upload(std::byte* to, const void* from, std::size_t bytes) = 0;
    /// To the host; waits until it is there, and with it all that was in the queue.
    virtual void download(void* to, const std::byte* from, std::size_t bytes) = 0;
    /// Within the device.
    virtual void copy(std::byte* to, const std::byte* from, std::size_t bytes) = 0;
    /// Zeros.
    virtual void clear(std::byte* to, std::size_t bytes) = 0;
    /// One number of `width` bytes (1, 2, 4, 8).
    virtual void store(std::byte* to, std::uint64_t value, int width) = 0;
    virtual void launch(const Launch& launch) = 0;
    /// A product by the device's library, where it has one that can: otherwise false, and nothing is queued.
    /// Waits before until there is room, unless `leave` says so first.
    virtual bool multiply(const ProductSpec& /*spec*/, const ProductOperands& /*operands*/,
                          const std::function<bool()>& /*leave*/) {
        return false;
    }
    /// What lanes have at `in` is combined at `out` (collectives.hpp) by a library between several GPUs, where each
    /// lane has one of its own; likewise.
    virtual bool all_reduce(const AllReduceSpec& spec, const std::byte* in, std::byte* out,
                            const std::function<bool()>& leave) {
        static_cast<void>(spec), static_cast<void>(in), static_cast<void>(out), static_cast<void>(leave);
        return false;
    }
    /// Waits until there is room for a launch: the host is not to be far ahead (throttle.hpp). False when
    /// `leave`, which is asked again and again meanwhile, says so first.
    virtual bool make_room(const std::function<bool()>& leave) = 0;
    /// Puts what was held back into the queue, and waits before until there is room, unless `leave` says so first.
    virtual void submit(const std::function<bool()>& leave) { static_cast<void>(leave); }
    /// A word that is set when `wish` says so, which is asked every few milliseconds, by another thread, until the word
    /// is gone. Kernels that read it must be done by then.
    virtual std::unique_ptr<Stop> stop_when(std::function<bool()> wish) = 0;
    /// Waits until the kernels that were launched with this word are done.
    virtual void wait_for(const Stop& stop) = 0;
    /// Waits until the queue is empty.
    virtual void wait() = 0;

    /// The device as lane `lane` of `lanes` sees it: itself, or one of several GPUs. -1: what is no lane's.
    virtual Device& of_lane(std::int64_t /*lane*/, std::int64_t /*lanes*/) { return *this; }
    /// Several GPUs, whose kernels have other addresses than this device's.
    bool is_several() { return &of_lane(0, 1) != this; }

    /// PTX with kernels unit_0, unit_1, ..., `count` of them.
    virtual std::shared_ptr<const Kernels> load(const std::string& ptx, std::int64_t count) = 0;

    /// Factorizations and triangular systems on the device, while it is there. Null where the system has no libraries
    /// for them; the first call looks for these.
    virtual DeviceMatrices* matrices() { return nullptr; }
    /// Fourier transforms and convolutions likewise.
    virtual DeviceTransforms* transforms() { return nullptr; }
    virtual DeviceConvolutions* convolutions() { return nullptr; }

    /// A fork of it cannot use the device.
    const ProcessMark process;

  protected:
    Device() = default;
};

/// The first GPU of this machine, by NVIDIA's driver, which is looked for at run time; with others like it, up to
/// `most` in all, where there are some (several.hpp). Failure(no_device) says what is missing: the driver, a GPU, one
/// that is new enough.
/// A fork of a process that has asked for one has none either: the driver does not outlive a fork.
std::shared_ptr<Device> open_gpu(std::int64_t most = 1);

/// Memory of a device for the life of a scope; none where `device` is null.
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
