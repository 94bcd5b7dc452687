#include "runtime/failure.hpp"
#include "runtime/gpu/backlog.hpp"
#include "runtime/gpu/cuda_driver.hpp"
#include "runtime/gpu/stops.hpp"
#include "runtime/gpu/thread.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>

// The device that NVIDIA's driver gives.

namespace pm::runtime {
namespace {

using namespace cuda;

/// What is compiled here is PTX ISA 8.3.
constexpr int least_driver = 12030;

class Cuda;

/// A kernel, of which a handle is the address.
struct Kernel {
    void* function = nullptr;
    /// Blocks of so many threads that each multiprocessor runs at a time, since they were asked for. One kernel is
    /// always launched with the same number.
    int threads = 0, at_once = 0;
};

class CudaKernels final : public Kernels {
  public:
    CudaKernels(std::shared_ptr<const Cuda> device, const std::string& ptx, std::int64_t count);
    ~CudaKernels() override;
    CudaKernels(const CudaKernels&) = delete;
    CudaKernels& operator=(const CudaKernels&) = delete;
    std::span<void* const> handles() const override { return handles_; }

  private:
    std::shared_ptr<const Cuda> device_;
    void* module_ = nullptr;
    std::vector<Kernel> kernels_;
    std::vector<void*> handles_;
};

class Cuda final : public Device, private Marks {
  public:
    Cuda() {
        if (const int error = driver.init(0); error != 0) {
            if (error == error_no_device) none("this machine has none that CUDA knows");
            none(driver.describe(error));
        }
        int version = 0, count = 0;
        expect(driver.driver_version(&version), "cuDriverGetVersion");
        if (version < least_driver)
            throw Failure(FailureKind::no_device,
                          fmt::format("no GPU: NVIDIA's driver knows CUDA {}.{}, and 12.3 is needed", version / 1000,
                                      version % 1000 / 10),
                          "install version 545 or later");
        expect(driver.device_count(&count), "cuDeviceGetCount");
        if (count == 0) none("this machine has none that CUDA knows");
        expect(driver.device_get(&number_, 0), "cuDeviceGet");
        std::array<char, 256> text{};
        expect(driver.device_name(text.data(), static_cast<int>(text.size()) - 1, number_), "cuDeviceGetName");
        name_ = text.data();
        const int major = attribute(attribute_major), minor = attribute(attribute_minor);
        if (major < 8) none(fmt::format("{} has compute capability {}.{}, and 8.0 is needed", name_, major, minor));
        need(attribute_memory_pools, "memory pools");
        need(attribute_cooperative_launch, "launches whose blocks wait for each other");
        architecture_ = major == 9 && minor == 0 ? "sm_90a" : "sm_80";
        expect(driver.context_retain(&context_, number_), "cuDevicePrimaryCtxRetain");
        try {
            open();
        } catch (...) {
            close();
            throw;
        }
    }
    ~Cuda() override { close(); }
    Cuda(const Cuda&) = delete;
    Cuda& operator=(const Cuda&) = delete;

    std::string name() const override { return name_; }
    std::string architecture() const override { return architecture_; }
    std::size_t memory() const override { return memory_info().second; }
    std::size_t free_memory() const override {
        // What the pool has kept is there for the next who ask.
        return memory_info().first + pool_bytes(pool_reserved) - pool_bytes(pool_used);
    }

    std::byte* allocate(std::size_t bytes) override {
        const EnteredContext entered = enter();
        std::uint64_t address = 0;
        const std::size_t wanted = std::max<std::size_t>(bytes, 1);
        int error = driver.allocate(&address, wanted, pool_, stream_);
        if (error == error_out_of_memory) { // what the pool has kept may be in pieces
            expect(driver.stream_wait(stream_), "cuStreamSynchronize");
            expect(driver.pool_trim(pool_, 0), "cuMemPoolTrimTo");
            error = driver.allocate(&address, wanted, pool_, stream_);
        }
        if (error == error_out_of_memory)
            throw Failure(
                FailureKind::out_of_memory,
                fmt::format("the GPU has no memory for {} bytes: {} of {} are free", bytes, free_memory(), memory()));
        expect(error, "cuMemAllocFromPoolAsync");
        return pointer(address);
    }
    void release(std::byte* block) noexcept override {
        // When the device has failed its memory is gone already.
        if (const CurrentContext entered(driver, context_); entered)
            static_cast<void>(driver.release(address(block), stream_));
    }

