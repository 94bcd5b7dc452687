#pragma once
#include "runtime/gpu/device/fourier_transforms.hpp"
#include "runtime/gpu/libraries/libraries.hpp"
#include "runtime/gpu/multi_gpu/several.hpp"

#include "runtime/failure.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

// Simulated GPUs that form one device. The work in their queues runs in a random order among those that the queues'
// waits for each other allow.

namespace pm::runtime::test {

inline constexpr std::size_t page = 4096;

/// The work of a kernel of the tests, for each of the `n` bytes from offset `at` on. If the kernel has a second buffer,
/// it computes the sum of `by` and the byte of that buffer, otherwise only `by`. If `adds` is true, the kernel adds the
/// result to the byte of the first buffer. Otherwise it stores the result there.
struct Work {
    std::size_t at = 0;
    std::size_t n = 0;
    unsigned char by = 0;
    bool adds = false;
};

class Fake;
struct World {
    std::vector<Fake*> gpus;
    std::mt19937 random{7};
    Work work;      ///< the work of the next launch
    int opened = 0; ///< the number of requests for a library of collectives
    bool collective_failed = false;
    bool full = false; ///< true if the next collective finds no memory
    int transfers = 0;
    std::vector<std::pair<std::ptrdiff_t, std::ptrdiff_t>> sent; ///< source and target GPU of each copy
    std::size_t transferred = 0;

    std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); }
    bool run_one();
    void run_some(std::size_t n) {
        while (n-- > 0 && run_one()) {
        }
    }
    void run_all() {
        while (run_one()) {
        }
    }
};

/// A simulated GPU. Work in its queue runs when a caller waits, or when a test calls World::run_some. Queued work
/// accesses no memory before it runs.
class Fake final : public Gpu {
  public:
    Fake(World& world, std::size_t memory) : world_(world), memory_(memory) {
        next_ = (std::uintptr_t{1} << 62) + (world.gpus.size() << 48);
        world.gpus.push_back(this);
    }
    std::string name() const override { return "fake"; }
    std::string architecture() const override { return "sm_80"; }
    std::size_t memory() const override { return memory_; }
    std::size_t free_memory() const override { return memory_ - used; }

    std::byte* allocate(std::size_t bytes) override {
        take(bytes);
        Block& b = block(bytes);
        b.whole = true;
        return reinterpret_cast<std::byte*>(next_before_);
    }
    void release(std::byte* at) noexcept override { drop(at); }
    std::byte* reserve(std::size_t bytes) override {
        static_cast<void>(block(bytes));
        return reinterpret_cast<std::byte*>(next_before_);
    }
    void give_up(std::byte* at) noexcept override { drop(at); }
    void touch(std::byte* address, std::size_t bytes) override {
        const auto& [begin, shared] = find(address);
        const std::size_t at = reinterpret_cast<std::uintptr_t>(address) - begin;
        for (std::size_t p = at / page; bytes > 0 && p <= (at + bytes - 1) / page; ++p)
            if (!shared->pages[p]) {
                take(page);
                shared->pages[p] = true;
            }
    }
    std::vector<Stretch> give_back(std::byte* reserved, const std::function<bool(Stretch)>& may_free) override {
        while (done < put_) REQUIRE(world_.run_one());
        Block& b = *find(reserved).second;
        std::vector<Stretch> freed;
        for (auto& [p, there] : b.pages)
            if (const Stretch piece{p * page, (p + 1) * page}; there && may_free(piece)) {
                there = false;
                used -= page;
                std::fill(b.bytes.begin() + static_cast<std::ptrdiff_t>(piece.from),
                          b.bytes.begin() + static_cast<std::ptrdiff_t>(std::min(piece.to, b.bytes.size())),
                          std::byte{0xEE});
                freed.push_back(piece);
            }
        return freed;
    }
    std::size_t least_reserved() const override { return page; }
    void copy_to(Gpu& other, std::byte* to, const std::byte* from, std::size_t bytes) override {
        if (copies_until_failure-- == 0) throw Failure(FailureKind::out_of_memory, "no room for a copy");
        world_.sent.emplace_back(number(), static_cast<Fake&>(other).number());
        ++world_.transfers;
        world_.transferred += bytes;
        auto* there = &static_cast<Fake&>(other);
        const Place target = there->place(to, bytes), source = place(from, bytes);
        put([=] { std::memcpy(target.data(), source.data(), bytes); });
    }
    void wait_for_work_of(Gpu& other) override {
        const auto& before = static_cast<Fake&>(other);
        waits_.emplace_back(&before, before.put_);
    }

