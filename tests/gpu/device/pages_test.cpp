// Address ranges that get memory where they are touched, on the driver that interprets PTX.
#include "runtime/gpu/driver/gpu_pages.hpp"

#include "runtime/failure.hpp"
#include "tests/gpu/device/library.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace pm::runtime;

namespace {

/// The first device, and its context.
class Opened {
  public:
    Opened() {
        driver.expect(driver.init(0), "cuInit");
        driver.expect(driver.context_retain(&context, 0), "cuDevicePrimaryCtxRetain");
        driver.expect(driver.context_push(context), "cuCtxPushCurrent");
    }
    ~Opened() {
        void* popped = nullptr;
        static_cast<void>(driver.context_pop(&popped));
        static_cast<void>(driver.context_release(0));
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;

    std::size_t free() const {
        std::size_t left = 0, total = 0;
        driver.expect(driver.memory_info(&left, &total), "cuMemGetInfo");
        return left;
    }
    bool has_memory(std::uint64_t address, std::size_t bytes) const {
        return driver.set_bytes(address, 1, bytes, nullptr) == 0;
    }

    cuda::Driver driver;
    void* context = nullptr;
};

} // namespace

PM_TEST_OF_INTERPRETER("pages: only touched pages have memory") {
    const Opened gpu;
    const std::size_t before = gpu.free();
    {
        Pages pages(gpu.driver, 0, [] {}, [] {});
        const std::size_t page = pages.page();
        const std::uint64_t a = pages.reserve(10 * page - 5);
        CHECK(pages.has(a));
        CHECK(gpu.free() == before);
        CHECK(!gpu.has_memory(a, 1));
        pages.touch(a + 3 * page + 7, 1);
        CHECK(gpu.free() == before - page);
        CHECK(gpu.has_memory(a + 3 * page, page));
        CHECK(!gpu.has_memory(a + 3 * page - 1, 1));
        CHECK(!gpu.has_memory(a + 4 * page, 1));
        pages.touch(a + 5 * page, 2 * page);
        pages.touch(a + 6 * page, page);
        CHECK(gpu.free() == before - 3 * page);
        pages.touch(a + page + 1, 8 * page - 2); // also fills the holes
        CHECK(gpu.free() == before - 8 * page);
        CHECK(gpu.has_memory(a + page, 8 * page));
        CHECK(!gpu.has_memory(a, 1));
        CHECK(!gpu.has_memory(a + 9 * page, 1));
        pages.touch(a, 0);
        pages.touch(a, 10 * page - 5);
        CHECK(gpu.free() == before - 10 * page);
        CHECK(gpu.has_memory(a, 10 * page));
    }
    CHECK(gpu.free() == before);
}

PM_TEST_OF_INTERPRETER("pages: a released range is reused with its memory for the same number of pages") {
    const Opened gpu;
    const std::size_t before = gpu.free();
    int waits = 0;
    bool fails = false;
    const auto wait = [&] {
        if (fails) throw Failure(FailureKind::out_of_memory, "no room for a launch");
        ++waits;
    };
    Pages pages(gpu.driver, 0, wait, [] {});
    const std::size_t page = pages.page();
    const std::uint64_t a = pages.reserve(4 * page), b = pages.reserve(4 * page);
    pages.touch(a + page, page);
    pages.touch(b, 2 * page);
    pages.release(a);
    pages.release(b);
    CHECK(pages.kept() == 3 * page);
    CHECK(pages.reserve(3 * page) != b);
    CHECK(pages.reserve(4 * page - 1) == b);
    CHECK(pages.reserve(4 * page) == a);
    CHECK(gpu.has_memory(a + page, page));
    CHECK(pages.kept() == 0);
    CHECK(gpu.free() == before - 3 * page);
    pages.release(a);
    CHECK(waits == 0);
    pages.trim();
    CHECK(waits == 1);
    CHECK(gpu.free() == before - 2 * page);
    // At most `most_kept` released ranges are kept. The next reservation frees the oldest ones.
    const std::uint64_t oldest = pages.reserve(page);
    pages.touch(oldest, 1);
    pages.release(oldest);
    std::vector<std::uint64_t> many;
    for (std::size_t i = 0; i < Pages::most_kept; ++i) many.push_back(pages.reserve(2 * page));
    for (const std::uint64_t one : many) pages.release(one);
    CHECK(waits == 1);
    CHECK(pages.kept() == page);
    fails = true; // without the wait the ranges may be in use
    CHECK_THROWS_AS(pages.reserve(3 * page), Failure);
    CHECK(pages.kept() == page);
    CHECK(gpu.has_memory(oldest, 1));
    fails = false;
    static_cast<void>(pages.reserve(3 * page));
    CHECK(waits == 2);
    CHECK(pages.kept() == 0);
    CHECK(gpu.free() == before - 2 * page);
    static_cast<void>(pages.reserve(3 * page));
    CHECK(waits == 2); // half of the ranges were freed
}

PM_TEST_OF_INTERPRETER(
    "pages: unneeded pages are freed in the pieces that were mapped, after a wait, and can be touched again") {
    const Opened gpu;
    const std::size_t before = gpu.free();
    int waits = 0;
    bool fails = false;
    const auto wait = [&] {
        if (fails) throw Failure(FailureKind::device_failed, "gone");
        ++waits;
    };
    Pages pages(gpu.driver, 0, wait, [] {});
    const std::size_t page = pages.page();
    const std::uint64_t a = pages.reserve(10 * page);
    pages.touch(a + page, 2 * page);
    pages.touch(a + page, 5 * page); // maps pages 1 and 2, then 3 to 5
    pages.touch(a + 8 * page, page);
    const auto below = [&](std::size_t end) { return [=](Stretch s) { return s.to <= end; }; };
    CHECK(pages.give_back(a, below(2 * page)).empty()); // only part of a piece
    CHECK(waits == 0);
    fails = true;
    CHECK_THROWS_AS(pages.give_back(a, below(6 * page)), Failure);
    CHECK(gpu.has_memory(a + page, 5 * page));
    fails = false;
    const std::vector<Stretch> freed = pages.give_back(a, below(6 * page));
    CHECK(waits == 1);
    REQUIRE(freed.size() == 2);
    CHECK((freed[0].from == page && freed[0].to == 3 * page && freed[1].from == 3 * page && freed[1].to == 6 * page));
    CHECK(gpu.free() == before - page);
    CHECK(!gpu.has_memory(a + 2 * page, 1));
    CHECK(gpu.has_memory(a + 8 * page, page));
    pages.touch(a + 2 * page, 7 * page);
    CHECK(gpu.free() == before - 7 * page);
    CHECK(gpu.has_memory(a + 2 * page, 7 * page));
}

PM_TEST_OF_INTERPRETER("pages: when memory runs out, released ranges are freed first") {
    const Opened gpu;
    Pages pages(gpu.driver, 0, [] {}, [] {});
    const std::size_t page = pages.page(), all = 20;
    // Allocates the rest of the memory.
    const cuda::MemoryProperties properties;
    std::uint64_t rest = 0;
    gpu.driver.expect(gpu.driver.create(&rest, gpu.free() / page * page - all * page, &properties, 0), "cuMemCreate");
    const std::size_t before = gpu.free();
    const std::uint64_t a = pages.reserve(all * page), b = pages.reserve((all + 1) * page);
    pages.touch(a, (all - 1) * page);
    CHECK_THROWS_AS(pages.touch(b, 2 * page), Failure);
    CHECK(gpu.free() == before - (all - 1) * page);
    pages.touch(b + page, page);
    CHECK_THROWS_AS(pages.touch(b, 2 * page), Failure);
    pages.release(a);
    pages.touch(b, all * page);
    CHECK(pages.kept() == 0);
    CHECK_THROWS_AS(pages.touch(b, (all + 1) * page), Failure);
    CHECK(gpu.has_memory(b, all * page));
    gpu.driver.expect(gpu.driver.release_piece(rest), "cuMemRelease");
}