    void upload(std::byte* to, const void* from, std::size_t bytes) override {
        const EnteredContext entered = enter();
        const std::scoped_lock lock(upload_mutex_);
        const auto* source = static_cast<const std::byte*>(from);
        for (std::size_t done = 0; done < bytes;) {
            const std::size_t part = std::min(bytes - done, upload_bytes);
            const Upload& next = uploads_[next_upload_++ % uploads_.size()];
            expect(driver.event_wait(next.free), "cuEventSynchronize");
            std::memcpy(next.memory, source + done, part);
            expect(driver.to_device(address(to) + done, next.memory, part, stream_), "cuMemcpyHtoDAsync");
            expect(driver.event_record(next.free, stream_), "cuEventRecord");
            done += part;
        }
    }
    void download(void* to, const std::byte* from, std::size_t bytes) override {
        if (bytes == 0) return;
        const EnteredContext entered = enter();
        // From memory of the driver's own there is no detour, and no wait within the driver.
        std::unique_lock lock(staging_mutex_, std::defer_lock);
        const bool staged = bytes <= staging_bytes && lock.try_lock();
        expect(driver.to_host(staged ? staging_ : to, address(from), bytes, stream_), "cuMemcpyDtoHAsync");
        expect(driver.stream_wait(stream_), "cuStreamSynchronize");
        if (staged) std::memcpy(to, staging_, bytes);
    }
    void copy(std::byte* to, const std::byte* from, std::size_t bytes) override {
        if (bytes == 0) return;
        const EnteredContext entered = enter();
        expect(driver.within_device(address(to), address(from), bytes, stream_), "cuMemcpyDtoDAsync");
    }
    void clear(std::byte* to, std::size_t bytes) override {
        if (bytes == 0) return;
        const EnteredContext entered = enter();
        expect(driver.set_bytes(address(to), 0, bytes, stream_), "cuMemsetD8Async");
    }
    void store(std::byte* to, std::uint64_t value, int width) override {
        const EnteredContext entered = enter();
        if (width >= 4) {
            for (int at = 0; at < width; at += 4)
                expect(driver.set_words(address(to) + static_cast<unsigned>(at),
                                        static_cast<unsigned>(value >> (8 * at)), 1, stream_),
                       "cuMemsetD32Async");
            return;
        }
        for (int at = 0; at < width; ++at)
            expect(driver.set_bytes(address(to) + static_cast<unsigned>(at),
                                    static_cast<unsigned char>(value >> (8 * at)), 1, stream_),
                   "cuMemsetD8Async");
    }
    void launch(const Launch& l) override {
        const EnteredContext entered = enter();
        Kernel& kernel = *static_cast<Kernel*>(l.kernel);
        const std::size_t count = l.buffers.size() + (l.all_meet ? 2 : 0);
        std::array<void*, most_arguments> few{};
        std::vector<void*> many;
        void** arguments = few.data();
        if (count > few.size()) {
            many.resize(count);
            arguments = many.data();
        }
        for (std::size_t i = 0; i < l.buffers.size(); ++i)
            arguments[i] = const_cast<void*>(static_cast<const void*>(&l.buffers[i]));
        if (l.all_meet) { // the host's memory has the same addresses on the device
            arguments[count - 2] = const_cast<void*>(static_cast<const void*>(&l.stop));
            arguments[count - 1] = &meeting_;
        }
        const std::scoped_lock lock(launch_mutex_);
        if (l.all_meet && l.blocks > 1)
            launch_together(kernel, l, arguments);
        else
            expect(driver.launch(kernel.function, static_cast<unsigned>(l.blocks), 1, 1,
                                 static_cast<unsigned>(l.threads), 1, 1, 0, stream_, arguments, nullptr),
                   "cuLaunchKernel");
        if (l.stop != nullptr) expect(driver.event_record(last_with(l.stop), stream_), "cuEventRecord");
        backlog_.add(1);
    }
    bool make_room(const std::function<bool()>& leave) override {
        // A short kernel is done before a thread that sleeps would be awake.
        constexpr int at_once = 20;
        constexpr std::chrono::microseconds pause{50};
        for (int asked = 0;; ++asked) {
            {
                const std::scoped_lock lock(launch_mutex_);
                if (!backlog_.full()) return true;
                const EnteredContext entered = enter();
                if (backlog_.make_room()) return true;
            }
            if (leave()) return false;
            if (asked >= at_once) std::this_thread::sleep_for(pause);
        }
    }
    std::unique_ptr<Stop> stop_when(std::function<bool()> wish) override { return stops_->when(std::move(wish)); }
    void wait_for(const Stop& stop) override {
        const EnteredContext entered = enter();
        void* event = nullptr;
        {
            const std::scoped_lock lock(launch_mutex_);
            event = last_with(stop.address());
        }
        expect(driver.event_wait(event), "cuEventSynchronize");
    }
    void wait() override {
        const EnteredContext entered = enter();
        expect(driver.stream_wait(stream_), "cuStreamSynchronize");
    }