    void upload(std::byte* to, const void* from, std::size_t bytes) override {
        const auto* start = static_cast<const std::byte*>(from);
        const std::vector<std::byte> copy(start, start + bytes);
        const Place target = place(to, bytes);
        put([=] { std::memcpy(target.data(), copy.data(), bytes); });
    }
    void download(void* to, const std::byte* from, std::size_t bytes) override {
        if (const auto others = std::exchange(before_library, nullptr)) others();
        const Place source = place(from, bytes);
        put([=] { std::memcpy(to, source.data(), bytes); });
        while (done < put_) REQUIRE(world_.run_one());
    }
    void copy(std::byte* to, const std::byte* from, std::size_t bytes) override {
        const Place target = place(to, bytes), source = place(from, bytes);
        put([=] { std::memcpy(target.data(), source.data(), bytes); });
    }
    void clear(std::byte* to, std::size_t bytes) override {
        const Place target = place(to, bytes);
        put([=] { std::memset(target.data(), 0, bytes); });
    }
    void store(std::byte* to, std::uint64_t value, int width) override {
        const Place target = place(to, static_cast<std::size_t>(width));
        put([=] { std::memcpy(target.data(), &value, static_cast<std::size_t>(width)); });
    }
    void launch(const Launch& l) override {
        if (fails) throw Failure(FailureKind::device_failed, "gone");
        ++launches;
        const Work w = world_.work;
        const Place out = place(static_cast<std::byte*>(l.buffers[0]) + w.at, w.n);
        const Place in = l.buffers.size() > 1 ? place(static_cast<std::byte*>(l.buffers[1]) + w.at, w.n) : Place{};
        put([=] {
            for (std::size_t i = 0; i < w.n; ++i) {
                auto value = static_cast<unsigned>(w.by);
                if (in.block) value += static_cast<unsigned>(in.data()[i]);
                if (w.adds) value += static_cast<unsigned>(out.data()[i]);
                out.data()[i] = static_cast<std::byte>(value);
            }
        });
    }
    void trim() override {} // the simulated GPU has no cache
    /// Instead of a product, stores each byte of `a` plus 1 in `out`. `a` and `out` have the same size.
    bool multiply(const ProductSpec& spec, const ProductOperands& operands, const std::function<bool()>&) override {
        const std::size_t bytes = product_bytes(spec).out;
        if (const auto others = std::exchange(before_library, nullptr)) others();
        if (has_products) add_one(operands.a, operands.out, bytes);
        return has_products;
    }
    /// The transforms of this library add 1 to each byte.
    DeviceTransforms* transforms() override { return &transforms_; }
    bool make_room(const std::function<bool()>&) override { return true; }
    std::unique_ptr<Stop> stop_when(std::function<bool()> condition) override {
        return std::make_unique<Word>(std::move(condition));
    }
    void wait_for(const Stop& stop) override {
        if (fails) throw Failure(FailureKind::device_failed, "gone");
        stop_requested = static_cast<const Word&>(stop).condition();
    }
    void wait() override { world_.run_all(); }
    std::shared_ptr<const Kernels> load(const std::string&, std::int64_t count) override {
        ++loads;
        struct Some final : Kernels {
            std::vector<void*> all;
            std::span<void* const> handles() const override { return all; }
        };
        auto made = std::make_shared<Some>();
        made->all.resize(static_cast<std::size_t>(count));
        return made;
    }

