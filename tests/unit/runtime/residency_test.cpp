// Residency stores, for each byte, the GPUs that have its value. The tests compare Residency with a model that stores a
// set of GPUs for each byte separately.
#include "runtime/gpu/multi_gpu/residency.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>
#include <utility>

using namespace pm::runtime;

TEST_CASE("residency: a write leaves one GPU with the value, a copy adds a GPU") {
    Residency where(100);
    CHECK(where.readable(0, 100, 3));
    where.copied(0, 100, 1);
    CHECK(where.pieces() == 1);
    where.written(10, 20, 0);
    CHECK(where.pieces() == 3);
    CHECK(!where.readable(0, 11, 1));
    CHECK(where.readable(0, 10, 1));
    CHECK(where.readable(20, 100, 1));
    where.copied(0, 15, 1);
    CHECK(where.readable(0, 15, 1));
    CHECK(!where.readable(0, 16, 1));
    where.written(12, 13, 1);
    CHECK(!where.readable(12, 13, 0));
    where.written(0, 100, 2);
    CHECK(where.pieces() == 1);
    CHECK(where.within(5, 5).empty());
    const auto all = where.within(5, 100);
    REQUIRE(all.size() == 1);
    CHECK(all[0].begin == 5);
    CHECK(all[0].end == 100);
    CHECK(all[0].on == GpuSet::one(2));
}

TEST_CASE("residency: agrees with a model of each byte, and has the least number of pieces") {
    constexpr std::size_t bytes = 64;
    std::mt19937 random(1);
    const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    for (int round = 0; round < 200; ++round) {
        Residency where(bytes);
        std::array<GpuSet, bytes> model{};
        std::array<int, bytes> home{};
        home.fill(-1);
        for (int iteration = 0; iteration < 60; ++iteration) {
            auto [begin, end] = std::minmax({below(bytes + 1), below(bytes + 1)});
            const int gpu = static_cast<int>(below(4));
            const bool copies = below(2) == 0;
            bool redundant = true;
            for (std::size_t i = begin; i < end; ++i) redundant = redundant && model[i] != GpuSet::one(gpu);
            REQUIRE(where.is_redundant(begin, end, gpu) == redundant);
            const bool a_guest =
                std::none_of(home.begin() + static_cast<std::ptrdiff_t>(begin),
                             home.begin() + static_cast<std::ptrdiff_t>(end), [&](int h) { return h == gpu; });
            REQUIRE(where.is_redundant(begin, end, gpu, false) == (redundant && a_guest));
            if (redundant && below(3) == 0) {
                where.dropped(begin, end, gpu);
                for (std::size_t i = begin; i < end; ++i) {
                    model[i] = model[i].without(gpu);
                    if (home[i] == gpu) home[i] = model[i].least();
                }
            }
            if (copies)
                where.copied(begin, end, gpu);
            else
                where.written(begin, end, gpu);
            for (std::size_t i = begin; i < end; ++i)
                if (!copies || !model[i].empty()) {
                    model[i] = copies ? model[i].with(gpu) : GpuSet::one(gpu);
                    if (!copies) home[i] = gpu;
                }
            std::size_t differ = 1;
            for (std::size_t i = 1; i < bytes; ++i)
                differ += model[i] == model[i - 1] && home[i] == home[i - 1] ? 0 : 1;
            REQUIRE(where.pieces() == differ);
            auto [first, last] = std::minmax({below(bytes + 1), below(bytes + 1)});
            std::size_t at = first;
            for (const Residency::Piece& piece : where.within(first, last)) {
                REQUIRE(piece.begin == at);
                for (; at < piece.end; ++at) REQUIRE(model[at] == piece.on);
            }
            REQUIRE(at == last);
            for (int one = 0; one < 4; ++one) {
                bool readable = true;
                for (std::size_t i = first; i < last; ++i)
                    readable = readable && (model[i].empty() || model[i].has(one));
                REQUIRE(where.readable(first, last, one) == readable);
            }
        }
    }
}
