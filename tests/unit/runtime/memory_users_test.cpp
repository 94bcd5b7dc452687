// Who finds no memory waits for those who have it for a while.
#include "runtime/gpu/device/memory_waiters.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

using namespace pm::runtime;

namespace {

const auto never = [] { return false; };

void wait_until(const std::atomic<bool>& flag) {
    while (!flag) std::this_thread::yield();
}

} // namespace

TEST_CASE("memory users: nobody waits where there is nobody to wait for") {
    MemoryWaiters users;
    CHECK_FALSE(users.wait(users.ended(), never));
    const MemoryWaiters::Use use(users);
    CHECK_FALSE(users.wait(users.ended(), never)); // but for itself
}

TEST_CASE("memory users: what is over since is not waited for, and one within another is the same") {
    MemoryWaiters users;
    const auto before = users.ended();
    {
        const MemoryWaiters::Use use(users);
        {
            const MemoryWaiters::Use within(users);
            CHECK(users.has_this_thread());
        }
        CHECK(users.ended() == before);
        CHECK(users.has_this_thread());
    }
    CHECK_FALSE(users.has_this_thread());
    CHECK(users.wait(before, never));
}

TEST_CASE("memory users: one waits until another is through, or is to leave") {
    MemoryWaiters users;
    std::atomic<bool> begun = false, asked = false, may_end = false;
    std::jthread other([&] {
        const MemoryWaiters::Use use(users);
        begun = true;
        wait_until(may_end);
    });
    wait_until(begun);
    int questions = 0;
    CHECK_FALSE(users.wait(users.ended(), [&] { return ++questions == 3; }));
    CHECK(questions == 3);
    CHECK(users.wait(users.ended(), [&] {
        asked = true;
        may_end = true;
        return false;
    }));
    CHECK(asked);
}

TEST_CASE("memory users: of those who all wait one gives up, and then the next has a turn") {
    for (int iteration = 0; iteration < 50; ++iteration) {
        MemoryWaiters users;
        std::atomic<int> there = 0, gave_up = 0, had_iterations = 0;
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < 4; ++i)
                threads.emplace_back([&] {
                    const MemoryWaiters::Use use(users);
                    const auto before = users.ended();
                    ++there;
                    while (there < 4) std::this_thread::yield();
                    ++(users.wait(before, never) ? had_iterations : gave_up);
                });
        }
        CHECK(gave_up == 1);
        CHECK(had_iterations == 3);
    }
}

TEST_CASE("memory users: who is to leave does, though others are through again and again") {
    MemoryWaiters users;
    std::atomic<bool> done = false;
    std::jthread busy([&] {
        while (!done) {
            const MemoryWaiters::Use use(users);
        }
    });
    while (users.ended() < 2) std::this_thread::yield();
    CHECK(users.wait(0, never));
    CHECK_FALSE(users.wait(0, [] { return true; }));
    const auto leave = for_a_moment();
    while (users.wait(0, leave)) std::this_thread::yield(); // ends
    done = true;
}

TEST_CASE("memory users: whoever waits has a turn when one is through, before another gives up") {
    MemoryWaiters users;
    std::atomic<bool> begun = false, waits = false, may_end = false, through = false;
    std::jthread third([&] {
        const MemoryWaiters::Use use(users);
        begun = true;
        wait_until(waits);
        wait_until(may_end);
    });
    bool had_iteration = false;
    std::jthread second([&] {
        const MemoryWaiters::Use use(users);
        wait_until(begun);
        const auto before = users.ended();
        had_iteration = users.wait(before, [&] {
            waits = true;
            if (may_end) wait_until(through); // slow to come back
            return false;
        });
        wait_until(through);
    });
    wait_until(waits);
    const MemoryWaiters::Use use(users);
    const auto before = users.ended();
    may_end = true;
    third.join();
    CHECK(users.wait(before, never));
    // It finds none still; the second is yet to try.
    int questions = 0;
    CHECK_FALSE(users.wait(users.ended(), [&] { return ++questions == 3; }));
    CHECK(questions == 3);
    through = true;
    second.join();
    CHECK(had_iteration);
}