    std::shared_ptr<const Kernels> load(const std::string& ptx, std::int64_t count) override {
        return std::make_shared<CudaKernels>(std::static_pointer_cast<const Cuda>(shared_from_this()), ptx, count);
    }

    /// After what is queued of it is done.
    void unload(void* module) const noexcept {
        const CurrentContext entered(driver, context_);
        if (!entered) return;
        static_cast<void>(driver.stream_wait(stream_));
        static_cast<void>(driver.module_unload(module));
    }

    /// The driver's context belongs to a thread: for the life of what is returned it is this one's.
    EnteredContext enter() const { return {driver, context_}; }
    void expect(int error, const char* function) const { driver.expect(error, function); }

    const Driver driver;

  private:
    static constexpr std::size_t most_arguments = 64;
    static constexpr std::size_t staging_bytes = std::size_t{64} << 10;
    static constexpr std::size_t upload_bytes = std::size_t{4} << 20;
    static constexpr std::size_t most_stops = 1024;

    [[noreturn]] static void none(const std::string& why) {
        throw Failure(FailureKind::no_device, "no GPU: " + why, "run on the processor with --devices=cpu");
    }

    int attribute(int number) const {
        int value = 0;
        expect(driver.device_attribute(&value, number, number_), "cuDeviceGetAttribute");
        return value;
    }
    /// What virtual machines and some drivers' modes are without.
    void need(int number, const char* what) const {
        if (attribute(number) == 0) none(fmt::format("{} has no {} here", name_, what));
    }

    void open() {
        const EnteredContext entered = enter();
        expect(driver.stream_create(&stream_, stream_non_blocking), "cuStreamCreate");
        const PoolProperties properties{.device = number_};
        expect(driver.pool_create(&pool_, &properties), "cuMemPoolCreate");
        std::uint64_t keep = std::numeric_limits<std::uint64_t>::max(); // what is released is for the next
        expect(driver.pool_set(pool_, pool_release_threshold, &keep), "cuMemPoolSetAttribute");
        expect(driver.host_allocate(&staging_, staging_bytes, 0), "cuMemHostAlloc");
        for (Upload& u : uploads_) {
            expect(driver.host_allocate(&u.memory, upload_bytes, 0), "cuMemHostAlloc");
            expect(driver.event_create(&u.free, event_without_time), "cuEventCreate");
        }
        for (void*& mark : marks_) expect(driver.event_create(&mark, event_without_time), "cuEventCreate");
        void* words = nullptr;
        expect(driver.host_allocate(&words, most_stops * sizeof(std::int32_t), host_mapped), "cuMemHostAlloc");
        stop_words_ = words;
        stops_.emplace(std::span(static_cast<std::int32_t*>(words), most_stops));
        multiprocessors_ = attribute(attribute_multiprocessors);
        meeting_ = allocate(PM_MEETING_BYTES);
    }

    /// Kernels of one queue run one after the other, so they meet through the same memory. One that was left has not
    /// put it back as it was.
    void launch_together(Kernel& kernel, const Launch& l, void** arguments) {
        static_assert(PM_MEETING_BYTES % 4 == 0);
        if (kernel.threads != l.threads) {
            expect(driver.blocks_at_once(&kernel.at_once, kernel.function, l.threads, 0),
                   "cuOccupancyMaxActiveBlocksPerMultiprocessor");
            kernel.threads = l.threads;
        }
        const auto blocks = std::min<std::int64_t>(l.blocks, std::int64_t{kernel.at_once} * multiprocessors_);
        expect(driver.set_words(address(meeting_), 0, PM_MEETING_BYTES / 4, stream_), "cuMemsetD32Async");
        expect(driver.launch_together(kernel.function, static_cast<unsigned>(blocks), 1, 1,
                                      static_cast<unsigned>(l.threads), 1, 1, 0, stream_, arguments),
               "cuLaunchCooperativeKernel");
    }
    void close() noexcept {
        stops_.reset();
        {
            const CurrentContext entered(driver, context_);
            if (entered) free_all();
        }
        static_cast<void>(driver.context_release(number_));
    }

