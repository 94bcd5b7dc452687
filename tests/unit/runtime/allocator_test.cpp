#include "runtime/array.hpp"
#include "runtime/failure.hpp"
#include "runtime/memory/allocator.hpp"

#include "tests/unit/child.hpp"

#include <doctest/doctest.h>

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

using namespace pm::runtime;

TEST_CASE("blocks are aligned, do not overlap, and are reused") {
    const auto allocator = Allocator::create();
    struct Held {
        std::byte* block;
        std::size_t bytes;
        unsigned char mark;
    };
    std::vector<Held> held;
    std::mt19937 random(1);
    int wrong = 0;
    for (int iteration = 0; iteration < 4000; ++iteration) {
        if (held.size() > 60 || (random() % 3 == 0 && !held.empty())) {
            const std::size_t i = random() % held.size();
            const Held h = held[i];
            for (std::size_t b = 0; b < h.bytes; b += 61) wrong += static_cast<unsigned char>(h.block[b]) != h.mark;
            if (h.bytes != 0) wrong += static_cast<unsigned char>(h.block[h.bytes - 1]) != h.mark;
            allocator->release(h.block, h.bytes);
            held[i] = held.back();
            held.pop_back();
            continue;
        }
        const std::size_t bytes = iteration % 100 == 0 ? random() % (6U << 20) : random() % (1U << (random() % 17));
        std::byte* block = allocator->allocate(bytes);
        REQUIRE(block != nullptr);
        wrong += reinterpret_cast<std::uintptr_t>(block) % 64 != 0;
        const auto mark = static_cast<unsigned char>(iteration);
        std::memset(block, mark, bytes);
        held.push_back({block, bytes, mark});
    }
    CHECK(wrong == 0);
    for (const Held& h : held) allocator->release(h.block, h.bytes);
    CHECK(allocator->in_use() == 0);
    CHECK(allocator->peak() > 0);
}

TEST_CASE("a large block is reused and can be returned to the system") {
    const auto allocator = Allocator::create();
    constexpr std::size_t bytes = 5U << 20;
    std::byte* first = allocator->allocate(bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(first) % (2U << 20) == 0);
    allocator->release(first, bytes);
    CHECK(allocator->cached() >= bytes);
    std::byte* second = allocator->allocate(bytes - 1000);
    CHECK(second == first);
    CHECK(allocator->cached() == 0);
    allocator->release(second, bytes - 1000);
    std::byte* other = allocator->allocate(3U << 20);
    allocator->release(other, 3U << 20);
    std::byte* middling = allocator->allocate(700U << 10);
    allocator->release(middling, 700U << 10);
    allocator->trim();
    CHECK(allocator->cached() == 0);
}

TEST_CASE("the cache does not exceed its bound") {
    Allocator::Options options;
    options.most_cached = 8U << 20;
    const auto allocator = Allocator::create(options);
    std::vector<std::byte*> blocks;
    for (int i = 0; i < 8; ++i) blocks.push_back(allocator->allocate(4U << 20));
    for (std::byte* block : blocks) allocator->release(block, 4U << 20);
    CHECK(allocator->cached() <= 8U << 20);
    CHECK(allocator->cached() > 0);
}

TEST_CASE("near the limit, large blocks are returned to the system, those freed first before others") {
    Allocator::Options options;
    options.limit = 16U << 20;
    const auto allocator = Allocator::create(options);
    std::byte* const oldest = allocator->allocate(4U << 20);
    std::byte* const middle = allocator->allocate(2U << 20);
    std::byte* const newest = allocator->allocate(6U << 20);
    allocator->release(oldest, 4U << 20);
    allocator->release(middle, 2U << 20);
    allocator->release(newest, 6U << 20);
    CHECK(allocator->cached() == 12U << 20);
    {
        const Charge text(allocator, 5U << 20);
        CHECK(allocator->cached() == 8U << 20);
        CHECK(allocator->allocate(6U << 20) == newest);
        allocator->release(newest, 6U << 20);
    }
    // Blocks that are freed also displace blocks that were freed earlier.
    const Charge text(allocator, 6U << 20);
    std::byte* const fresh = allocator->allocate(4U << 20);
    CHECK(allocator->cached() == 6U << 20);
    allocator->release(fresh, 4U << 20);
    CHECK(allocator->cached() == 10U << 20);
}

