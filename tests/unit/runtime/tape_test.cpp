#include "runtime/failure.hpp"
#include "runtime/memory/tape.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <numeric>

using namespace pm::runtime;

namespace {

constexpr TapeBatch pairs{1, 2, DType::f32};

std::vector<float> read(const Tape& tape, std::int64_t index) {
    const std::byte* at = tape.find(index);
    if (at == nullptr) return {};
    std::vector<float> values(2);
    std::memcpy(values.data(), at, sizeof(float) * 2);
    return values;
}

} // namespace

TEST_CASE("a tape grows without moving its elements, and unwritten elements are zero") {
    Tape tape(DType::f32, 2, nullptr);
    CHECK(tape.find(0) == nullptr);
    CHECK(tape.at(-1) == nullptr);
    CHECK(tape.find(-1) == nullptr);
    std::vector<std::byte*> places;
    for (std::int64_t i = 0; i < 1000; ++i) {
        const float values[] = {static_cast<float>(i), static_cast<float>(-i)};
        places.push_back(tape.at(i));
        std::memcpy(places.back(), values, sizeof values);
    }
    for (std::int64_t i = 0; i < 1000; ++i) {
        CHECK(tape.find(i) == places[static_cast<std::size_t>(i)]);
        CHECK(read(tape, i) == std::vector<float>{static_cast<float>(i), static_cast<float>(-i)});
    }
    CHECK(tape.find(1000) == nullptr);
    CHECK(tape.find(5000) == nullptr);
    tape.at(1010);
    CHECK(read(tape, 1005) == std::vector<float>{0, 0}); // an element that was never written
    CHECK(tape.find(1011) == nullptr);
}

TEST_CASE("a tape of large arrays allocates at most one chunk in advance") {
    const auto memory = Allocator::create();
    constexpr std::int64_t elements = 30000;
    constexpr std::int64_t arrays = 300;
    {
        Tape tape(DType::f32, elements, memory);
        for (const std::int64_t i : {arrays - 1, std::int64_t{0}, std::int64_t{100}}) // from the end and with gaps
            std::memset(tape.at(i), static_cast<int>(i) + 1, elements * 4);
        CHECK(memory->in_use() < 3 * (std::size_t{1} << 21));
        for (std::int64_t i = 0; i < arrays; ++i) *reinterpret_cast<float*>(tape.at(i)) = static_cast<float>(i);
        CHECK(memory->in_use() < arrays * (std::size_t{1} << 17) + (std::size_t{1} << 21)); // 2^17 bytes for each array
        for (std::int64_t i = 0; i < arrays; ++i) CHECK(*reinterpret_cast<const float*>(tape.find(i)) == i);
        CHECK(tape.find(299)[7] == std::byte{44});
        CHECK(tape.find(50)[7] == std::byte{0});
    }
    CHECK(memory->in_use() == 0);
}

TEST_CASE("an operation sets, adds to or reads several tapes") {
    Tapes tapes(nullptr);
    std::uint64_t handles[] = {0, 0};
    const TapeBatch batch{2, 2, DType::f32};
    const std::int64_t indices[] = {3, -1};
    const float values[] = {1, 2, 3, 4};
    tape_set(tapes, 0, batch, values, indices, handles);
    CHECK(handles[0] != 0);
    CHECK(handles[1] == 0); // an index below 0 writes nothing
    tape_add(tapes, 0, batch, values, indices, handles);
    float out[4];
    tape_get(batch, handles, indices, out);
    CHECK(std::vector<float>(out, out + 4) == std::vector<float>{2, 4, 0, 0});
    const std::int64_t elsewhere[] = {100000, 0};
    tape_get(batch, handles, elsewhere, out);
    CHECK(std::vector<float>(out, out + 4) == std::vector<float>{0, 0, 0, 0});
}

TEST_CASE("sums of tapes, and of tapes whose elements are tapes") {
    Tapes tapes(nullptr);
    const float one[] = {1, 10};
    std::uint64_t a = 0, b = 0, outer_a = 0, outer_b = 0;
    for (const std::int64_t i : {0, 9, 200}) tape_set(tapes, 0, pairs, one, &i, &a);
    for (const std::int64_t i : {9, 3000}) tape_set(tapes, 0, pairs, one, &i, &b);
    const std::int64_t first = 0;
    const TapeBatch of_tapes{1, 1, DType::tape};
    tape_set(tapes, 0, of_tapes, &a, &first, &outer_a);
    tape_set(tapes, 0, of_tapes, &b, &first, &outer_b);
    tape_sum(1, &outer_b, &outer_a);
    const auto* sum = reinterpret_cast<const Tape*>(a); // the sum is stored in the first operand
    CHECK(read(*sum, 0) == std::vector<float>{1, 10});
    CHECK(read(*sum, 9) == std::vector<float>{2, 20});
    CHECK(read(*sum, 200) == std::vector<float>{1, 10});
    CHECK(read(*sum, 3000) == std::vector<float>{1, 10});
    std::uint64_t none = 0;
    tape_sum(1, &none, &a);
    tape_sum(1, &a, &none);
    CHECK(none == a);
}

TEST_CASE("a scope releases the memory of the tapes that were created in it") {
    const auto memory = Allocator::create();
    Tapes tapes(memory);
    const std::vector<float> row(1000, 1.0F);
    const TapeBatch rows{1, 1000, DType::f32};
    const auto write = [&](std::int64_t lane) {
        std::uint64_t handle = 0;
        for (std::int64_t i = 0; i < 100; ++i) tape_set(tapes, lane, rows, row.data(), &i, &handle);
        return handle;
    };
    write(0);
    const std::size_t before = memory->in_use();
    CHECK(before > 400000);
    tapes.enter(-1); // a scope that the driver enters is a scope of all lanes
    tapes.enter(1);
    write(1);
    tapes.enter(1);
    write(1);
    tapes.leave(1);
    const std::size_t within = memory->in_use();
    tapes.leave(1);
    CHECK(memory->in_use() == before);
    CHECK(within > before);
    write(0);
    write(2);
    CHECK(memory->in_use() > within);
    tapes.leave(-1);
    CHECK(memory->in_use() == before);
}

TEST_CASE("the memory of tapes counts against the memory limit") {
    const auto memory = Allocator::create({.limit = 1 << 20});
    Tapes tapes(memory);
    std::uint64_t handle = 0;
    const float values[] = {1, 2};
    CHECK_THROWS_AS(
        [&] {
            for (std::int64_t i = 0;; ++i) tape_set(tapes, 0, pairs, values, &i, &handle);
        }(),
        Failure);
}

TEST_CASE("results keep the tapes to which they refer") {
    const auto memory = Allocator::create();
    Array kept;
    {
        auto tapes = std::make_shared<Tapes>(memory);
        Array handles = Array::zeros(DType::tape, {});
        const std::int64_t index = 0;
        const float values[] = {5, 6};
        tape_set(*tapes, 0, pairs, values, &index, static_cast<std::uint64_t*>(handles.mutable_data()));
        std::vector<Array> made = keeping({std::move(handles), Array::zeros(DType::f32, {2})}, tapes, {});
        made = keeping({made[0].reshape({1})}, nullptr, {made[0]}); // as if another program returned its argument
        kept = made[0];
    }
    CHECK(memory->in_use() > 0);
    const std::int64_t index = 0;
    float out[2];
    tape_get(pairs, kept.as<std::uint64_t>(), &index, out);
    CHECK(out[1] == 6);
    kept = {};
    CHECK(memory->in_use() == 0);
}