    bool ready() const {
        return !queue_.empty() && std::all_of(queue_.front().after.begin(), queue_.front().after.end(),
                                              [](const auto& w) { return w.first->done >= w.second; });
    }
    void run() {
        queue_.front().work();
        queue_.pop_front();
        ++done;
    }

    std::size_t done = 0, used = 0;
    std::size_t library_needs = 0; ///< bytes that the library for transforms allocates during a call
    int loads = 0, launches = 0;
    int copies_until_failure = -1;
    bool fails = false, has_products = true;
    std::function<void()> before_library; ///< work of other threads that is done just before a library or a download
                                          ///< uses this GPU's memory
    bool stop_requested = false;          ///< true if the condition of the Stop was true at the last wait_for()

  private:
    struct Word final : Stop {
        explicit Word(std::function<bool()> w) : condition(std::move(w)) {}
        const void* address() const override { return this; }
        std::function<bool()> condition;
    };
    std::ptrdiff_t number() const { return std::ranges::find(world_.gpus, this) - world_.gpus.begin(); }

    struct Transforms final : DeviceTransforms {
        explicit Transforms(Fake& of) : gpu(of) {}
        bool run(const FourierSpec& spec, void* const* buffers, const std::function<bool()>& leave) override {
            if (const auto others = std::exchange(gpu.before_library, nullptr)) others();
            cuda::with_memory(gpu, leave, [&] {
                gpu.take(gpu.library_needs);
                gpu.used -= gpu.library_needs;
            });
            gpu.add_one(static_cast<std::byte*>(buffers[0]), static_cast<std::byte*>(buffers[1]), spec.bytes());
            return true;
        }
        Fake& gpu;
    };
    struct Block {
        std::vector<std::byte> bytes;
        std::map<std::size_t, bool> pages;
        bool whole = false;
    };
    /// An address in a block. The block stays allocated while queued work uses the address.
    struct Place {
        std::shared_ptr<Block> block;
        std::size_t at = 0;
        std::byte* data() const { return block->bytes.data() + at; }
    };
    struct Op {
        std::function<void()> work;
        std::vector<std::pair<const Fake*, std::size_t>> after;
    };

    void add_one(const std::byte* from, std::byte* to, std::size_t bytes) {
        const Place in = place(from, bytes), out = place(to, bytes);
        put([=] {
            for (std::size_t i = 0; i < bytes; ++i)
                out.data()[i] = static_cast<std::byte>(static_cast<unsigned>(in.data()[i]) + 1);
        });
    }
    void put(std::function<void()> work) {
        queue_.push_back({std::move(work), std::exchange(waits_, {})});
        ++put_;
    }
    void take(std::size_t bytes) {
        if (used + bytes > memory_) throw Failure(FailureKind::out_of_memory, "full");
        used += bytes;
    }
    Block& block(std::size_t bytes) {
        auto made = std::make_shared<Block>();
        made->bytes.assign(bytes, std::byte{0xEE});
        next_before_ = next_;
        blocks_[next_] = made;
        next_ += bytes + page;
        return *made;
    }
    void drop(std::byte* at) {
        const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(at));
        const Block& b = *found->second;
        used -= b.whole ? b.bytes.size()
                        : page * static_cast<std::size_t>(std::count_if(b.pages.begin(), b.pages.end(),
                                                                        [](const auto& p) { return p.second; }));
        blocks_.erase(found);
    }
    const std::pair<const std::uintptr_t, std::shared_ptr<Block>>& find(const std::byte* address) const {
        const auto after = blocks_.upper_bound(reinterpret_cast<std::uintptr_t>(address));
        REQUIRE(after != blocks_.begin());
        return *std::prev(after);
    }
    /// Finds the place of an address. Checks that the bytes from there on are in one block, and that this block has
    /// memory for them.
    Place place(const std::byte* address, std::size_t bytes) const {
        const auto& [begin, block] = find(address);
        const std::size_t at = reinterpret_cast<std::uintptr_t>(address) - begin;
        REQUIRE(at + bytes <= block->bytes.size());
        for (std::size_t p = at / page; !block->whole && bytes > 0 && p <= (at + bytes - 1) / page; ++p)
            REQUIRE(block->pages.at(p));
        return {block, at};
    }

    World& world_;
    Transforms transforms_{*this};
    std::size_t memory_;
    std::uintptr_t next_, next_before_ = 0;
    std::map<std::uintptr_t, std::shared_ptr<Block>> blocks_;
    std::deque<Op> queue_;
    std::size_t put_ = 0;
    std::vector<std::pair<const Fake*, std::size_t>> waits_; ///< the work that the next queued operation waits for
};