namespace {

constexpr std::size_t mega = 1U << 20;

/// Blocks of one size. Each block is filled with its number.
class Blocks {
  public:
    Blocks(std::shared_ptr<Allocator> allocator, std::size_t bytes) : allocator_(std::move(allocator)), bytes_(bytes) {}
    ~Blocks() { keep_every(0); }
    Blocks(const Blocks&) = delete;
    Blocks& operator=(const Blocks&) = delete;

    void add(std::size_t total) {
        for (std::size_t used = 0; used < total; used += bytes_) add_one();
    }
    void add_one() {
        std::byte* const block = allocator_->allocate(bytes_);
        std::memset(block, static_cast<unsigned char>(blocks_.size()), bytes_);
        blocks_.push_back({block, static_cast<unsigned char>(blocks_.size())});
    }
    /// Releases all blocks except each n-th block; all blocks if n is 0. Returns whether all blocks still had their
    /// contents.
    bool keep_every(std::size_t n) {
        bool good = true;
        std::vector<std::pair<std::byte*, unsigned char>> kept;
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            const auto [block, mark] = blocks_[i];
            good = good && std::all_of(block, block + bytes_, [&](std::byte b) { return b == std::byte{mark}; });
            if (n != 0 && i % n == 0)
                kept.push_back(blocks_[i]);
            else
                allocator_->release(block, bytes_);
        }
        blocks_ = std::move(kept);
        return good;
    }

  private:
    std::shared_ptr<Allocator> allocator_;
    std::size_t bytes_;
    std::vector<std::pair<std::byte*, unsigned char>> blocks_;
};

} // namespace

TEST_CASE("free small blocks are reused for blocks of other sizes") {
    Allocator::Options options;
    options.limit = 16 * mega;
    const auto allocator = Allocator::create(options);
    for (const std::size_t bytes : {64, 200, 1000, 5000, 20000, 300000, 64}) {
        CAPTURE(bytes);
        Blocks blocks(allocator, bytes);
        blocks.add(12 * mega);
        CHECK(allocator->in_use() + allocator->cached() <= options.limit + 8 * mega);
        CHECK(blocks.keep_every(0));
    }
    allocator->trim();
    CHECK(allocator->cached() == 0);
    CHECK(allocator->in_use() == 0);
}

TEST_CASE("whole pages of free small blocks are returned, also next to blocks in use") {
    const auto allocator = Allocator::create();
    Blocks small(allocator, 192);
    Blocks middle(allocator, 6000);
    Blocks large(allocator, 100000);
    for (Blocks* blocks : {&small, &middle, &large}) blocks->add(4 * mega);
    for (Blocks* blocks : {&small, &middle, &large}) CHECK(blocks->keep_every(100));
    const std::size_t before = allocator->cached();
    allocator->trim();
    CHECK(allocator->cached() < before / 8);
    // The pages are divided into blocks of a different size, while blocks next to them are in use.
    Blocks other(allocator, 1280);
    other.add(10 * mega);
    for (Blocks* blocks : {&small, &middle, &large, &other}) CHECK(blocks->keep_every(2));
    allocator->trim();
    for (Blocks* blocks : {&small, &middle, &large, &other}) CHECK(blocks->keep_every(0));
    allocator->trim();
    CHECK(allocator->cached() == 0);
}

