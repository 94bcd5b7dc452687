#include "tests/unit/ops/apply.hpp"

using namespace pm;
using namespace pm::ops;
using namespace pm::ops::test;
using ir::Attr;

namespace {
Attrs slice_attrs(Integers start, Integers limit, Integers stride) {
    return {{Attr::start, std::move(start)}, {Attr::limit, std::move(limit)}, {Attr::stride, std::move(stride)}};
}
Attrs pad_attrs(Integers low, Integers high, Integers interior) {
    return {{Attr::low, std::move(low)}, {Attr::high, std::move(high)}, {Attr::interior, std::move(interior)}};
}
} // namespace

TEST_CASE("broadcast moves operand axes to the positions in dims") {
    const Array x = ints_of({2}, {5, 7});
    check_equal(apply1(Op::broadcast, {x}, {{Attr::shape, Shape{2, 3}}, {Attr::dims, Integers{0}}}),
                ints_of({2, 3}, {5, 5, 5, 7, 7, 7}));
    check_equal(apply1(Op::broadcast, {x}, {{Attr::shape, Shape{3, 2}}, {Attr::dims, Integers{1}}}),
                ints_of({3, 2}, {5, 7, 5, 7, 5, 7}));
    check_equal(apply1(Op::broadcast, {ints_of({}, {4})}, {{Attr::shape, Shape{2, 1}}, {Attr::dims, Integers{}}}),
                ints_of({2, 1}, {4, 4}));
    check_equal(apply1(Op::broadcast, {x}, {{Attr::shape, Shape{0, 2}}, {Attr::dims, Integers{1}}}),
                ints_of({0, 2}, {}));
}

TEST_CASE("broadcast refuses sizes, axes and orders that do not fit") {
    CHECK(refusal(Op::broadcast, {f34}, {{Attr::shape, Shape{3, 5}}, {Attr::dims, Integers{0, 1}}}) == "PM0233");
    CHECK(refusal(Op::broadcast, {Type{DType::f32, {1}}}, {{Attr::shape, Shape{3}}, {Attr::dims, Integers{0}}}) ==
          "PM0233");
    CHECK(refusal(Op::broadcast, {f34}, {{Attr::shape, Shape{4, 3}}, {Attr::dims, Integers{1, 0}}}) == "PM0234");
    CHECK(refusal(Op::broadcast, {f34}, {{Attr::shape, Shape{3, 4}}, {Attr::dims, Integers{0, 2}}}) == "PM0230");
    CHECK(refusal(Op::broadcast, {f34}, {{Attr::shape, Shape{3, 4}}, {Attr::dims, Integers{0}}}) == "PM0232");
    CHECK(refusal(Op::broadcast, {f34}, {{Attr::shape, Shape{3, 4, -1}}, {Attr::dims, Integers{0, 1}}}) == "PM0205");
    CHECK(refusal(Op::broadcast, {Type{DType::c64, {}}}, {{Attr::shape, Shape{3}}, {Attr::dims, Integers{}}}).empty());
}

TEST_CASE("reshape does not change the row-major order") {
    check_equal(apply1(Op::reshape, {count_of({2, 3})}, {{Attr::shape, Shape{3, 2}}}), count_of({3, 2}));
    check_equal(apply1(Op::reshape, {count_of({0, 3})}, {{Attr::shape, Shape{5, 0}}}), count_of({5, 0}));
    CHECK(refusal(Op::reshape, {f34}, {{Attr::shape, Shape{5, 2}}}) == "PM0235");
    CHECK(refusal(Op::reshape, {f34}, {{Attr::shape, Shape{-3, -4}}}) == "PM0205");
}

TEST_CASE("transpose permutes axes") {
    check_equal(apply1(Op::transpose, {count_of({2, 3})}, {{Attr::permutation, Integers{1, 0}}}),
                ints_of({3, 2}, {0, 3, 1, 4, 2, 5}));
    const Array cube = apply1(Op::transpose, {count_of({2, 3, 4})}, {{Attr::permutation, Integers{2, 0, 1}}});
    CHECK(cube.shape() == Shape{4, 2, 3});
    CHECK(cube.as_i64(1 * 6 + 1 * 3 + 2) == 12 + 2 * 4 + 1); // result[1, 1, 2] = x[1, 2, 1]
    CHECK(refusal(Op::transpose, {f34}, {{Attr::permutation, Integers{0, 0}}}) == "PM0236");
    CHECK(refusal(Op::transpose, {f34}, {{Attr::permutation, Integers{0}}}) == "PM0236");
}

TEST_CASE("reverse reverses axes") {
    check_equal(apply1(Op::reverse, {count_of({2, 3})}, {{Attr::axes, Integers{1}}}),
                ints_of({2, 3}, {2, 1, 0, 5, 4, 3}));
    check_equal(apply1(Op::reverse, {count_of({2, 3})}, {{Attr::axes, Integers{0, 1}}}),
                ints_of({2, 3}, {5, 4, 3, 2, 1, 0}));
    CHECK(refusal(Op::reverse, {f34}, {{Attr::axes, Integers{2}}}) == "PM0230");
    CHECK(refusal(Op::reverse, {f34}, {{Attr::axes, Integers{-1}}}) == "PM0230");
    CHECK(refusal(Op::reverse, {f34}, {{Attr::axes, Integers{1, 1}}}) == "PM0231");
}

