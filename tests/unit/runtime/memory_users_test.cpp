// A caller that finds no memory waits for other users of the GPU's memory. These users hold memory for a limited time.
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

TEST_CASE("memory users: without another user a caller does not wait") {
    MemoryWaiters users;
    CHECK_FALSE(users.wait(users.ended(), never));
    const MemoryWaiters::Use use(users);
    CHECK_FALSE(users.wait(users.ended(), never)); // the caller is the only user
}

TEST_CASE("memory users: a caller does not wait if a use has ended since; nested uses are one use") {
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

TEST_CASE("memory users: a caller waits until another use ends or `leave` returns true") {
    MemoryWaiters users;
    std::atomic<bool> begun = false, polled = false, may_end = false;
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
        polled = true;
        may_end = true;
        return false;
    }));
    CHECK(polled);
}

TEST_CASE("memory users: if all users wait, one gives up, and then the others succeed in turn") {
    for (int iteration = 0; iteration < 50; ++iteration) {
        MemoryWaiters users;
        std::atomic<int> there = 0, gave_up = 0, succeeded = 0;
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < 4; ++i)
                threads.emplace_back([&] {
                    const MemoryWaiters::Use use(users);
                    const auto before = users.ended();
                    ++there;
                    while (there < 4) std::this_thread::yield();
                    ++(users.wait(before, never) ? succeeded : gave_up);
                });
        }
        CHECK(gave_up == 1);
        CHECK(succeeded == 3);
    }
}

TEST_CASE("memory users: a caller with a true `leave` gives up, although uses of others end repeatedly") {
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
    while (users.wait(0, leave)) std::this_thread::yield(); // this loop ends, because `wait` calls `leave` first
    done = true;
}

TEST_CASE("memory users: each waiting user wakes up after the end of a use before another one gives up") {
    MemoryWaiters users;
    std::atomic<bool> begun = false, waits = false, may_end = false, through = false;
    std::jthread third([&] {
        const MemoryWaiters::Use use(users);
        begun = true;
        wait_until(waits);
        wait_until(may_end);
    });
    bool succeeded = false;
    std::jthread second([&] {
        const MemoryWaiters::Use use(users);
        wait_until(begun);
        const auto before = users.ended();
        succeeded = users.wait(before, [&] {
            waits = true;
            if (may_end) wait_until(through); // delays the return of this thread from the wait
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
    // This thread finds no memory again. It has to wait, because the second thread has not tried to allocate yet.
    int questions = 0;
    CHECK_FALSE(users.wait(users.ended(), [&] { return ++questions == 3; }));
    CHECK(questions == 3);
    through = true;
    second.join();
    CHECK(succeeded);
}