TEST_CASE("free blocks in pages with blocks in use count against the limit") {
    Allocator::Options options;
    options.limit = 16 * mega;
    const auto allocator = Allocator::create(options);
    Blocks blocks(allocator, 64);
    blocks.add(15 * mega);
    CHECK(blocks.keep_every(64)); // one block in each page is in use
    Blocks others(allocator, 128);
    std::string message;
    for (int i = 0; i < 1 << 17 && message.empty(); ++i) {
        try {
            others.add_one();
        } catch (const Failure& failure) {
            CHECK(failure.kind() == FailureKind::memory_limit);
            message = failure.message();
        }
    }
    CHECK(message.find("free between them") != std::string::npos);
    CHECK(allocator->in_use() > 8 * mega);
    CHECK(allocator->in_use() + allocator->cached() <= options.limit + 16 * mega);
    CHECK_THROWS_AS(Charge(allocator, 4 * mega), Failure);
    CHECK(others.keep_every(0));
    CHECK(Charge(allocator, 4 * mega).bytes() == 4 * mega);
}

TEST_CASE("a process made by fork does not release blocks of its parent's allocator") {
    auto allocator = Allocator::create();
    std::byte* const small = allocator->allocate(1000);
    std::byte* const large = allocator->allocate(mega);
    std::memset(small, 1, 1000);
    std::memset(large, 1, mega);
    allocator->release(large, mega);
    const pm_test::ChildEnd end = pm_test::in_child([&] {
        allocator.reset();
        return std::all_of(small, small + 1000, [](std::byte b) { return b == std::byte{1}; }) ? 0 : 1;
    });
    CHECK(end.in_time);
    CHECK(end.signal == 0);
    CHECK(end.code == 0);
    allocator->release(small, 1000);
}

TEST_CASE("the memory limit is enforced, and freed memory can be used again") {
    Allocator::Options options;
    options.limit = 1U << 20;
    const auto allocator = Allocator::create(options);
    {
        const Array a = Array::empty(DType::f32, {200000}, allocator);
        CHECK(allocator->in_use() >= 800000);
        try {
            const Array b = Array::empty(DType::f32, {200000}, allocator);
            FAIL("allocated past the limit");
        } catch (const Failure& failure) {
            CHECK(failure.kind() == FailureKind::memory_limit);
            CHECK(failure.message().find("1048576") != std::string::npos);
        }
    }
    CHECK(allocator->in_use() == 0);
    const Array again = Array::empty(DType::f32, {200000}, allocator);
    allocator->set_limit(0);
    const Array more = Array::empty(DType::f32, {200000}, allocator);
    CHECK_THROWS_AS(allocator->allocate(std::size_t{1} << 60), Failure);
    CHECK_THROWS_AS(allocator->allocate(~std::size_t{0}), Failure);
    CHECK_THROWS_AS(allocate_from(nullptr, ~std::size_t{0}), Failure);
}

TEST_CASE("of an array that is divided among processes, only the own part is charged and takes memory") {
    constexpr std::int64_t bytes = 64 << 20, begin = 16 << 20, end = 24 << 20;
    const auto allocator = Allocator::create({.limit = std::size_t{40} << 20, .most_cached = std::size_t{1} << 30});
    const auto resident = [&](const Array& array) {
        std::vector<unsigned char> pages(bytes / 4096);
        auto* const data = static_cast<std::byte*>(array.divided_data());
        REQUIRE(mincore(data, bytes, pages.data()) == 0);
        return std::ranges::count_if(pages, [](unsigned char page) { return (page & 1U) != 0; }) * 4096;
    };
    const std::size_t before = allocator->in_use();
    {
        Array part = Array::empty_part(DType::u8, {bytes}, begin, end, allocator);
        std::memset(part.mutable_as<char>() + begin, 1, end - begin);
        CHECK(allocator->in_use() - before < (std::size_t{8} << 20) + 4096);
        CHECK(resident(part) <= (12 << 20));
        part.divide({1, {0, begin, end, bytes}}, [](std::byte*) { FAIL("the limit forbids the other parts"); });
        CHECK_THROWS_AS(part.data(), Failure);
        allocator->set_limit(0);
        bool brought = false;
        part.divide({1, {0, begin, end, bytes}}, [&](std::byte*) { brought = true; });
        CHECK((part.data() != nullptr && brought));
        CHECK(allocator->in_use() - before >= bytes);
    }
    CHECK(allocator->in_use() == before);
    {
        const Array part = Array::empty_part(DType::u8, {bytes}, begin, end, allocator);
    }
    CHECK(allocator->in_use() == before);
    // the memory of a whole array does not stay with a part of its size
    {
        Array whole = Array::full(DType::u8, {bytes}, 1, allocator);
    }
    const Array again = Array::empty_part(DType::u8, {bytes}, begin, end, allocator);
    CHECK(resident(again) <= (12 << 20));
}

