#include "compiler/base/account.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <thread>
#include <vector>

using namespace pm;
using runtime::Allocator;
using runtime::Failure;

namespace {

template <class T>
using CountedList = std::vector<T, Counted<T, 8>>;

} // namespace

TEST_CASE("lists count in the account of the thread that makes them, until they are gone") {
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
        std::thread([&] { // nobody pays there
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
