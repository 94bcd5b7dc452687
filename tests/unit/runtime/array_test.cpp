#include "runtime/array.hpp"
#include "runtime/failure.hpp"
#include "runtime/half.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace pm::runtime;

TEST_CASE("an array is a value: a change of one copy does not affect other copies") {
    Array a = Array::from_values<float>(DType::f32, {2, 3}, std::vector<float>{0, 1, 2, 3, 4, 5});
    CHECK(a.unique());
    const void* before = a.data();
    a.mutable_as<float>()[0] = 7;
    CHECK(a.data() == before);
    const Array b = a;
    CHECK_FALSE(a.unique());
    CHECK(a.same_memory(b));
    a.mutable_as<float>()[0] = 9;
    CHECK(a.as_f64(0) == 9);
    CHECK(b.as_f64(0) == 7);
    CHECK(b.unique());
}

TEST_CASE("views share memory; a changed view first copies its part") {
    const Array a = Array::from_values<std::int32_t>(DType::i32, {3, 2}, std::vector<std::int32_t>{0, 1, 2, 3, 4, 5});
    Array row = a.at(1);
    CHECK(row.shape() == Shape{2});
    CHECK(row.as_i64(1) == 3);
    Array tail = a.rows(1, 3);
    CHECK(tail.shape() == Shape{2, 2});
    CHECK(tail.reshape({4}).as_i64(3) == 5);
    tail.mutable_as<std::int32_t>()[0] = 100;
    CHECK(a.as_i64(2) == 2);
    CHECK(tail.as_i64(0) == 100);
    CHECK(row.as_i64(0) == 2);
    CHECK(a.rows(3, 3).elements() == 0);
    CHECK_THROWS_AS(a.at(3), Failure);
    CHECK_THROWS_AS(a.rows(2, 1), Failure);
    CHECK_THROWS_AS(a.reshape({5}), Failure);
    CHECK_THROWS_AS(a.reshape({-2, -3}), Failure);
}

TEST_CASE("borrowed memory is shared if it is dense, copied if it is not, and never written") {
    float host[] = {0, 1, 2, 3, 4, 5};
    Array dense = Array::borrow(host, DType::f32, {2, 3});
    CHECK(dense.data() == host);
    CHECK_FALSE(dense.unique());
    dense.mutable_as<float>()[0] = 50;
    CHECK(host[0] == 0);
    const std::int64_t row_major[] = {3, 1};
    CHECK(Array::borrow(host, DType::f32, {2, 3}, row_major).data() == host);
    const std::int64_t transposed[] = {1, 3};
    const Array transpose = Array::borrow(host, DType::f32, {3, 2}, transposed);
    CHECK(transpose.data() != host);
    CHECK(transpose.as_f64(1) == 3);
    CHECK(transpose.as_f64(4) == 2);
    const std::int64_t backwards[] = {-1};
    CHECK(Array::borrow(host + 5, DType::f32, {6}, backwards).as_f64(0) == 5);
    const std::int64_t repeated[] = {0, 1};
    CHECK(Array::borrow(host, DType::f32, {4, 2}, repeated).as_f64(7) == 1);
    const std::int64_t three[] = {4, 2, 1};
    const Array cube = Array::borrow(host, DType::f32, {2, 1, 2}, three);
    CHECK(cube.as_f64(3) == 5);
    const std::int64_t by_columns[] = {1, 2, 1};
    const Array columns = Array::borrow(host, DType::f32, {2, 2, 2}, by_columns);
    const double expected[] = {0, 1, 2, 3, 1, 2, 3, 4};
    for (std::int64_t i = 0; i < 8; ++i) CHECK(columns.as_f64(i) == expected[i]);
    alignas(8) char bytes[16] = {};
    const float value = 1.5F;
    std::copy_n(reinterpret_cast<const char*>(&value), 4, bytes + 1);
    const Array crooked = Array::borrow(bytes + 1, DType::f32, {1});
    CHECK(crooked.data() != bytes + 1);
    CHECK(crooked.as_f64(0) == 1.5);
    CHECK_THROWS_AS(Array::borrow(host, DType::f32, {2, 3}, backwards), Failure);
    const std::int64_t far[] = {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max()};
    CHECK_THROWS_AS(Array::borrow(host, DType::f32, {2, 2}, far), Failure);
    CHECK_THROWS_AS(Array::borrow(host, DType::u8, {1, 2}, far), Failure);
    CHECK(Array::borrow(host, DType::f32, {1, 1}, far).as_f64() == 0);
}