TEST_CASE("arrays keep their allocator alive") {
    Array a;
    {
        const auto allocator = Allocator::create();
        a = Array::full(DType::f64, {1000}, 3, allocator);
    }
    CHECK(a.as_f64(999) == 3);
    CHECK(a.clone().as_f64(1) == 3);
}

TEST_CASE("threads share an allocator") {
    const auto allocator = Allocator::create();
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            std::mt19937 random(static_cast<unsigned>(t));
            for (int i = 0; i < 2000; ++i) {
                const Array a = Array::full(DType::i32, {static_cast<std::int64_t>(random() % 300)}, t, allocator);
                for (std::int64_t e = 0; e < a.elements(); ++e) wrong += a.as_i64(e) != t;
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(allocator->in_use() == 0);
}

TEST_CASE("charges and allocations count against one limit") {
    Allocator::Options options;
    options.limit = 8U << 20;
    const auto allocator = Allocator::create(options);
    Charge text(allocator, 5U << 20);
    CHECK(allocator->in_use() == 5U << 20);
    CHECK_THROWS_AS(allocator->allocate(4U << 20), Failure);
    CHECK_THROWS_AS(text.resize(9U << 20), Failure);
    CHECK(text.bytes() == 5U << 20);
    text.resize(1U << 20);
    std::byte* block = allocator->allocate(4U << 20);
    CHECK_THROWS_AS(Charge(allocator, 4U << 20), Failure);
    allocator->release(block, 4U << 20);
    CHECK(allocator->cached() == 4U << 20);
    const Charge copy = text; // a copy is charged separately
    CHECK(allocator->in_use() == 2U << 20);
    Charge moved = std::move(text);
    CHECK(allocator->in_use() == 2U << 20);
    // Free blocks are returned to the system to make room.
    const Charge large(allocator, 5U << 20);
    CHECK(allocator->cached() == 0);
    CHECK(Charge().bytes() == 0);
}

TEST_CASE("a growing text is charged before it is extended") {
    Allocator::Options options;
    options.limit = 1U << 20;
    const auto allocator = Allocator::create(options);
    {
        ChargedText text(allocator);
        const std::string part(1000, 'a');
        CHECK_THROWS_AS(
            [&] {
                for (int i = 0; i < 2000; ++i) text.append(part);
            }(),
            Failure);
        // During the growth, the old bytes and a new buffer of twice the size exist.
        CHECK(text.text().size() > 300000);
        CHECK(allocator->peak() <= 1U << 20);
        const auto [bytes, paid] = std::move(text).take();
        CHECK(paid.bytes() >= bytes.size());
        CHECK(allocator->in_use() == paid.bytes());
    }
    CHECK(allocator->in_use() == 0);
    ChargedText exact(allocator);
    exact.reserve(900000);
    exact.append(std::string(900000, 'b'));
    CHECK(allocator->in_use() < 910000);
}

namespace {
std::size_t left_on_machine = 0;
} // namespace

TEST_CASE("allocation fails before the machine has no more memory") {
    left_on_machine = 100U << 20;
    Allocator::Options options;
    options.available = [] { return left_on_machine; };
    options.reserve = 10U << 20;
    const auto allocator = Allocator::create(options);
    const Charge some(allocator, 50U << 20);
    left_on_machine = 12U << 20; // other processes have allocated more memory than this process
    CHECK_THROWS_AS(Charge(allocator, 20U << 20), Failure);
    CHECK(allocator->in_use() == 50U << 20);
    left_on_machine = 40U << 20;
    CHECK(Charge(allocator, 20U << 20).bytes() == 20U << 20);
}
