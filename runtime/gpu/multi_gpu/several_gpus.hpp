#pragma once
#include "runtime/failure.hpp"
#include "runtime/gpu/multi_gpu/residency.hpp"
#include "runtime/gpu/multi_gpu/several.hpp"
#include "runtime/gpu/multi_gpu/several_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

// The class behind several.hpp. several.cpp implements the allocation and the movement of data. lane_gpus.cpp
// implements the devices that lanes use.

namespace pm::runtime {

class SeveralGpus final : public Device {
  public:
    SeveralGpus(std::vector<std::shared_ptr<Gpu>> gpus, OpenCollectives open);
    ~SeveralGpus() override;

    std::string name() const override { return fmt::format("{} of {}", gpus_.size(), gpus_.front()->name()); }
    std::string architecture() const override { return gpus_.front()->architecture(); }
    std::size_t memory() const override { return total_; }
    std::size_t free_memory() const override {
        const std::scoped_lock lock(mutex_);
        std::size_t sum = 0;
        for (const auto& gpu : gpus_) sum += gpu->free_memory();
        return sum;
    }
    std::byte* allocate(std::size_t bytes) override;
    void release(std::byte* block) noexcept override;
    void trim() override {
        const std::scoped_lock lock(mutex_);
        for (const auto& gpu : gpus_) gpu->trim();
    }
    void upload(std::byte* to, const void* from, std::size_t bytes) override;
    void download(void* to, const std::byte* from, std::size_t bytes) override { download(0, to, from, bytes); }
    void copy(std::byte* to, const std::byte* from, std::size_t bytes) override;
    void clear(std::byte* to, std::size_t bytes) override { clear(0, to, bytes); }
    void store(std::byte* to, std::uint64_t value, int width) override { store(0, to, value, width); }
    void launch(const Launch& launch) override { this->launch(0, launch); }
    bool multiply(const ProductSpec& spec, const ProductOperands& operands,
                  const std::function<bool()>& leave) override {
        return multiply(0, spec, operands, leave);
    }
    bool all_reduce(const AllReduceSpec& spec, const std::byte* in, std::byte* out,
                    const std::function<bool()>& leave) override;
    bool make_room(const std::function<bool()>& leave) override { return gpus_.front()->make_room(leave); }
    void submit(const std::function<bool()>& leave) override {
        each_gpu([&](std::size_t g) { gpus_[g]->submit(leave); });
    }
    std::unique_ptr<Stop> stop_when(std::function<bool()> condition) override {
        return std::make_unique<SeveralStops>(gpus_, condition);
    }
    void wait_for(const Stop& stop) override {
        const auto& all = static_cast<const SeveralStops&>(stop);
        each_gpu([&](std::size_t g) {
            try {
                gpus_[g]->wait_for(all.on(g));
            } catch (...) {
                all.failed();
                throw;
            }
        });
    }
    void wait() override {
        each_gpu([&](std::size_t g) { gpus_[g]->wait(); });
    }
    std::shared_ptr<const Kernels> load(const std::string& ptx, std::int64_t count) override {
        const std::scoped_lock lock(mutex_);
        return std::make_shared<SeveralKernels>(gpus_, ptx, count);
    }
    Device& of_lane(std::int64_t lane, std::int64_t lanes) override;
    DeviceMatrices* matrices() override;
    DeviceTransforms* transforms() override;
    DeviceConvolutions* convolutions() override;