TEST_CASE("the range of offsets that strides reach") {
    const auto reach = [](std::vector<std::int64_t> shape, std::vector<std::int64_t> strides) {
        const Reach r = checked_reach(shape, strides, 4);
        return std::pair(r.first, r.last);
    };
    CHECK(reach({}, {}) == std::pair<std::int64_t, std::int64_t>(0, 0));
    CHECK(reach({2, 3}, {3, 1}) == std::pair<std::int64_t, std::int64_t>(0, 5));
    CHECK(reach({2, 3}, {-3, 1}) == std::pair<std::int64_t, std::int64_t>(-3, 2));
    CHECK(reach({9, 1}, {0, 100}) == std::pair<std::int64_t, std::int64_t>(0, 0));
    const std::int64_t most = std::int64_t{1} << 45; // an f32 array of this number of elements has 2^47 bytes
    CHECK(reach({2}, {most - 1}).second == most - 1);
    CHECK_THROWS_AS(reach({2}, {most}), Failure);
    CHECK_THROWS_AS(reach({2, 2}, {most / 2, -most / 2}), Failure);
    CHECK_THROWS_AS(reach({2}, {std::numeric_limits<std::int64_t>::min()}), Failure);
}

TEST_CASE("the owner of borrowed memory lives as long as a view of it") {
    auto keep = std::make_shared<std::vector<float>>(4, 2.0F);
    const std::weak_ptr<std::vector<float>> watch = keep;
    Array view;
    {
        const Array a = Array::borrow(keep->data(), DType::f32, {4}, {}, keep);
        view = a.rows(1, 3);
    }
    keep.reset();
    CHECK_FALSE(watch.expired());
    CHECK(view.as_f64(1) == 2);
    view = {};
    CHECK(watch.expired());
}

TEST_CASE("impossible sizes are refused before memory is allocated") {
    const std::int64_t big = std::int64_t{1} << 40;
    CHECK_THROWS_AS(Array::empty(DType::f32, {big, big}), Failure);
    CHECK_THROWS_AS(Array::empty(DType::f64, {std::numeric_limits<std::int64_t>::max() / 4}), Failure);
    CHECK_THROWS_AS(Array::empty(DType::f32, {-1}), Failure);
    CHECK_THROWS_AS(Array::empty(DType::u8, {std::int64_t{1} << 50}), Failure);
    CHECK(Array::empty(DType::f32, {0, 1000}).elements() == 0);
    CHECK_THROWS_AS(Array::empty(DType::f32, {big, 0, big}), Failure);
}

TEST_CASE("elements of every type are written and read") {
    for (int d = 0; d < dtype_count; ++d) {
        const auto dtype = static_cast<DType>(d);
        CAPTURE(name(dtype));
        const Array one = Array::scalar(dtype, 1);
        CHECK(one.as_i64() == 1);
        CHECK(one.as_f64() == 1.0);
        CHECK(one.as_c128() == std::complex<double>(1, 0));
        CHECK(one.as_bool());
        CHECK(one.bytes() == static_cast<std::int64_t>(size_of(dtype)));
        const Array zeros = Array::zeros(dtype, {5});
        CHECK_FALSE(zeros.as_bool(4));
        const Array full = Array::full(dtype, {7, 3}, 1);
        for (int i = 0; i < 21; ++i) CHECK(full.as_i64(i) == 1);
        for (int e = 0; e < dtype_count; ++e) {
            const Array there = full.convert(static_cast<DType>(e));
            CHECK(there.dtype() == static_cast<DType>(e));
            CHECK(there.shape() == full.shape());
            CHECK(there.as_f64(20) == 1);
        }
    }
}

