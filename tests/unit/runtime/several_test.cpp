// Several GPUs as one device, on GPUs whose queues are run in any order that their waits allow.
#include "runtime/gpu/moves.hpp"
#include "runtime/gpu/several.hpp"
#include "runtime/gpu/transforms.hpp"

#include "runtime/failure.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

using namespace pm::runtime;

namespace {

constexpr std::size_t page = 4096;

/// What all kernels of the tests do: to each of `n` bytes of the first buffer, at `at`, they add `by` and those of the
/// second, or put that there.
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
    Work work;      ///< of the next launch
    int opened = 0; ///< how often collectives of a library were looked for
    bool collective_failed = false;
    int transfers = 0;
    std::vector<std::pair<std::ptrdiff_t, std::ptrdiff_t>> sent; ///< from which to which
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

/// Its queue is run when somebody waits, or now and then; its memory is used when it is.
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
    void wait_behind(Gpu& other) override {
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
    void trim() override {} // nothing is kept
    /// Adds 1 to each byte of `a`, which are as many as of `out`.
    bool multiply(const ProductSpec& spec, const ProductOperands& operands, const std::function<bool()>&) override {
        const std::size_t bytes = product_bytes(spec).out;
        if (has_products) add_one(operands.a, operands.out, bytes);
        return has_products;
    }
    /// Adds 1 to each byte.
    DeviceTransforms* transforms() override { return &transforms_; }
    bool make_room(const std::function<bool()>&) override { return true; }
    std::unique_ptr<Stop> stop_when(std::function<bool()> wish) override {
        return std::make_unique<Word>(std::move(wish));
    }
    void wait_for(const Stop& stop) override {
        if (fails) throw Failure(FailureKind::device_failed, "gone");
        told = static_cast<const Word&>(stop).wish();
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
    int loads = 0, launches = 0;
    int copies_until_failure = -1;
    bool fails = false, has_products = true;
    bool told = false; ///< its kernels were to end when they were last waited for

  private:
    struct Word final : Stop {
        explicit Word(std::function<bool()> w) : wish(std::move(w)) {}
        const void* address() const override { return this; }
        std::function<bool()> wish;
    };
    std::ptrdiff_t number() const { return std::ranges::find(world_.gpus, this) - world_.gpus.begin(); }

    struct Transforms final : DeviceTransforms {
        explicit Transforms(Fake& of) : gpu(of) {}
        bool run(const FourierSpec& spec, void* const* buffers, const std::function<bool()>&) override {
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
    /// It stays while something in a queue uses it.
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
    /// It must be there, and have memory.
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
    std::vector<std::pair<const Fake*, std::size_t>> waits_; ///< of what is put next
};

bool World::run_one() {
    std::vector<Fake*> ready;
    for (Fake* gpu : gpus)
        if (gpu->ready()) ready.push_back(gpu);
    if (ready.empty()) return false;
    ready[below(ready.size())]->run();
    return true;
}

/// Sums of bytes.
class FakeCollectives final : public DeviceCollectives {
  public:
    explicit FakeCollectives(World& world) : world_(world) {}
    bool all_reduce(const AllReduceSpec& spec, std::span<const std::byte* const> in, std::span<std::byte* const> out,
                    const std::function<bool()>& leave) override {
        if (leave()) return false;
        std::vector<std::byte> sum(spec.bytes()), one(spec.bytes());
        for (std::size_t g = 0; g < in.size(); ++g) {
            world_.gpus[g]->download(one.data(), in[g], one.size());
            for (std::size_t i = 0; i < sum.size(); ++i)
                sum[i] = static_cast<std::byte>(static_cast<unsigned>(sum[i]) + static_cast<unsigned>(one[i]));
        }
        for (std::size_t g = 0; g < out.size(); ++g) world_.gpus[g]->upload(out[g], sum.data(), sum.size());
        return true;
    }
    void expect_well() override {
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
    /// As lane `lane` of `lanes`; -1: as no lane.
    void launch(std::int64_t lane, std::int64_t lanes, Work work, std::vector<void*> buffers,
                std::vector<Touch> touches = {}) {
        world.work = work;
        device->of_lane(lane, lanes)
            .launch({.kernel = kernels->handles()[0],
                     .buffers = buffers,
                     .touches = touches.empty() ? nullptr : touches.data()});
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

Touch touch(Touch::Mode mode, std::size_t bytes) { return {mode, static_cast<std::int64_t>(bytes)}; }

} // namespace

TEST_CASE("several GPUs: a batch goes in parts to the GPUs of its lanes, and stays there") {
    Several s(4);
    constexpr std::size_t bytes = std::size_t{4} << 20, shard = bytes / 8;
    const std::vector<unsigned char> batch(bytes, 3);
    std::byte* in = s.device->allocate(bytes);
    std::byte* out = s.device->allocate(bytes);
    s.device->upload(in, batch.data(), bytes);
    for (int call = 0; call < 2; ++call)
        for (std::int64_t lane = 0; lane < 8; ++lane)
            s.launch(lane, 8, {.n = shard, .by = 1}, {out + lane * shard, in + lane * shard},
                     {touch(Touch::writes, shard), touch(Touch::reads, shard)});
    CHECK(s.world.transfers == 0);
    for (std::size_t g = 0; g < 4; ++g) {
        CHECK(s.gpu(g).used == 2 * bytes / 4); // memory for its lanes alone
        CHECK(s.gpu(g).launches == 4);
        CHECK(s.gpu(g).loads == 1);
    }
    CHECK(s.read(out, bytes) == std::vector<unsigned char>(bytes, 4));
    CHECK(s.world.transfers == 0);
    s.device->release(in);
    s.device->release(out);
    for (std::size_t g = 0; g < 4; ++g) CHECK(s.gpu(g).used == 0);
}

TEST_CASE("several GPUs: what all lanes read is brought to each GPU once, and again when it has changed") {
    Several s(4);
    constexpr std::size_t bytes = 10000;
    const std::vector<unsigned char> values(bytes, 5);
    std::byte* weights = s.device->allocate(bytes);
    std::byte* out = s.device->allocate(8 * bytes);
    s.device->upload(weights, values.data(), bytes);
    const auto all = [&] {
        for (std::int64_t lane = 0; lane < 8; ++lane)
            s.launch(lane, 8, {.n = bytes, .by = 1}, {out + lane * bytes, weights},
                     {touch(Touch::writes, bytes), touch(Touch::reads, bytes)});
    };
    all();
    CHECK(s.world.transfers == 3);
    CHECK(s.world.transferred == 3 * bytes);
    all();
    CHECK(s.world.transfers == 3);
    s.launch(-1, 0, {.n = bytes, .by = 2}, {weights}, {touch(Touch::writes, bytes)});
    all();
    CHECK(s.world.transfers == 6);
    CHECK(s.read(out, 8 * bytes) == std::vector<unsigned char>(8 * bytes, 3));
}

TEST_CASE("several GPUs: a library of each works on what lies on any of them") {
    Several s(3);
    const FourierSpec spec{.rows = 5, .n = 7};
    std::byte* x = s.device->allocate(spec.bytes());
    std::byte* y = s.device->allocate(spec.bytes());
    const auto transform = [&](Device& device, std::byte* from, std::byte* to) {
        void* buffers[] = {from, to};
        CHECK(device.transforms()->run(spec, buffers, [] { return false; }));
    };
    s.launch(1, 3, {.n = spec.bytes(), .by = 4}, {x}, {touch(Touch::writes, spec.bytes())});
    transform(s.device->of_lane(2, 3), x, y); // on the third what the second has made
    CHECK(s.world.transfers == 1);
    s.launch(2, 3, {.n = spec.bytes(), .by = 2, .adds = true}, {y}, {touch(Touch::changes, spec.bytes())});
    CHECK(s.world.transfers == 1);
    transform(*s.device, y, x); // what is no lane's is the first one's
    CHECK(s.world.transfers == 2);
    s.launch(1, 3, {.n = spec.bytes(), .adds = true}, {x}, {touch(Touch::changes, spec.bytes())});
    CHECK(s.world.transfers == 3); // the value before was overwritten
    CHECK(s.read(x, spec.bytes()) == std::vector<unsigned char>(spec.bytes(), 8));
}

TEST_CASE("several GPUs: a product of a lane is its GPU's, which has to have the factors") {
    Several s(2);
    // 4 x 4 by 4 x 4, rows of 5 elements in the product
    const ProductSpec spec{.m = 4, .n = 4, .k = 4, .a_m = 4, .a_k = 1, .b_k = 4, .b_n = 1, .out_m = 5, .out_n = 1};
    const ProductBytes bytes = product_bytes(spec);
    CHECK(bytes.a == 64);
    CHECK(bytes.out == 76);
    std::byte* a = s.device->allocate(100);
    std::byte* b = s.device->allocate(100);
    std::byte* out = s.device->allocate(100);
    for (std::byte* factor : {a, b}) s.launch(0, 2, {.n = 100, .by = 1}, {factor}, {touch(Touch::writes, 100)});
    s.launch(0, 2, {.n = 100, .by = 9}, {out}, {touch(Touch::writes, 100)});
    const auto multiply = [&] {
        return s.device->of_lane(1, 2).multiply(spec, {.a = a, .b = b, .out = out}, [] { return false; });
    };
    s.gpu(1).has_products = false;
    CHECK_FALSE(multiply());
    CHECK(s.read(out, 100) == std::vector<unsigned char>(100, 9));
    s.gpu(1).has_products = true;
    CHECK(multiply());
    CHECK(s.world.transferred == 64 + 64 + 76); // what stands between the rows stays
    std::vector<unsigned char> expected(100, 9);
    std::fill_n(expected.begin(), 76, 2);
    CHECK(s.read(out, 100) == expected);
}

TEST_CASE("several GPUs: those that have it send it on") {
    Several s(8);
    std::byte* weights = s.device->allocate(1000);
    std::byte* out = s.device->allocate(8000);
    s.launch(-1, 0, {.n = 1000, .by = 2}, {weights}, {touch(Touch::writes, 1000)});
    for (std::int64_t lane = 0; lane < 8; ++lane)
        s.launch(lane, 8, {.n = 1000, .by = 1}, {out + lane * 1000, weights},
                 {touch(Touch::writes, 1000), touch(Touch::reads, 1000)});
    const decltype(s.world.sent) expected{{0, 1}, {0, 2}, {1, 3}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
    CHECK(s.world.sent == expected);
}

TEST_CASE("several GPUs: what was brought before a copy that failed is waited for") {
    Several s(2);
    for (unsigned char turn = 0; turn < 20; ++turn) {
        std::byte* x = s.device->allocate(1000);
        std::byte* y = s.device->allocate(1000);
        std::byte* out = s.device->allocate(1000);
        for (std::byte* made : {x, y}) s.launch(0, 2, {.n = 1000, .by = turn}, {made}, {touch(Touch::writes, 1000)});
        const auto sum = [&](std::byte* from) {
            s.launch(1, 2, {.n = 1000, .by = 1, .adds = true}, {out, x, from},
                     {touch(Touch::changes, 1000), touch(Touch::reads, 1000), touch(Touch::reads, 1000)});
        };
        s.launch(1, 2, {.n = 1000}, {out}, {touch(Touch::writes, 1000)});
        s.gpu(0).copies_until_failure = 1;
        CHECK_THROWS_AS(sum(y), Failure);
        s.world.sent.clear();
        sum(x);
        CHECK(s.world.sent.empty());
        CHECK(s.read(out, 1000) == std::vector<unsigned char>(1000, static_cast<unsigned char>(turn + 1)));
        for (std::byte* block : {x, y, out}) s.device->release(block);
    }
}

TEST_CASE("several GPUs: when one fails, the others' kernels are told to end") {
    Several s(3);
    const auto stop = s.device->stop_when([] { return false; });
    s.device->wait_for(*stop);
    CHECK_FALSE(s.gpu(2).told);
    s.gpu(1).fails = true;
    CHECK_THROWS_AS(s.device->wait_for(*stop), Failure);
    CHECK(s.gpu(2).told);
}

TEST_CASE("several GPUs: what is written entirely, or was never, is not brought") {
    Several s(2);
    std::byte* a = s.device->allocate(1000);
    s.launch(1, 2, {.n = 1000, .by = 1, .adds = true}, {a}, {touch(Touch::changes, 1000)});
    CHECK(s.world.transfers == 0);
    s.launch(0, 2, {.n = 1000, .by = 1}, {a}, {touch(Touch::writes, 1000)});
    CHECK(s.world.transfers == 0);
    s.launch(1, 2, {.n = 1000, .by = 1, .adds = true}, {a}, {touch(Touch::changes, 1000)});
    CHECK(s.world.transferred == 1000);
    CHECK(s.read(a, 1000) == std::vector<unsigned char>(1000, 2));
    // Of a launch that says nothing the whole allocation counts.
    s.launch(0, 2, {.at = 10, .n = 1, .by = 1, .adds = true}, {a});
    CHECK(s.world.transferred == 1000 + 1000); // of 1024 bytes the others have no value
    CHECK(s.read(a + 10, 2) == std::vector<unsigned char>{3, 2});
    CHECK_THROWS_AS(s.launch(0, 2, {.n = 1}, {a + 2000}), Failure);
}

TEST_CASE("several GPUs: what lanes send each other goes from GPU to GPU") {
    Several s(4);
    constexpr std::size_t bytes = 8 * 1000; // of a lane
    std::byte* in = s.device->allocate(8 * bytes);
    std::byte* out = s.device->allocate(8 * bytes);
    for (std::int64_t lane = 0; lane < 8; ++lane)
        s.launch(lane, 8, {.n = bytes, .by = static_cast<unsigned char>(lane + 1)}, {in + lane * bytes},
                 {touch(Touch::writes, bytes)});
    const auto lane_of = [&](std::int64_t lane) { return s.read(out + lane * bytes, bytes); };
    // Each to the next lane; the first gets nothing, which is zero.
    std::vector<Moves> next{{.lane = 0, .receivers = 1, .senders = 0, .bytes = bytes}};
    next.push_back({.lane = 1,
                    .receivers = 7,
                    .senders = 1,
                    .bytes = bytes,
                    .in_by_receiver = bytes,
                    .out = bytes,
                    .out_by_receiver = bytes});
    move_lanes(*s.device, 8, in, out, next);
    CHECK(s.world.transfers == 3); // the others' neighbours are on their own GPU
    CHECK(lane_of(0) == std::vector<unsigned char>(bytes, 0));
    for (std::int64_t lane = 1; lane < 8; ++lane)
        CHECK(lane_of(lane) == std::vector<unsigned char>(bytes, static_cast<unsigned char>(lane)));
    // Part j of lane i goes to part i of lane j.
    s.world.transfers = 0;
    constexpr std::int64_t part = bytes / 8;
    const std::array<Moves, 1> all{{{.lane = 0,
                                     .receivers = 8,
                                     .senders = 8,
                                     .bytes = part,
                                     .in_by_sender = bytes,
                                     .in_by_receiver = part,
                                     .out_by_sender = part,
                                     .out_by_receiver = bytes}}};
    move_lanes(*s.device, 8, in, out, all);
    CHECK(s.world.transfers == 8 * 6);
    for (std::int64_t lane = 0; lane < 8; ++lane)
        for (std::size_t i = 0; const unsigned char value : lane_of(lane)) REQUIRE(value == 1 + i++ / part);
    // What is no lane's stays where it is.
    s.world.transfers = 0;
    const std::array<Moves, 1> gathered{{{.lane = -1, .receivers = 1, .senders = 1, .bytes = 8 * bytes}}};
    move_lanes(*s.device, 8, in, out, gathered);
    CHECK(s.world.transfers == 0);
    CHECK(s.read(out, 8 * bytes) == s.read(in, 8 * bytes));
}

TEST_CASE("several GPUs: a library combines what lanes have, where it lies") {
    const auto never = [] { return false; };
    const auto written = [](Several& s, std::int64_t lanes) {
        std::byte* in = s.device->allocate(static_cast<std::size_t>(lanes) * page);
        for (std::int64_t lane = 0; lane < lanes; ++lane)
            s.launch(lane, lanes, {.n = page, .by = static_cast<unsigned char>(lane + 1)}, {in + lane * page},
                     {touch(Touch::writes, page)});
        return in;
    };
    AllReduceSpec spec{.dtype = DType::u8, .lanes = 3, .count = page, .in_stride = page, .out_stride = page};
    Several s(3);
    std::byte* in = written(s, 3);
    std::byte* out = s.device->allocate(3 * page);
    CHECK(s.world.opened == 0);
    CHECK_FALSE(s.device->all_reduce(spec, in, out, [] { return true; }));
    REQUIRE(s.device->all_reduce(spec, in, out, never));
    CHECK(s.read(out, 3 * page) == std::vector<unsigned char>(3 * page, 6));
    for (std::int64_t lane = 0; lane < 3; ++lane) // each has its own
        s.launch(lane, 3, {.n = page, .by = 1, .adds = true}, {out + lane * page}, {touch(Touch::changes, page)});
    CHECK(s.world.transfers == 0);
    spec.out_stride = 0; // all have the one, until it changes
    REQUIRE(s.device->all_reduce(spec, in, out, never));
    for (std::int64_t lane = 0; lane < 3; ++lane)
        s.launch(lane, 3, {.n = page, .by = 1}, {in + lane * page, out},
                 {touch(Touch::writes, page), touch(Touch::reads, page)});
    CHECK(s.world.transfers == 0);
    CHECK(s.read(in, 3 * page) == std::vector<unsigned char>(3 * page, 7));
    CHECK(s.read(out, 2 * page)[page] == 7); // behind it all is as it was
    spec.in_stride = 0;                      // one for all, which two of them have not
    s.launch(0, 3, {.n = page, .by = 5}, {in}, {touch(Touch::writes, page)});
    REQUIRE(s.device->all_reduce(spec, in, out, never));
    CHECK(s.world.transfers == 2);
    CHECK(s.read(out, page) == std::vector<unsigned char>(page, 15));
    CHECK(s.world.opened == 1);
    s.world.collective_failed = true;
    CHECK_THROWS_AS(s.read(out, page), Failure);

    Several more(2);
    CHECK_FALSE(more.device->all_reduce(spec, written(more, 3), written(more, 3), never)); // lanes share a GPU
    CHECK(more.world.opened == 0);
    Several none(3, std::size_t{1} << 30, false);
    CHECK_FALSE(none.device->all_reduce(spec, written(none, 3), written(none, 3), never));
    CHECK_FALSE(none.device->all_reduce(spec, written(none, 3), written(none, 3), never));
    CHECK(none.world.opened == 1);
}

TEST_CASE("several GPUs: one that is full or has failed says so, and the others' values stay") {
    Several s(2, 10 * page);
    std::byte* a = s.device->allocate(4 * page);
    std::byte* b = s.device->allocate(8 * page);
    CHECK_THROWS_AS(s.device->allocate(20 * page + 1), Failure);
    s.launch(0, 2, {.n = 4 * page, .by = 1}, {a}, {touch(Touch::writes, 4 * page)});
    s.launch(1, 2, {.n = 8 * page, .by = 2}, {b}, {touch(Touch::writes, 8 * page)});
    CHECK_THROWS_AS(s.launch(1, 2, {.n = 4 * page, .by = 1, .adds = true}, {a}, {touch(Touch::changes, 4 * page)}),
                    Failure);
    CHECK(s.read(a, 4 * page) == std::vector<unsigned char>(4 * page, 1));
    s.device->release(b);
    s.launch(1, 2, {.n = 4 * page, .by = 1, .adds = true}, {a}, {touch(Touch::changes, 4 * page)});
    CHECK(s.read(a, 4 * page) == std::vector<unsigned char>(4 * page, 2));
    s.gpu(0).fails = true;
    CHECK_THROWS_AS(s.launch(0, 2, {.n = page}, {a}, {touch(Touch::writes, page)}), Failure);
    CHECK(s.read(a, 4 * page) == std::vector<unsigned char>(4 * page, 2));
}

TEST_CASE("several GPUs: whatever lanes do, in whatever order queues run, values are those of one memory") {
    for (std::uint32_t seed = 0; seed < 30; ++seed) {
        Several s(1 + seed % 4);
        s.world.random.seed(seed);
        const auto below = [&](std::size_t n) { return s.world.below(n); };
        struct Known {
            std::byte* at;
            std::vector<unsigned char> value;
            std::vector<bool> defined;
        };
        std::vector<Known> known;
        const auto add = [&] {
            const std::size_t bytes = 1 + below(3 * page);
            known.push_back({s.device->allocate(bytes), std::vector<unsigned char>(bytes), std::vector<bool>(bytes)});
        };
        for (int i = 0; i < 3; ++i) add();
        for (int turn = 0; turn < 300; ++turn) {
            const std::size_t which = below(known.size()), other = below(known.size());
            Known& k = known[which];
            const Known& from = known[other];
            const std::size_t at = below(std::min(k.value.size(), from.value.size()));
            const std::size_t n = below(std::min(k.value.size(), from.value.size()) - at) + 1;
            const std::int64_t lane = static_cast<std::int64_t>(below(9)) - 1;
            Device& device = s.device->of_lane(lane, 8);
            const auto by = static_cast<unsigned char>(below(256));
            switch (below(9)) {
            case 0: {
                const std::vector<unsigned char> values(n, by);
                device.upload(k.at + at, values.data(), n);
                for (std::size_t i = at; i < at + n; ++i) k.value[i] = by, k.defined[i] = true;
                break;
            }
            case 1: {
                std::vector<unsigned char> made(n);
                device.download(made.data(), k.at + at, n);
                for (std::size_t i = 0; i < n; ++i) REQUIRE((!k.defined[at + i] || made[i] == k.value[at + i]));
                break;
            }
            case 2:
                if (which == other) break;
                device.copy(k.at + at, from.at + at, n);
                for (std::size_t i = at; i < at + n; ++i) k.value[i] = from.value[i], k.defined[i] = from.defined[i];
                break;
            case 3:
                device.store(k.at + at, by, 1);
                k.value[at] = by, k.defined[at] = true;
                break;
            case 4:
                s.device->release(k.at);
                known.erase(known.begin() + static_cast<std::ptrdiff_t>(which));
                add();
                break;
            default: {
                const bool adds = below(2) == 0;
                // Pieces of 3 bytes after each other, and then what is left.
                const auto pieces = static_cast<std::int64_t>(n / 3), left = static_cast<std::int64_t>(n % 3);
                const auto begin = static_cast<std::int64_t>(at);
                const bool in_pieces = left == 0 && below(2) == 0;
                const auto touches = [&](Touch::Mode mode) {
                    return in_pieces ? Touch{mode, 3, pieces, 3, begin}
                                     : Touch{mode, static_cast<std::int64_t>(n), 1, 0, begin};
                };
                s.launch(lane, 8, {at, n, by, adds}, {k.at, from.at},
                         {touches(adds ? Touch::changes : Touch::writes), touches(Touch::reads)});
                for (std::size_t i = at; i < at + n; ++i) {
                    const bool defined = from.defined[i] && (!adds || k.defined[i]);
                    k.value[i] = static_cast<unsigned char>(by + from.value[i] + (adds ? k.value[i] : 0));
                    k.defined[i] = defined;
                }
            }
            }
            s.world.run_some(below(4));
        }
        for (const Known& k : known) {
            const auto made = s.read(k.at, k.value.size());
            for (std::size_t i = 0; i < made.size(); ++i) REQUIRE((!k.defined[i] || made[i] == k.value[i]));
        }
    }
}