    // Operations of Device on the GPU with number `gpu`.
    void upload(int gpu, std::byte* to, const void* from, std::size_t bytes);
    void download(int gpu, void* to, const std::byte* from, std::size_t bytes);
    void copy(int gpu, std::byte* to, const std::byte* from, std::size_t bytes);
    void clear(int gpu, std::byte* to, std::size_t bytes);
    void store(int gpu, std::byte* to, std::uint64_t value, int width);
    void launch(int gpu, const Launch& launch);
    bool multiply(int gpu, const ProductSpec& spec, const ProductOperands& operands,
                  const std::function<bool()>& leave);
    /// Calls f with the addresses that the buffers have on GPU number `gpu`. `bytes` are the sizes of the buffers. The
    /// work that f queues on that GPU reads the first `operands` buffers and writes the others. Returns the result of
    /// f.
    bool with_addresses(int gpu, void* const* buffers, std::span<const std::size_t> bytes, std::size_t operands,
                        const std::function<bool()>& leave, const std::function<bool(void* const* there)>& f);
    int count() const { return static_cast<int>(gpus_.size()); }
    Gpu& gpu(int number) { return *gpus_[static_cast<std::size_t>(number)]; }

  private:
    class LaneGpu;
    struct Allocation {
        Allocation(std::size_t bytes, std::size_t gpus) : where(bytes), on(gpus, nullptr), used(gpus) {}
        Residency where;
        std::vector<std::byte*> on;      ///< per GPU: the address of the memory there; null before the first use
        std::vector<std::uint64_t> used; ///< per GPU: the value of `uses_` when the memory there was last used
        bool reserved = false;           ///< true if its memory comes from reserve(), false if from allocate()
    };
    /// Some bytes of an allocation.
    struct Part {
        Allocation* of;
        std::size_t begin;
        std::size_t end;
    };
    struct Transfer {
        int from;
        Part part;
    };
    struct Piece {
        Part part;
        GpuSet on;
    };
    /// The transfers that must precede work on a GPU, and the parts that the work writes.
    struct Effects {
        std::vector<Transfer> transfers;
        std::vector<Part> written;
    };

    /// Calls f for all GPUs, even if f throws for some of them. Then rethrows the first exception.
    template <class F>
    void each_gpu(const F& f) {
        std::exception_ptr first;
        for (std::size_t g = 0; g < gpus_.size(); ++g) {
            try {
                f(g);
            } catch (...) {
                if (!first) first = std::current_exception();
            }
        }
        if (first) std::rethrow_exception(first);
    }
    /// An operation on allocations. It locks `mutex_`, unless the lock is released by unlock(). If the operation has
    /// pinned memory on a GPU, because it has the address of that memory, the memory is not freed before the operation
    /// ends. This holds even while the lock is released.
    class Operation {
      public:
        explicit Operation(SeveralGpus& all) : all_(all), lock_(all.mutex_) {
            all_.in_progress_.push_back(this);
            all_.current_ = this;
        }
        ~Operation() {
            if (!lock_.owns_lock()) lock_.lock();
            std::erase(all_.in_progress_, this);
            all_.current_ = nullptr;
        }
        Operation(const Operation&) = delete;
        Operation& operator=(const Operation&) = delete;
        Part part(const void* address, std::size_t bytes);
        Part whole(const Part& part) { return parts_.emplace_back(Part{part.of, 0, part.of->where.bytes()}); }
        /// Releases the lock. If another thread finds no memory on a GPU where this operation has pinned memory, the
        /// thread then waits for this operation.
        void unlock() {
            for (const auto& [a, gpu] : pinned_) uses_.emplace_back(all_.gpu(gpu).users());
            all_.current_ = nullptr;
            lock_.unlock();
        }
        /// Releases the lock, and unpins memory on GPUs other than GPU `number`. Called when only GPU `number` is
        /// needed for the rest of the operation: copies from other GPUs are already in their queues.
        void unlock(int number) {
            std::erase_if(pinned_, [&](const auto& p) { return p.second != number; });
            unlock();
        }
        void lock() {
            lock_.lock();
            all_.current_ = this;
        }
        void pin(const Allocation& a, int gpu) {
            if (!pins(a, gpu)) pinned_.emplace_back(&a, gpu);
        }
        /// Whether the operation has pinned the allocation's memory on that GPU.
        bool pins(const Allocation& a, int gpu) const {
            return std::ranges::any_of(pinned_, [&](const auto& p) { return p.first == &a && p.second == gpu; });
        }
        /// Whether a part that the operation accesses contains one of the bytes `s` of the allocation.
        bool names(const Allocation& a, Stretch s) const {
            return std::ranges::any_of(parts_,
                                       [&](const Part& p) { return p.of == &a && p.begin < s.to && s.from < p.end; });
        }

