#include "runtime/failure.hpp"
#include "runtime/gpu/device/cancellation_flags.hpp"
#include "runtime/gpu/device/thread.h"
#include "runtime/gpu/driver/cuda_driver.hpp"
#include "runtime/gpu/driver/gpu_pages.hpp"
#include "runtime/gpu/driver/graphs.hpp"
#include "runtime/gpu/driver/queue.hpp"
#include "runtime/gpu/driver/staging_ring.hpp"
#include "runtime/gpu/libraries/cuda_collectives.hpp"
#include "runtime/gpu/libraries/cuda_convolutions.hpp"
#include "runtime/gpu/libraries/cuda_matrices.hpp"
#include "runtime/gpu/libraries/cuda_transforms.hpp"
#include "runtime/gpu/libraries/products.hpp"
#include "runtime/gpu/multi_gpu/residency.hpp"
#include "runtime/gpu/multi_gpu/several.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <limits>
#include <optional>
#include <utility>

// Implements Gpu with NVIDIA's driver.

namespace pm::runtime::cuda {
namespace {

/// The oldest CUDA version (Driver::version()) whose driver accepts the compiler's PTX, which has ISA version 8.3.
constexpr int least_driver = 12030;

class Cuda;

/// A kernel. The address of this object is the kernel's handle.
struct Kernel {
    void* function = nullptr;
    Graphs* graphs = nullptr; ///< the graphs of the kernel's program
    /// The number of blocks that a multiprocessor runs at a time. 0 until it is computed. One number suffices, because
    /// a kernel is always launched with the same number of threads per block.
    std::atomic<int> at_once{0};
};

class CudaKernels final : public Kernels {
  public:
    CudaKernels(std::shared_ptr<Cuda> device, const std::string& ptx, std::int64_t count);
    ~CudaKernels() override;
    CudaKernels(const CudaKernels&) = delete;
    CudaKernels& operator=(const CudaKernels&) = delete;
    std::span<void* const> handles() const override { return handles_; }

