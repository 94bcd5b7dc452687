#include "compiler/base/account.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <thread>
#include <vector>

using namespace pm;
using runtime::Allocator;
using runtime::Failure;

namespace {

template <class T>
using CountedList = std::vector<T, Counted<T, 8>>;

thread_local std::size_t allocations = 0; // calls of operator new by this thread

} // namespace

void* operator new(std::size_t bytes) {
    ++allocations;
    if (void* const memory = std::malloc(bytes)) return memory;
    throw std::bad_alloc();
}
// The standard library allocates temporary buffers by this operator and releases them by the operator delete below.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    ++allocations;
    return std::malloc(bytes);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

TEST_CASE("lists are charged to the account of the thread that creates them until they are destroyed") {
    const auto account = Allocator::create({.limit = std::size_t{1} << 20});
    CountedList<int> kept;
    {
        const AccountScope scope(account);
        CountedList<int> grows;
        CHECK_THROWS_AS(
            [&] {
                for (int i = 0; i < 1000000; ++i) grows.push_back(i);
            }(),
            Failure);
        CHECK(grows.size() > 20000);
        kept = CountedList<int>(100);
        const auto shared = std::allocate_shared<int>(Counted<int>(), 3);
        CHECK(account->in_use() > 100 * 12);
        std::thread([&] { // no account is active in the new thread
            const std::size_t before = account->in_use();
            const CountedList<int> other(1000);
            CHECK(account->in_use() == before);
        })
            .join();
    }
    CHECK(account->in_use() >= 100 * 12);
    CHECK(account->in_use() < 100 * 12 + 100);
    std::thread([&] { CountedList<int>().swap(kept); }).join();
    CHECK(account->in_use() == 0);
}

TEST_CASE("the prepaid part of a thread's account is counted by other threads, respects the limit and is returned") {
    const auto account = Allocator::create({.limit = std::size_t{1} << 20});
    const auto used_elsewhere = [&] {
        std::size_t used = 0;
        std::thread([&] { used = account->in_use(); }).join();
        return used;
    };
    {
        const AccountScope scope(account);
        runtime::Charge small = charged(1000);
        CHECK(account->in_use() == 1000);
        CHECK(used_elsewhere() >= 1000);
        CHECK(used_elsewhere() <= 1000 + (64 << 10));
        {
            const AccountScope inner(account);
            const runtime::Charge more = charged(2000);
            CHECK(account->in_use() == 3000);
        }
        {
            const AccountScope no_account(nullptr);
            CHECK(used_elsewhere() == 1000);
            small.resize(500); // the 500 bytes are returned to the account at once
            CHECK(used_elsewhere() == 500);
        }
        small.resize(1000);
        std::vector<runtime::Charge> all; // these charges fill the account to the last byte
        for (std::size_t used = 1000; used + 1000 <= std::size_t{1} << 20; used += 1000) all.push_back(charged(1000));
        all.push_back(charged((std::size_t{1} << 20) - account->in_use()));
        CHECK(account->in_use() == std::size_t{1} << 20);
        CHECK_THROWS_AS(charged(1), Failure);
        CHECK(account->peak() == std::size_t{1} << 20);
        all.clear();
        CHECK(account->in_use() == 1000);
        CHECK(used_elsewhere() <= 1000 + (128 << 10));
        std::byte* const block = account->allocate(4096);
        CHECK(account->in_use() == 1000 + 4096);
        account->release(block, 4096);
    }
    CHECK(account->in_use() == 0);
    CHECK(used_elsewhere() == 0);
}

TEST_CASE("a small charge does not allocate on the heap, also near the limit") {
    // An exception would allocate its message, which takes microseconds.
    const auto allocations_of_charges = [](const std::shared_ptr<Allocator>& account) {
        const AccountScope scope(account);
        std::vector<runtime::Charge> kept;
        kept.reserve(5000);
        const std::size_t before = allocations;
        for (int i = 0; i < 5000; ++i) kept.push_back(charged(8));
        return allocations - before;
    };
    constexpr std::size_t limit = std::size_t{1} << 20;
    const auto near_limit = Allocator::create({.limit = limit});
    const runtime::Charge most(near_limit, limit - 5000 * 8);
    CHECK(allocations_of_charges(near_limit) == 0);
    CHECK(allocations_of_charges(Allocator::create({.limit = limit})) == 0);
}