inline bool World::run_one() {
    std::vector<Fake*> ready;
    for (Fake* gpu : gpus)
        if (gpu->ready()) ready.push_back(gpu);
    if (ready.empty()) return false;
    ready[below(ready.size())]->run();
    return true;
}

/// A library of collectives whose all_reduce adds bytes.
class FakeCollectives final : public DeviceCollectives {
  public:
    explicit FakeCollectives(World& world) : world_(world) {}
    bool make_room(const std::function<bool()>& leave) override { return !leave(); }
    bool all_reduce(const AllReduceSpec& spec, std::span<const std::byte* const> in,
                    std::span<std::byte* const> out) override {
        if (std::exchange(world_.full, false)) return false;
        std::vector<std::byte> sum(spec.bytes()), one(spec.bytes());
        for (std::size_t g = 0; g < in.size(); ++g) {
            world_.gpus[g]->download(one.data(), in[g], one.size());
            for (std::size_t i = 0; i < sum.size(); ++i)
                sum[i] = static_cast<std::byte>(static_cast<unsigned>(sum[i]) + static_cast<unsigned>(one[i]));
        }
        for (std::size_t g = 0; g < out.size(); ++g) world_.gpus[g]->upload(out[g], sum.data(), sum.size());
        return true;
    }
    void throw_if_failed() override {
        if (world_.collective_failed) throw Failure(FailureKind::device_failed, "none got there");
    }

  private:
    World& world_;
};

struct Several {
    explicit Several(std::size_t count, std::size_t memory = std::size_t{1} << 30, bool has_library = true) {
        std::vector<std::shared_ptr<Gpu>> gpus;
        for (std::size_t i = 0; i < count; ++i) {
            auto gpu = std::make_shared<Fake>(world, memory);
            gpus.push_back(gpu);
        }
        device = make_several(std::move(gpus), [this, has_library]() -> std::unique_ptr<DeviceCollectives> {
            ++world.opened;
            if (!has_library) return nullptr;
            return std::make_unique<FakeCollectives>(world);
        });
        kernels = device->load("", 1);
    }
    Fake& gpu(std::size_t i) { return *world.gpus[i]; }
    /// Launches `work` as lane `lane` of `lanes` lanes. If `lane` is -1, the work belongs to no lane.
    void launch(std::int64_t lane, std::int64_t lanes, Work work, std::vector<void*> buffers,
                std::vector<MemoryAccess> accesses = {}, const std::function<bool()>* leave = nullptr) {
        world.work = work;
        device->of_lane(lane, lanes)
            .launch({.kernel = kernels->handles()[0],
                     .buffers = buffers,
                     .accesses = accesses.empty() ? nullptr : accesses.data(),
                     .leave = leave});
    }
    std::vector<unsigned char> read(const std::byte* at, std::size_t bytes) const {
        std::vector<unsigned char> made(bytes);
        device->download(made.data(), at, bytes);
        return made;
    }

    World world;
    std::shared_ptr<Device> device;
    std::shared_ptr<const Kernels> kernels;
};

inline MemoryAccess touch(MemoryAccess::Mode mode, std::size_t bytes) {
    return {mode, static_cast<std::int64_t>(bytes)};
}

} // namespace pm::runtime::test