      private:
        SeveralGpus& all_;
        std::unique_lock<std::mutex> lock_;
        std::vector<Part> parts_;
        std::vector<std::pair<const Allocation*, int>> pinned_;
        std::deque<MemoryWaiters::Use> uses_;
    };
    /// Thrown if a GPU has no memory for an operation. `before` is the result of MemoryWaiters::ended() before the
    /// failed allocation.
    struct Full : Failure {
        Full(const Failure& failure, int number, std::uint64_t uses) : Failure(failure), gpu(number), before(uses) {}
        int gpu;
        std::uint64_t before;
    };
    /// Calls `work` with an operation and returns the result. If a GPU is full, waits until a temporary user of its
    /// memory has ended, and then repeats `work` from its beginning with a new operation. If `leave` returns true or
    /// all users wait, throws the failure. During the wait there is no operation, so no memory is pinned and no lock is
    /// held.
    template <class Work>
    auto operate(const std::function<bool()>& leave, const Work& work) {
        for (;;) {
            try {
                Operation operation(*this);
                return work(operation);
            } catch (const Full& full) {
                if (!gpu(full.gpu).users().wait(full.before, leave)) throw;
            }
        }
    }

    template <class Copies>
    void across(int source, int gpu, const Copies& copies);
    std::byte* memory_on(int gpu, Allocation& a);
    std::size_t give_back(int gpu, Allocation& a, bool at_home);
    bool give_copies_back(int gpu, std::size_t bytes);
    std::byte* touched(int gpu, const Part& part);
    void need(int gpu, const Part& part, std::vector<Transfer>& transfers);
    std::byte* use(int gpu, const Part& part, std::int64_t mode, Effects& effects);
    static void note(int gpu, const Effects& effects);
    void bring(int gpu, const std::vector<Transfer>& transfers);
    void send(int source, int gpu, std::byte* to, const Part& part);
    void each_piece(Operation& operation, std::byte* to, const std::byte* from, std::size_t bytes,
                    const std::function<void(const Piece& from, const Part& to)>& f);
    void copy_on(int gpu, const Part& to, const Part& from);
    int nearest(GpuSet on, int gpu) const;
    void put(int gpu, const Part& part, const std::byte* from);
    void launch(Operation& operation, int gpu, const Launch& launch);
    bool multiply(Operation& operation, int gpu, const ProductSpec& spec, const ProductOperands& operands,
                  const std::function<bool()>& leave);
    DeviceCollectives* collectives();
    bool all_reduced(Operation& operation, DeviceCollectives& library, const AllReduceSpec& spec, const std::byte* in,
                     std::byte* out);

    std::vector<std::shared_ptr<Gpu>> gpus_;
    OpenCollectives open_collectives_;
    std::vector<std::unique_ptr<LaneGpu>> lanes_;
    std::size_t total_ = 0; ///< bytes of memory
    /// Guards the members below. Also held while work is queued, so that all GPUs queue work in the same order.
    mutable std::mutex mutex_;
    std::map<std::uintptr_t, Allocation> allocations_; ///< by first address
    std::vector<const Operation*> in_progress_;
    Operation* current_ = nullptr; ///< the operation of the thread that holds the lock
    std::uint64_t uses_ = 0;
    std::uintptr_t next_ = std::uintptr_t{1} << 60; ///< the next unused address; no memory has it
    std::once_flag collectives_opened_;
    std::unique_ptr<DeviceCollectives> collectives_; ///< null without a library
    /// Equal to collectives_ after the library has been opened.
    std::atomic<DeviceCollectives*> used_collectives_ = nullptr;
};

} // namespace pm::runtime
