#include "tests/unit/ops/apply.hpp"

#include <cmath>
#include <limits>

using namespace pm;
using namespace pm::ops;
using namespace pm::ops::test;
using ir::Attr;

TEST_CASE("cumulative operations combine elements along one axis, forwards or backwards") {
    const Array x = ints_of({2, 3}, {1, 5, 3, 4, 2, 6});
    check_equal(apply1(Op::cumsum, {x}, along(1)), ints_of({2, 3}, {1, 6, 9, 4, 6, 12}));
    check_equal(apply1(Op::cumsum, {x}, along(1, 1)), ints_of({2, 3}, {9, 8, 3, 12, 8, 6}));
    check_equal(apply1(Op::cumsum, {x}, along(0)), ints_of({2, 3}, {1, 5, 3, 5, 7, 9}));
    check_equal(apply1(Op::cumprod, {x}, along(1)), ints_of({2, 3}, {1, 5, 15, 4, 8, 48}));
    check_equal(apply1(Op::cummax, {x}, along(1)), ints_of({2, 3}, {1, 5, 5, 4, 4, 6}));
    check_equal(apply1(Op::cummin, {x}, along(1, 1)), ints_of({2, 3}, {1, 3, 3, 2, 2, 6}));
    check_equal(apply1(Op::cumsum, {count_of({0, 3})}, along(0)), count_of({0, 3}));
    check_equal(apply1(Op::cumsum, {ints_of({3}, {100, 100, 100}, DType::u8)}, along(0)),
                ints_of({3}, {100, 200, 44}, DType::u8));
}

TEST_CASE("a NaN propagates in cummax and cummin") {
    const Array x = floats_of({3}, {1, std::numeric_limits<double>::quiet_NaN(), 2});
    for (Op op : {Op::cummax, Op::cummin}) {
        const Array y = apply1(op, {x}, along(0));
        CHECK(y.as_f64(0) == 1);
        CHECK(std::isnan(y.as_f64(1)));
        CHECK(std::isnan(y.as_f64(2)));
    }
}

TEST_CASE("cumulative operations refuse wrong axes and dtypes") {
    CHECK(refusal(Op::cumsum, {Type{DType::f32, {3}}}, along(1)) == "PM0230");
    CHECK(refusal(Op::cumprod, {Type{DType::f32, {}}}, along(0)) == "PM0230");
    CHECK(refusal(Op::cummax, {Type{DType::b1, {3}}}, along(0)) == "PM0203");
}
