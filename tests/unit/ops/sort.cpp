#include "tests/unit/ops/apply.hpp"

#include <cmath>
#include <limits>

using namespace pm;
using namespace pm::ops;
using namespace pm::ops::test;
using ir::Attr;

namespace {
Attrs sorted_along(std::int64_t axis, std::int64_t keys = 1) { return {{Attr::axis, axis}, {Attr::keys, keys}}; }
} // namespace

TEST_CASE("sort is ascending along one axis") {
    const Array x = ints_of({2, 3}, {3, 1, 2, 1, 2, 0});
    check_equal(apply1(Op::sort, {x}, sorted_along(1)), ints_of({2, 3}, {1, 2, 3, 0, 1, 2}));
    check_equal(apply1(Op::sort, {x}, sorted_along(0)), ints_of({2, 3}, {1, 1, 0, 3, 2, 2}));
    check_equal(apply1(Op::sort, {ints_of({3}, {-1, 1, 0}, DType::u8)}, sorted_along(0)),
                ints_of({3}, {0, 1, 255}, DType::u8));
    check_equal(apply1(Op::sort, {count_of({0})}, sorted_along(0)), count_of({0}));
}

TEST_CASE("sort is stable and permutes the other operands in the same way") {
    const std::vector<Array> out = apply(Op::sort, {ints_of({5}, {2, 1, 2, 1, 0}), count_of({5})}, sorted_along(0));
    check_equal(out[0], ints_of({5}, {0, 1, 1, 2, 2}));
    check_equal(out[1], ints_of({5}, {4, 1, 3, 0, 2}));
}

TEST_CASE("sort by two keys") {
    const std::vector<Array> out =
        apply(Op::sort, {ints_of({4}, {1, 0, 1, 0}), ints_of({4}, {5, 6, 4, 3}), count_of({4})}, sorted_along(0, 2));
    check_equal(out[0], ints_of({4}, {0, 0, 1, 1}));
    check_equal(out[1], ints_of({4}, {3, 6, 4, 5}));
    check_equal(out[2], ints_of({4}, {3, 1, 2, 0}));
}

TEST_CASE("NaNs are sorted last and zeros are equal") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<Array> out =
        apply(Op::sort, {floats_of({6}, {nan, 0.0, -0.0, nan, -1, INFINITY}), count_of({6})}, sorted_along(0));
    check_equal(out[1], ints_of({6}, {4, 1, 2, 5, 0, 3}));
    CHECK(std::isnan(out[0].as_f64(5)));
}

TEST_CASE("sort refuses wrong keys, shapes, axes and dtypes") {
    const Type f3{DType::f32, {3}};
    CHECK(refusal(Op::sort, {f3}, sorted_along(0, 2)) == "PM0253");
    CHECK(refusal(Op::sort, {f3}, sorted_along(0, 0)) == "PM0253");
    CHECK(refusal(Op::sort, {f3, Type{DType::i32, {4}}}, sorted_along(0)) == "PM0202");
    CHECK(refusal(Op::sort, {f3}, sorted_along(1)) == "PM0230");
    CHECK(refusal(Op::sort, {Type{DType::key, {3}}}, sorted_along(0)) == "PM0203");
    CHECK(refusal(Op::sort, {f3, Type{DType::key, {3}}}, sorted_along(0)) == "");
}
