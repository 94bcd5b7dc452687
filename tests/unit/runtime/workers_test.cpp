#include "runtime/workers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

using namespace pm::runtime;

TEST_CASE("every chunk runs once, whatever the number of workers and chunks") {
    for (const int count : {1, 2, 3, 8}) {
        Workers workers(count);
        CHECK(workers.count() == count);
        for (const std::int64_t n : {0, 1, 2, 3, 7, 64, 1000, 10007}) {
            std::vector<int> runs(static_cast<std::size_t>(n), 0);
            workers.each(n, [&](std::int64_t i) { ++runs[static_cast<std::size_t>(i)]; });
            CHECK(std::accumulate(runs.begin(), runs.end(), std::int64_t{0}) == n);
            CHECK(std::count(runs.begin(), runs.end(), 1) == n);
        }
    }
}

TEST_CASE("of many small runs each reads the writes of the previous run") {
    Workers workers(3);
    std::vector<std::int64_t> values(5, 0);
    for (int iteration = 0; iteration < 20000; ++iteration)
        workers.each(5, [&](std::int64_t i) {
            values[static_cast<std::size_t>(i)] += values[static_cast<std::size_t>(i)] == iteration ? 1 : 1000000;
        });
    for (const std::int64_t value : values) CHECK(value == 20000);
}

TEST_CASE("runs after pauses, during which the threads sleep") {
    Workers workers(2);
    std::atomic<std::int64_t> sum{0};
    for (int iteration = 0; iteration < 50; ++iteration) {
        workers.each(4, [&](std::int64_t i) { sum += i; });
        std::this_thread::sleep_for(std::chrono::microseconds(iteration % 2 == 0 ? 300 : 50));
    }
    CHECK(sum == 50 * 6);
}

TEST_CASE("a run inside a chunk runs inline") {
    Workers workers(4);
    std::vector<std::int64_t> sums(16, 0);
    workers.each(16, [&](std::int64_t i) {
        const auto self = std::this_thread::get_id();
        workers.each(100, [&](std::int64_t k) {
            if (std::this_thread::get_id() == self) sums[static_cast<std::size_t>(i)] += k;
        });
    });
    for (const std::int64_t sum : sums) CHECK(sum == 4950);
}

TEST_CASE("several threads use one pool at once") {
    Workers workers(2);
    std::vector<std::thread> threads;
    std::atomic<std::int64_t> sum{0};
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] {
            for (int iteration = 0; iteration < 2000; ++iteration) workers.each(8, [&](std::int64_t i) { sum += i; });
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(sum == 3 * 2000 * 28);
}

TEST_CASE("pools are created and destroyed, also two pools at once") {
    for (int iteration = 0; iteration < 30; ++iteration) {
        Workers a(2);
        Workers b(3);
        std::atomic<int> runs{0};
        a.each(4, [&](std::int64_t) { b.each(4, [&](std::int64_t) { ++runs; }); });
        CHECK(runs == 16);
    }
}

TEST_CASE("threads other than the caller's run chunks") {
    Workers workers(2);
    bool shared = false;
    for (int iteration = 0; iteration < 200 && !shared; ++iteration) {
        std::atomic<int> waiting{0};
        std::atomic<bool> met{false};
        // Each chunk waits for the other chunk for some time, which succeeds only if two threads run.
        workers.each(2, [&](std::int64_t) {
            ++waiting;
            for (int i = 0; i < 2000 && !met; ++i) {
                if (waiting == 2) met = true;
                std::this_thread::yield();
            }
        });
        // One thread runs the chunks one after the other, so the wait of the first chunk fails.
        shared = met;
    }
    CHECK(shared);
}