TEST_CASE("slice selects start:limit:stride") {
    check_equal(apply1(Op::slice, {count_of({7})}, slice_attrs({1}, {7}, {3})), ints_of({2}, {1, 4}));
    check_equal(apply1(Op::slice, {count_of({3, 4})}, slice_attrs({1, 0}, {3, 4}, {1, 3})),
                ints_of({2, 2}, {4, 7, 8, 11}));
    check_equal(apply1(Op::slice, {count_of({7})}, slice_attrs({3}, {3}, {2})), ints_of({0}, {}));
    CHECK(refusal(Op::slice, {f34}, slice_attrs({0, 0}, {3, 5}, {1, 1})) == "PM0237");
    CHECK(refusal(Op::slice, {f34}, slice_attrs({2, 0}, {1, 4}, {1, 1})) == "PM0237");
    CHECK(refusal(Op::slice, {f34}, slice_attrs({-1, 0}, {3, 4}, {1, 1})) == "PM0237");
    CHECK(refusal(Op::slice, {f34}, slice_attrs({0, 0}, {3, 4}, {1, 0})) == "PM0237");
    CHECK(refusal(Op::slice, {f34}, slice_attrs({0}, {3}, {1})) == "PM0232");
}

TEST_CASE("pad fills around and between elements, and cuts with negative sizes") {
    const Array x = ints_of({3}, {1, 2, 3});
    const Array fill = ints_of({}, {9});
    check_equal(apply1(Op::pad, {x, fill}, pad_attrs({2}, {1}, {0})), ints_of({6}, {9, 9, 1, 2, 3, 9}));
    check_equal(apply1(Op::pad, {x, fill}, pad_attrs({0}, {0}, {2})), ints_of({7}, {1, 9, 9, 2, 9, 9, 3}));
    check_equal(apply1(Op::pad, {x, fill}, pad_attrs({-1}, {2}, {1})), ints_of({6}, {9, 2, 9, 3, 9, 9}));
    check_equal(apply1(Op::pad, {x, fill}, pad_attrs({-1}, {-1}, {0})), ints_of({1}, {2}));
    check_equal(apply1(Op::pad, {ints_of({0}, {}), fill}, pad_attrs({1}, {1}, {4})), ints_of({2}, {9, 9}));
    const Type i3{DType::i32, {3}};
    const Type i0{DType::i32, {}};
    CHECK(refusal(Op::pad, {i3, i0}, pad_attrs({-2}, {-2}, {0})) == "PM0238");
    CHECK(refusal(Op::pad, {i3, i0}, pad_attrs({0}, {0}, {-1})) == "PM0238");
    CHECK(refusal(Op::pad, {i3, i0}, pad_attrs({INT64_MAX}, {INT64_MAX}, {0})) == "PM0238");
    CHECK(refusal(Op::pad, {i3, i0}, pad_attrs({INT64_MAX / 2}, {0}, {0})) == "PM0206");
    CHECK(refusal(Op::pad, {i3, i3}, pad_attrs({0}, {0}, {0})) == "PM0239");
    CHECK(refusal(Op::pad, {i3, Type{DType::f32, {}}}, pad_attrs({0}, {0}, {0})) == "PM0239");
    CHECK(refusal(Op::pad, {i3, i0}, pad_attrs({0, 0}, {0}, {0})) == "PM0232");
}

TEST_CASE("concatenate joins along one axis") {
    const Array a = ints_of({2, 1}, {1, 2});
    const Array b = ints_of({2, 2}, {3, 4, 5, 6});
    check_equal(apply1(Op::concatenate, {a, b}, {{Attr::axis, std::int64_t{1}}}), ints_of({2, 3}, {1, 3, 4, 2, 5, 6}));
    check_equal(apply1(Op::concatenate, {b, b}, {{Attr::axis, std::int64_t{0}}}),
                ints_of({4, 2}, {3, 4, 5, 6, 3, 4, 5, 6}));
    const Type i21{DType::i32, {2, 1}};
    const Attrs along0{{Attr::axis, std::int64_t{0}}};
    CHECK(refusal(Op::concatenate, {i21, Type{DType::i32, {2, 2}}}, along0) == "PM0240");
    CHECK(refusal(Op::concatenate, {i21, Type{DType::f32, {2, 1}}}, along0) == "PM0240");
    CHECK(refusal(Op::concatenate, {i21, Type{DType::i32, {2}}}, along0) == "PM0240");
    CHECK(refusal(Op::concatenate, {}, along0) == "PM0241");
    CHECK(refusal(Op::concatenate, {i21}, {{Attr::axis, std::int64_t{2}}}) == "PM0230");
}