TEST_CASE("conversions follow the language's rules") {
    const double inf = std::numeric_limits<double>::infinity();
    CHECK(Array::scalar(DType::i8, 300.7).as_i64() == 127);
    CHECK(Array::scalar(DType::i8, -1e9).as_i64() == -128);
    CHECK(Array::scalar(DType::i32, -2.9).as_i64() == -2);
    CHECK(Array::scalar(DType::u8, -3.0).as_i64() == 0);
    CHECK(Array::scalar(DType::i64, 9.3e18).as_i64() == std::numeric_limits<std::int64_t>::max());
    CHECK(Array::scalar(DType::i64, -inf).as_i64() == std::numeric_limits<std::int64_t>::min());
    CHECK(Array::scalar(DType::u64, 2e19).as_u64() == std::numeric_limits<std::uint64_t>::max());
    CHECK(Array::scalar(DType::i32, std::nan("")).as_i64() == 0);
    CHECK(Array::scalar(DType::i8, 300).as_i64() == 44);
    CHECK(Array::scalar(DType::b1, 0.5).as_i64() == 1);
    CHECK(Array::scalar(DType::b1, 256).as_i64() == 1);
    CHECK(Array::scalar(DType::f32, std::complex<double>(2, 3)).as_f64() == 2);
    CHECK(Array::scalar(DType::c64, std::complex<double>(2, 3)).as_c128() == std::complex<double>(2, 3));
    CHECK(Array::scalar(DType::b1, std::complex<double>(0, 3)).as_bool());
    CHECK(Array::scalar(DType::key, std::uint64_t{0xFFFFFFFF00000001}).as_u64() == 0xFFFFFFFF00000001);
    CHECK(Array::scalar(DType::f32, std::uint64_t{1} << 63).as_f64() == std::ldexp(1.0, 63));
    // The conversion rounds once. If it rounded to f64 first, this number would become a tie, which is rounded down.
    const std::int64_t above_tie = (std::int64_t{1} << 62) + (std::int64_t{1} << 54) + 1;
    CHECK(Array::scalar(DType::bf16, above_tie).as_f64() == std::ldexp(1.0, 62) + std::ldexp(1.0, 55));
    const Array many = Array::from_values<double>(DType::f64, {3}, std::vector<double>{1.4, -2.6, 1e300});
    const Array whole = many.convert(DType::i32);
    CHECK(whole.as_i64(0) == 1);
    CHECK(whole.as_i64(1) == -2);
    CHECK(whole.as_i64(2) == std::numeric_limits<std::int32_t>::max());
    CHECK(std::isinf(many.convert(DType::f16).as_f64(2)));
}

TEST_CASE("a conversion of more elements than a block of the conversion has") {
    Array a = Array::empty(DType::i32, {5000});
    for (int i = 0; i < 5000; ++i) a.mutable_as<std::int32_t>()[i] = i - 2500;
    const Array f = a.convert(DType::f32);
    int wrong = 0;
    for (int i = 0; i < 5000; ++i) wrong += f.as_f64(i) != i - 2500;
    CHECK(wrong == 0);
    CHECK(identical(f.convert(DType::i32), a));
    CHECK_FALSE(identical(f, a));
}

TEST_CASE("a complex number is a pair of real and imaginary part") {
    const Array z = Array::from_values(DType::c64, {2}, std::vector<float>{1, 2, 3, -4});
    const Array pairs = z.as_type(DType::f32, {2, 2});
    CHECK(pairs.same_memory(z));
    CHECK(pairs.as_f64(3) == -4);
    CHECK(identical(pairs.as_type(DType::c64, {2}), z));
    CHECK_THROWS_AS(z.as_type(DType::f32, {3}), Failure);
}

TEST_CASE("bitcasts, and texts of types") {
    const Array a = Array::scalar(DType::f32, 1.0);
    CHECK(a.bitcast(DType::u32).as_u64() == 0x3F800000);
    CHECK_THROWS_AS(a.bitcast(DType::f64), Failure);
    CHECK(type_text(DType::f32, std::vector<std::int64_t>{3, 4}) == "f32[3, 4]");
    CHECK(type_text(DType::key, {}) == "key");
}