  private:
    std::shared_ptr<Cuda> device_;
    void* module_ = nullptr;
    std::unique_ptr<Graphs> graphs_;
    std::vector<Kernel> kernels_;
    std::vector<void*> handles_;
};

class Cuda final : public Gpu {
  public:
    explicit Cuda(int ordinal) {
        if (const int error = driver.init(0); error != 0) {
            if (error == error_no_device) none("this machine has none that CUDA knows");
            none(driver.describe(error));
        }
        const int version = driver.version();
        int count = 0;
        if (version < least_driver)
            throw Failure(FailureKind::no_device,
                          fmt::format("no GPU: NVIDIA's driver knows CUDA {}.{}, and 12.3 is needed", version / 1000,
                                      version % 1000 / 10),
                          "install version 545 or later");
        expect(driver.device_count(&count), "cuDeviceGetCount");
        if (count == 0) none("this machine has none that CUDA knows");
        expect(driver.device_get(&number_, ordinal), "cuDeviceGet");
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

    int devices() const {
        int count = 0;
        expect(driver.device_count(&count), "cuDeviceGetCount");
        return count;
    }

    /// If the machine supports it, gives GPU `other` access to the memory of this GPU. Copies between these GPUs then
    /// bypass the host's memory. Returns false if the machine supports the access but the driver refuses it, because
    /// the number of GPUs with access is limited.
    bool enable_peer_access(const Cuda& other) {
        int can = 0;
        expect(driver.can_access_peer(&can, other.number_, number_), "cuDeviceCanAccessPeer");
        if (can == 0) return true;
        const AccessOf access{.place = {.device = other.number_}};
        if (driver.pool_set_access(pool_, &access, 1) != 0) return false;
        if (pages_) pages_->enable_peer_access(other.number_);
        return true;
    }
    /// The parts of this device that libraries use.
    Workplace workplace() { return {*this, driver, context_, *queue_}; }
    int number() const { return number_; }

    std::string name() const override { return name_; }
    std::string architecture() const override { return architecture_; }
    std::size_t memory() const override { return memory_; }
    std::size_t free_memory() const override {
        // Memory that the pool has cached is free too.
        return memory_info().first + pool_bytes(pool_reserved) - pool_bytes(pool_used) + (pages_ ? pages_->kept() : 0);
    }

    std::byte* allocate(std::size_t bytes) override {
        const EnteredContext entered = enter();
        const std::function<bool()> leave = for_a_moment();
        for (;;) {
            const std::uint64_t before = users().ended();
            if (const std::uint64_t made = allocated(bytes); made != 0) return pointer(made);
            // Does not wait if the caller may hold locks. The owner of several GPUs and the classes for libraries hold
            // locks.
            if (bytes > memory_ || has_owner() || users().has_this_thread() || !users().wait(before, leave))
                throw Failure(FailureKind::out_of_memory,
                              fmt::format("the GPU has no memory for {} bytes: {} of {} are free", bytes, free_memory(),
                                          memory()));
        }
    }
    void release(std::byte* block) noexcept override { queue_->release(address(block)); }
    void trim() override {
        trim_pool();
        if (pages_) pages_->trim();
    }

    // If the GPU cannot map memory, all memory of the reservation is allocated now.
    std::byte* reserve(std::size_t bytes) override {
        if (!pages_) return allocate(bytes);
        const EnteredContext entered = enter();
        return pointer(pages_->reserve(bytes));
    }
    void give_up(std::byte* reserved) noexcept override {
        if (!pages_) return release(reserved);
        if (const CurrentContext entered(driver, context_); entered) pages_->release(address(reserved));
    }
    void touch(std::byte* place, std::size_t bytes) override {
        if (!pages_) return;
        const EnteredContext entered = enter();
        pages_->touch(address(place), bytes);
    }
    std::vector<Stretch> give_back(std::byte* reserved, const std::function<bool(Stretch)>& may_free) override {
        if (!pages_) return {};
        const EnteredContext entered = enter();
        return pages_->give_back(address(reserved), may_free);
    }
    std::size_t least_reserved() const override { return pages_ ? pages_->page() : 0; }
    void copy_to(Gpu& other, std::byte* to, const std::byte* from, std::size_t bytes) override {
        // cuMemcpyPeerAsync has both contexts as arguments, so it works even if neither GPU can access the other's
        // memory.
        queue_->put_all();
        const EnteredContext entered = enter();
        expect(driver.between_devices(address(to), static_cast<Cuda&>(other).context_, address(from), context_, bytes,
                                      stream()),
               "cuMemcpyPeerAsync");
    }
    void wait_for_work_of(Gpu& other) override {
        auto& before = static_cast<Cuda&>(other);
        before.queue_->put_all();
        {
            const EnteredContext entered = before.enter();
            expect(driver.event_record(before.crossing_, before.stream()), "cuEventRecord");
        }
        queue_->put_all();
        const EnteredContext entered = enter();
        expect(driver.stream_wait_event(stream(), before.crossing_, 0), "cuStreamWaitEvent");
    }

    void upload(std::byte* to, const void* from, std::size_t bytes) override {
        if (bytes == 0) return;
        queue_->put_all();
        const EnteredContext entered = enter();
        uploads_->copy(address(to), static_cast<const std::byte*>(from), bytes, stream());
    }
    void download(void* to, const std::byte* from, std::size_t bytes) override {
        if (bytes == 0) return;
        queue_->put_all();
        const EnteredContext entered = enter();
        downloads_->copy(static_cast<std::byte*>(to), address(from), bytes, stream());
    }
    void copy(std::byte* to, const std::byte* from, std::size_t bytes) override {
        if (bytes == 0) return;
        queue_->put_all();
        const EnteredContext entered = enter();
        expect(driver.within_device(address(to), address(from), bytes, stream()), "cuMemcpyDtoDAsync");
    }
    void clear(std::byte* to, std::size_t bytes) override {
        if (bytes == 0) return;
        queue_->put_all();
        const EnteredContext entered = enter();
        expect(driver.set_bytes(address(to), 0, bytes, stream()), "cuMemsetD8Async");
    }
    void store(std::byte* to, std::uint64_t value, int width) override { queue_->set(address(to), value, width); }
    void launch(const Launch& l) override {
        static_assert(PM_SYNC_BYTES % 4 == 0);
        Kernel& kernel = *static_cast<Kernel*>(l.kernel);
        Operation operation{.function = kernel.function,
                            .blocks = static_cast<unsigned>(l.blocks),
                            .threads = static_cast<unsigned>(l.threads),
                            .cooperative = l.all_synchronize && l.blocks > 1,
                            .stop = l.stop};
        const std::size_t count = l.buffers.size() + (l.all_synchronize ? 2 : 0);
        std::array<std::uint64_t, most_words> few;
        std::vector<std::uint64_t> many(count > few.size() ? count : 0);
        const std::span<std::uint64_t> words(many.empty() ? few.data() : many.data(), count);
        std::ranges::transform(l.buffers, words.begin(), address);
        if (l.all_synchronize) { // host memory has the same addresses on the device
            words[count - 2] = address(l.stop);
            words[count - 1] = address(barrier_memory_);
        }
        if (operation.cooperative) operation.blocks = std::min(operation.blocks, blocks_at_once(kernel, l.threads));
        // Kernels of one queue run one after another, so they share the synchronization memory. This memory is cleared
        // before each kernel, since a kernel that exits early does not reset the memory to 0.
        queue_->launch(*kernel.graphs, operation, words,
                       {address(barrier_memory_), operation.cooperative ? PM_SYNC_BYTES / 4 : 0U});
    }
    bool multiply(const ProductSpec& spec, const ProductOperands& operands,
                  const std::function<bool()>& leave) override {
        const EnteredContext entered = enter();
        const MemoryWaiters::Use use(users());
        const bool is_there = with_memory(*this, leave, [&] {
            const auto lock = lock_unless(leave, products_mutex_);
            if (lock && !products_) products_ = Products::open(driver.version());
            return lock && *products_;
        });
        if (!is_there || !library_multiplies(spec)) return false;
        const auto lock = lock_unless(leave, products_mutex_);
        if (!lock) return false;
        try {
            if (workspace_ == nullptr) workspace_ = allocate_workspace();
        } catch (const Failure& failure) {
            if (failure.kind() != FailureKind::out_of_memory) throw;
            return false; // the compiler's own kernel needs no workspace
        }
        return queue_->run([&](void* stream) { return (*products_)->multiply(spec, operands, workspace_, stream); },
                           leave);
    }
    bool make_room(const std::function<bool()>& leave) override { return queue_->make_room(leave); }
    void submit(const std::function<bool()>& leave) override { queue_->submit(leave); }
    std::unique_ptr<Stop> stop_when(std::function<bool()> condition) override {
        return stops_->when(std::move(condition));
    }
    void wait_for(const Stop& stop) override { queue_->wait_for(stop.address()); }
    void wait() override {
        queue_->put_all();
        const EnteredContext entered = enter();
        expect(driver.stream_wait(stream()), "cuStreamSynchronize");
    }

    std::shared_ptr<const Kernels> load(const std::string& ptx, std::int64_t count) override {
        return std::make_shared<CudaKernels>(std::static_pointer_cast<Cuda>(shared_from_this()), ptx, count);
    }

    DeviceMatrices* matrices() override {
        const auto arranging = [this] { return own_kernels("arrange", Arranger::kernels); };
        return opened(matrices_, [&] { return open_matrices(workplace(), arranging); });
    }
    DeviceTransforms* transforms() override {
        return opened(transforms_, [&] { return open_transforms(workplace()); });
    }
    DeviceConvolutions* convolutions() override {
        return opened(convolutions_, [&] { return open_convolutions(workplace()); });
    }

    std::unique_ptr<Graphs> make_graphs() const { return std::make_unique<Graphs>(driver, context_); }
    /// Unloads a module after the queued work that uses the module.
    void unload(void* module, std::unique_ptr<Graphs> graphs) noexcept {
        queue_->finish(*graphs);
        const CurrentContext entered(driver, context_);
        if (!entered) return;
        graphs.reset();
        static_cast<void>(driver.module_unload(module));
    }

    /// Makes the context of this GPU current in this thread for the life of the result.
    EnteredContext enter() const { return {driver, context_}; }
    void expect(int error, const char* function) const { driver.expect(error, function); }

    const Driver driver;

  private:
    static constexpr std::size_t word = 4;
    static constexpr std::size_t most_words = 64;
    static constexpr std::size_t most_stops = 1024;

    [[noreturn]] static void none(const std::string& why) {
        throw Failure(FailureKind::no_device, "no GPU: " + why, "run on the processor with --devices=cpu");
    }

    int attribute(int number) const {
        int value = 0;
        expect(driver.device_attribute(&value, number, number_), "cuDeviceGetAttribute");
        return value;
    }
    /// Throws Failure(no_device) if the GPU does not have the feature `number` here. In virtual machines, and in some
    /// modes of the driver, GPUs lack features.
    void need(int number, const char* what) const {
        if (attribute(number) == 0) none(fmt::format("{} has no {} here", name_, what));
    }

    void open() {
        const EnteredContext entered = enter();
        void* words = nullptr;
        expect(driver.host_allocate(&words, most_stops * sizeof(std::int32_t), host_mapped), "cuMemHostAlloc");
        stop_words_ = words;
        stops_.emplace(std::span(static_cast<std::int32_t*>(words), most_stops));
        queue_.emplace(driver, context_, words, most_stops);
        const PoolProperties properties{.device = number_};
        expect(driver.pool_create(&pool_, &properties), "cuMemPoolCreate");
        std::uint64_t keep = std::numeric_limits<std::uint64_t>::max(); // released memory stays in the pool
        expect(driver.pool_set(pool_, pool_release_threshold, &keep), "cuMemPoolSetAttribute");
        uploads_.emplace(driver);
        downloads_.emplace(driver);
        multiprocessors_ = attribute(attribute_multiprocessors);
        memory_ = memory_info().second;
        barrier_memory_ = allocate(PM_SYNC_BYTES);
        expect(driver.event_create(&crossing_, event_without_time), "cuEventCreate");
        if (attribute(attribute_mapped_memory) != 0)
            pages_.emplace(driver, number_, [this] { wait(); }, [this] { trim_pool(); });
    }

    /// Allocates memory from the pool and returns its address. Returns 0 if there is no memory.
    std::uint64_t allocated(std::size_t bytes) {
        const std::size_t wanted = (std::max<std::size_t>(bytes, 1) + word - 1) / word * word;
        for (const bool again : {false, true}) {
            if (again) trim(); // the pool's cache may be too fragmented
            std::uint64_t made = 0;
            const int error = driver.allocate(&made, wanted, pool_, stream());
            if (error == error_out_of_memory) continue;
            expect(error, "cuMemAllocFromPoolAsync");
            return made;
        }
        return 0;
    }
    std::byte* allocate_workspace() {
        try {
            return allocate(Products::workspace_bytes);
        } catch (const Failure& failure) {
            if (failure.kind() != FailureKind::out_of_memory || !reclaim(Products::workspace_bytes)) throw;
            return allocate(Products::workspace_bytes);
        }
    }
    /// Returns the pool's cache to the driver.
    void trim_pool() {
        wait();
        const EnteredContext entered = enter();
        expect(driver.pool_trim(pool_, 0), "cuMemPoolTrimTo");
    }
    /// The object of a library. The first call opens the library.
    template <class T, class Open>
    T* opened(std::optional<std::unique_ptr<T>>& made, const Open& open) {
        {
            const std::scoped_lock lock(libraries_mutex_);
            if (made) return made->get();
        }
        return with_memory(*this, for_a_moment(), [&] {
            const std::scoped_lock lock(libraries_mutex_);
            if (!made) made = open();
            return made->get();
        });
    }
    unsigned blocks_at_once(Kernel& kernel, int threads) const {
        if (kernel.at_once == 0) {
            const EnteredContext entered = enter();
            int blocks = 0;
            expect(driver.blocks_at_once(&blocks, kernel.function, threads, 0),
                   "cuOccupancyMaxActiveBlocksPerMultiprocessor");
            kernel.at_once = blocks;
        }
        return static_cast<unsigned>(kernel.at_once * multiprocessors_);
    }
    /// Loads kernels of the runtime itself. Unlike kernels of programs, they do not keep the device alive, because the
    /// device owns them and destroys them in its destructor.
    std::shared_ptr<const Kernels> own_kernels(std::string_view name, std::int64_t count) {
        const std::shared_ptr<Cuda> held_elsewhere(std::shared_ptr<Cuda>(), this);
        return std::make_shared<CudaKernels>(held_elsewhere, std::string(*ptx_source(name)), count);
    }

    void close() noexcept {
        matrices_.reset();
        transforms_.reset();
        convolutions_.reset();
        stops_.reset();
        {
            const CurrentContext entered(driver, context_);
            if (entered) free_all();
        }
        static_cast<void>(driver.context_release(number_));
    }

    void free_all() noexcept {
        // Queued work may use the memory that is freed below.
        if (queue_) static_cast<void>(driver.stream_wait(stream()));
        products_.reset();
        if (workspace_ != nullptr) release(workspace_);
        if (barrier_memory_ != nullptr) release(barrier_memory_);
        if (pages_) static_cast<void>(driver.stream_wait(stream())); // memory in use must not be unmapped
        queue_.reset();
        if (stop_words_ != nullptr) static_cast<void>(driver.host_release(stop_words_));
        uploads_.reset();
        downloads_.reset();
        pages_.reset();
        if (crossing_ != nullptr) static_cast<void>(driver.event_destroy(crossing_));
        if (pool_ != nullptr) static_cast<void>(driver.pool_destroy(pool_));
    }

    std::pair<std::size_t, std::size_t> memory_info() const {
        const EnteredContext entered = enter();
        std::size_t free = 0, total = 0;
        expect(driver.memory_info(&free, &total), "cuMemGetInfo");
        return {free, total};
    }
    /// The attribute `what` of the pool, in bytes.
    std::size_t pool_bytes(int what) const {
        std::uint64_t bytes = 0;
        expect(driver.pool_get(pool_, what, &bytes), "cuMemPoolGetAttribute");
        return bytes;
    }

    void* stream() const { return queue_->stream(); }
    static std::uint64_t address(const void* p) { return std::bit_cast<std::uintptr_t>(p); }
    static std::byte* pointer(std::uint64_t address) { return reinterpret_cast<std::byte*>(address); }

    int number_ = 0;
    std::string name_;
    std::string architecture_;
    std::size_t memory_ = 0;
    void* context_ = nullptr;
    std::optional<Queue> queue_;
    void* pool_ = nullptr;
    std::optional<Uploads> uploads_;
    std::optional<Downloads> downloads_;
    int multiprocessors_ = 1;
    std::timed_mutex products_mutex_;                   ///< guards products_ and workspace_
    std::optional<std::unique_ptr<Products>> products_; ///< set by the first product; null without a library
    std::byte* workspace_ = nullptr;                    ///< for products, which run one after another
    std::byte* barrier_memory_ = nullptr;               ///< synchronization memory of the blocks of a kernel
    void* crossing_ = nullptr;                          ///< an event that other GPUs wait for
    std::optional<Pages> pages_;                        ///< only if memory can be mapped
    void* stop_words_ = nullptr;
    std::optional<CancellationFlags> stops_;
    std::mutex libraries_mutex_; ///< guards the members below, which the first request sets
    std::optional<std::unique_ptr<DeviceMatrices>> matrices_;
    std::optional<std::unique_ptr<DeviceTransforms>> transforms_;
    std::optional<std::unique_ptr<DeviceConvolutions>> convolutions_;
};

CudaKernels::CudaKernels(std::shared_ptr<Cuda> device, const std::string& ptx, std::int64_t count)
    : device_(std::move(device)), graphs_(device_->make_graphs()), kernels_(static_cast<std::size_t>(count)) {
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
        for (std::size_t i = 0; i < kernels_.size(); ++i) {
            device_->expect(driver.module_function(&kernels_[i].function, module_, fmt::format("unit_{}", i).c_str()),
                            "cuModuleGetFunction");
            kernels_[i].graphs = graphs_.get();
            handles_.push_back(&kernels_[i]);
        }
    } catch (...) {
        static_cast<void>(driver.module_unload(module_));
        throw;
    }
}

CudaKernels::~CudaKernels() { device_->unload(module_, std::move(graphs_)); }

} // namespace
} // namespace pm::runtime::cuda