    /// The event behind the last launch with a word.
    void*& last_with(const void* word) {
        const auto number = static_cast<const std::int32_t*>(word) - static_cast<const std::int32_t*>(stop_words_);
        void*& event = last_launches_[static_cast<std::size_t>(number)];
        if (event == nullptr) expect(driver.event_create(&event, event_without_time), "cuEventCreate");
        return event;
    }

    void put(std::size_t number) override { expect(driver.event_record(marks_[number], stream_), "cuEventRecord"); }
    bool passed(std::size_t number) override {
        const int state = driver.event_query(marks_[number]);
        if (state == error_not_ready) return false;
        expect(state, "cuEventQuery");
        return true;
    }

    void free_all() noexcept {
        if (meeting_ != nullptr) release(meeting_);
        if (stop_words_ != nullptr) static_cast<void>(driver.host_release(stop_words_));
        if (staging_ != nullptr) static_cast<void>(driver.host_release(staging_));
        const auto destroy = [this](void* event) {
            if (event != nullptr) static_cast<void>(driver.event_destroy(event));
        };
        for (const Upload& u : uploads_) {
            if (u.memory != nullptr) static_cast<void>(driver.host_release(u.memory));
            destroy(u.free);
        }
        std::ranges::for_each(marks_, destroy);
        std::ranges::for_each(last_launches_, destroy);
        if (stream_ != nullptr) static_cast<void>(driver.stream_destroy(stream_));
        if (pool_ != nullptr) static_cast<void>(driver.pool_destroy(pool_));
    }

    std::pair<std::size_t, std::size_t> memory_info() const {
        const EnteredContext entered = enter();
        std::size_t free = 0, total = 0;
        expect(driver.memory_info(&free, &total), "cuMemGetInfo");
        return {free, total};
    }
    /// Bytes of the pool.
    std::size_t pool_bytes(int what) const {
        std::uint64_t bytes = 0;
        expect(driver.pool_get(pool_, what, &bytes), "cuMemPoolGetAttribute");
        return bytes;
    }

    static std::uint64_t address(const std::byte* p) { return reinterpret_cast<std::uintptr_t>(p); }
    static std::byte* pointer(std::uint64_t address) { return reinterpret_cast<std::byte*>(address); }

    int number_ = 0;
    std::string name_;
    std::string architecture_;
    void* context_ = nullptr;
    void* stream_ = nullptr;
    void* pool_ = nullptr;
    std::mutex staging_mutex_;
    void* staging_ = nullptr;
    /// Memory that transfers to the device go through, piece by piece: what the driver copies itself from is read when
    /// it comes to it, or at once, and nothing says which.
    struct Upload {
        void* memory = nullptr;
        void* free = nullptr; ///< the event after which it is
    };
    std::mutex upload_mutex_;
    std::array<Upload, 2> uploads_;
    std::size_t next_upload_ = 0;
    int multiprocessors_ = 1;
    std::mutex launch_mutex_;      ///< of launches, and guards the backlog, its marks and last_launches_
    std::byte* meeting_ = nullptr; ///< of the blocks of a kernel
    Backlog backlog_{*this};
    std::array<void*, Backlog::marks> marks_{}; ///< events
    void* stop_words_ = nullptr;
    std::array<void*, most_stops> last_launches_{}; ///< events, made when they are first used
    std::optional<Stops> stops_;
};

CudaKernels::CudaKernels(std::shared_ptr<const Cuda> device, const std::string& ptx, std::int64_t count)
    : device_(std::move(device)) {
    const Driver& driver = device_->driver;
    const EnteredContext entered = device_->enter();
    std::array<char, 4096> log{};
    std::array<int, 2> options{option_error_log, option_error_log_bytes};
    std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size() - 1)};
    const int error = driver.module_load(&module_, ptx.c_str(), options.size(), options.data(), values.data());
    if (error != 0 && error != error_out_of_memory && log[0] != '\0')
        throw Failure(FailureKind::device_failed, fmt::format("NVIDIA's driver refused PTX: {}", log.data()));
    device_->expect(error, "cuModuleLoadDataEx");
    try {
        kernels_.resize(static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < kernels_.size(); ++i) {
            device_->expect(driver.module_function(&kernels_[i].function, module_, fmt::format("unit_{}", i).c_str()),
                            "cuModuleGetFunction");
            handles_.push_back(&kernels_[i]);
        }
    } catch (...) {
        static_cast<void>(driver.module_unload(module_));
        throw;
    }
}

CudaKernels::~CudaKernels() { device_->unload(module_); }

} // namespace

std::shared_ptr<Device> open_gpu() { return std::make_shared<Cuda>(); }

} // namespace pm::runtime
