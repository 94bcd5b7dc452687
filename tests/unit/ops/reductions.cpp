#include "tests/unit/ops/apply.hpp"

#include <cmath>
#include <limits>

using namespace pm;
using namespace pm::ops;
using namespace pm::ops::test;
using ir::Attr;

namespace {
Attrs of_axis(std::int64_t axis) { return {{Attr::axis, axis}}; }
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
} // namespace

TEST_CASE("reductions combine over their axes") {
    const Array x = ints_of({2, 3}, {1, 5, 3, 4, 2, 6});
    check_equal(apply1(Op::reduce_sum, {x}, over({1})), ints_of({2}, {9, 12}));
    check_equal(apply1(Op::reduce_sum, {x}, over({0})), ints_of({3}, {5, 7, 9}));
    check_equal(apply1(Op::reduce_sum, {x}, over({0, 1})), ints_of({}, {21}));
    check_equal(apply1(Op::reduce_sum, {x}, over({})), x);
    check_equal(apply1(Op::reduce_prod, {x}, over({1})), ints_of({2}, {15, 48}));
    check_equal(apply1(Op::reduce_max, {x}, over({0})), ints_of({3}, {4, 5, 6}));
    check_equal(apply1(Op::reduce_min, {x}, over({0})), ints_of({3}, {1, 2, 3}));
    check_equal(apply1(Op::reduce_and, {x}, over({1})), ints_of({2}, {1, 0}));
    check_equal(apply1(Op::reduce_or, {x}, over({1})), ints_of({2}, {7, 6}));
    const Array b = ints_of({2, 2}, {1, 0, 1, 1}, DType::b1);
    check_equal(apply1(Op::reduce_and, {b}, over({1})), ints_of({2}, {0, 1}, DType::b1));
    check_equal(apply1(Op::reduce_or, {b}, over({0, 1})), ints_of({}, {1}, DType::b1));
}

TEST_CASE("integers wrap and 16-bit floats accumulate in a wider type") {
    check_equal(apply1(Op::reduce_sum, {ints_of({2}, {200, 100}, DType::u8)}, over({0})), ints_of({}, {44}, DType::u8));
    check_equal(apply1(Op::reduce_prod, {ints_of({2}, {100, 3}, DType::i8)}, over({0})), ints_of({}, {44}, DType::i8));
    const Array ones = Array::full(DType::f16, {4096}, 1.0);
    CHECK(apply1(Op::reduce_sum, {ones}, over({0})).as_f64() == 4096); // f16 has a spacing of 2 from 2048 on
}

TEST_CASE("an empty reduction is the identity") {
    const Array empty = Array::zeros(DType::f32, {0, 2});
    check_equal(apply1(Op::reduce_sum, {empty}, over({0})), floats_of({2}, {0, 0}));
    check_equal(apply1(Op::reduce_prod, {empty}, over({0})), floats_of({2}, {1, 1}));
    check_equal(apply1(Op::reduce_max, {empty}, over({0})), floats_of({2}, {-inf, -inf}));
    check_equal(apply1(Op::reduce_min, {empty}, over({0})), floats_of({2}, {inf, inf}));
    check_equal(apply1(Op::reduce_max, {Array::zeros(DType::i8, {0})}, over({0})), ints_of({}, {-128}, DType::i8));
    check_equal(apply1(Op::reduce_min, {Array::zeros(DType::u16, {0})}, over({0})), ints_of({}, {65535}, DType::u16));
    check_equal(apply1(Op::reduce_and, {Array::zeros(DType::i32, {0})}, over({0})), ints_of({}, {-1}));
    check_equal(apply1(Op::reduce_and, {Array::zeros(DType::b1, {0})}, over({0})), ints_of({}, {1}, DType::b1));
    CHECK(apply1(Op::reduce_sum, {empty}, over({1})).shape() == Shape{0});
}

TEST_CASE("a NaN propagates in max and min, and is chosen by argmax and argmin") {
    const Array x = floats_of({4}, {1, not_a_number, 3, not_a_number});
    CHECK(std::isnan(apply1(Op::reduce_max, {x}, over({0})).as_f64()));
    CHECK(std::isnan(apply1(Op::reduce_min, {x}, over({0})).as_f64()));
    check_equal(apply1(Op::argmax, {x}, of_axis(0)), ints_of({}, {1}));
    check_equal(apply1(Op::argmin, {x}, of_axis(0)), ints_of({}, {1}));
}

TEST_CASE("argmax returns the first of equal elements") {
    const Array x = ints_of({2, 3}, {4, 7, 7, 2, 1, 1});
    check_equal(apply1(Op::argmax, {x}, of_axis(1)), ints_of({2}, {1, 0}));
    check_equal(apply1(Op::argmin, {x}, of_axis(1)), ints_of({2}, {0, 1}));
    check_equal(apply1(Op::argmax, {x}, of_axis(0)), ints_of({3}, {0, 0, 0}));
    check_equal(apply1(Op::argmax, {ints_of({3}, {0, 1, 1}, DType::b1)}, of_axis(0)), ints_of({}, {1}));
    CHECK(refusal(Op::argmax, {Type{DType::f32, {2, 0}}}, of_axis(1)) == "PM0247");
    CHECK(refusal(Op::argmax, {Type{DType::f32, {2, 0}}}, of_axis(0)) == "");
    CHECK(refusal(Op::argmin, {Type{DType::f32, {2}}}, of_axis(1)) == "PM0230");
    CHECK(refusal(Op::argmin, {Type{DType::key, {2}}}, of_axis(0)) == "PM0203");
}

TEST_CASE("reductions refuse wrong axes and dtypes") {
    const Type f34{DType::f32, {3, 4}};
    CHECK(refusal(Op::reduce_sum, {f34}, over({2})) == "PM0230");
    CHECK(refusal(Op::reduce_sum, {f34}, over({1, 1})) == "PM0231");
    CHECK(refusal(Op::reduce_sum, {Type{DType::b1, {3}}}, over({0})) == "PM0203");
    CHECK(refusal(Op::reduce_and, {f34}, over({0})) == "PM0203");
    CHECK(refusal(Op::reduce_max, {Type{DType::key, {3}}}, over({0})) == "PM0203");
    CHECK(refusal(Op::reduce_sum, {Type{DType::c64, {3}}}, over({0})).empty());
    CHECK(refusal(Op::reduce_max, {Type{DType::c64, {3}}}, over({0})) == "PM0203");
}
