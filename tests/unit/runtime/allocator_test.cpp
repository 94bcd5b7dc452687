#include "runtime/allocator.hpp"
#include "runtime/array.hpp"
#include "runtime/failure.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <random>
#include <thread>
#include <vector>

using namespace pm::runtime;

TEST_CASE("blocks are aligned, apart and reused") {
    const auto allocator = Allocator::create();
    struct Held {
        std::byte* block;
        std::size_t bytes;
        unsigned char mark;
    };
    std::vector<Held> held;
    std::mt19937 random(1);
    int wrong = 0;
    for (int turn = 0; turn < 4000; ++turn) {
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
        const std::size_t bytes = turn % 100 == 0 ? random() % (6U << 20) : random() % (1U << (random() % 17));
        std::byte* block = allocator->allocate(bytes);
        REQUIRE(block != nullptr);
        wrong += reinterpret_cast<std::uintptr_t>(block) % 64 != 0;
        const auto mark = static_cast<unsigned char>(turn);
        std::memset(block, mark, bytes);
        held.push_back({block, bytes, mark});
    }
    CHECK(wrong == 0);
    for (const Held& h : held) allocator->release(h.block, h.bytes);
    CHECK(allocator->in_use() == 0);
    CHECK(allocator->peak() > 0);
}

TEST_CASE("a large block comes back as it was and can be returned to the system") {
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

TEST_CASE("the cache keeps to its bound") {
    Allocator::Options options;
    options.most_cached = 8U << 20;
    const auto allocator = Allocator::create(options);
    std::vector<std::byte*> blocks;
    for (int i = 0; i < 8; ++i) blocks.push_back(allocator->allocate(4U << 20));
    for (std::byte* block : blocks) allocator->release(block, 4U << 20);
    CHECK(allocator->cached() <= 8U << 20);
    CHECK(allocator->cached() > 0);
}

TEST_CASE("the memory limit holds, and what is freed may be used again") {
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

TEST_CASE("arrays outlive whoever made their allocator") {
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

TEST_CASE("what is charged counts with what is allocated") {
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
    const Charge copy = text; // is charged again
    CHECK(allocator->in_use() == 2U << 20);
    Charge moved = std::move(text);
    CHECK(allocator->in_use() == 2U << 20);
    // Free blocks give way.
    const Charge large(allocator, 5U << 20);
    CHECK(allocator->cached() == 0);
    CHECK(Charge().bytes() == 0);
}

TEST_CASE("a text that grows is charged before it does") {
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
        // The old bytes and twice as many new ones are there at a time.
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

TEST_CASE("growth stops before the machine has no more memory") {
    left_on_machine = 100U << 20;
    Allocator::Options options;
    options.available = [] { return left_on_machine; };
    options.reserve = 10U << 20;
    const auto allocator = Allocator::create(options);
    const Charge some(allocator, 50U << 20);
    left_on_machine = 12U << 20; // others have taken more than we
    CHECK_THROWS_AS(Charge(allocator, 20U << 20), Failure);
    CHECK(allocator->in_use() == 50U << 20);
    left_on_machine = 40U << 20;
    CHECK(Charge(allocator, 20U << 20).bytes() == 20U << 20);
}