namespace pm::runtime {

std::shared_ptr<Device> open_gpu(std::int64_t most) {
    static const ProcessMark process;
    if (!process.here())
        throw Failure(FailureKind::no_device, "no GPU: this process is a fork of one that has asked for it",
                      "fork before the first engine with a GPU is made, or start a new program");
    const auto first = std::make_shared<cuda::Cuda>(0);
    std::vector<std::shared_ptr<cuda::Cuda>> gpus{first};
    most = std::min<std::int64_t>(most, GpuSet::most);
    const int there = most > 1 ? first->devices() : 1;
    for (int number = 1; number < there && static_cast<std::int64_t>(gpus.size()) < most; ++number) {
        try {
            auto next = std::make_shared<cuda::Cuda>(number);
            if (next->architecture() == first->architecture()) gpus.push_back(std::move(next));
        } catch (const Failure&) { // the GPU cannot be used, for example because another program has exclusive access
        }
    }
    if (gpus.size() == 1) return first;
    bool all_accessible = true;
    for (const auto& gpu : gpus)
        for (const auto& other : gpus)
            if (gpu != other) all_accessible = gpu->enable_peer_access(*other) && all_accessible;
    OpenCollectives open;
    if (all_accessible) // NCCL assumes peer access between all GPUs for which the machine supports it
        open = [gpus] {
            std::vector<cuda::Member> members;
            for (const auto& gpu : gpus) members.push_back({gpu->workplace(), gpu->number()});
            return cuda::open_collectives(std::move(members));
        };
    return make_several({gpus.begin(), gpus.end()}, std::move(open));
}

} // namespace pm::runtime
