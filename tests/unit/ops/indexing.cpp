#include "tests/unit/ops/apply.hpp"

using namespace pm;
using namespace pm::ops;
using namespace pm::ops::test;
using ir::Attr;

namespace {
Attrs gather_attrs(Integers axes, std::int64_t batch = 0) {
    return {{Attr::axes, std::move(axes)}, {Attr::batch, batch}};
}
Attrs scatter_attrs(Integers axes, std::string mode, std::int64_t batch = 0) {
    return {{Attr::axes, std::move(axes)}, {Attr::batch, batch}, {Attr::mode, std::move(mode)}};
}
Array scalar_of(std::int64_t value, DType dtype = DType::i32) { return ints_of({}, {value}, dtype); }
const Type i0{DType::i32, {}};
const Type i2{DType::i32, {2}};
} // namespace

TEST_CASE("dynamic_slice clamps its starts") {
    const Array x = count_of({3, 4});
    const Attrs sizes{{Attr::sizes, Integers{2, 2}}};
    check_equal(apply1(Op::dynamic_slice, {x, scalar_of(1), scalar_of(1)}, sizes), ints_of({2, 2}, {5, 6, 9, 10}));
    check_equal(apply1(Op::dynamic_slice, {x, scalar_of(7), scalar_of(-3, DType::i64)}, sizes),
                ints_of({2, 2}, {4, 5, 8, 9}));
    check_equal(apply1(Op::dynamic_slice, {scalar_of(6)}, {{Attr::sizes, Integers{}}}), scalar_of(6));
    CHECK(refusal(Op::dynamic_slice, {f34, i0}, sizes) == "PM0242");
    CHECK(refusal(Op::dynamic_slice, {f34, i0, i2}, sizes) == "PM0243");
    CHECK(refusal(Op::dynamic_slice, {f34, i0, Type{DType::u8, {}}}, sizes) == "PM0243");
    CHECK(refusal(Op::dynamic_slice, {f34, i0, i0}, {{Attr::sizes, Integers{4, 1}}}) == "PM0246");
    CHECK(refusal(Op::dynamic_slice, {f34, i0, i0}, {{Attr::sizes, Integers{-1, 1}}}) == "PM0246");
    CHECK(refusal(Op::dynamic_slice, {f34, i0, i0}, {{Attr::sizes, Integers{1}}}) == "PM0232");
}

TEST_CASE("dynamic_update clamps its starts and keeps the other elements") {
    const Array x = count_of({5});
    const Array u = ints_of({2}, {70, 71});
    check_equal(apply1(Op::dynamic_update, {x, u, scalar_of(1)}, {}), ints_of({5}, {0, 70, 71, 3, 4}));
    check_equal(apply1(Op::dynamic_update, {x, u, scalar_of(9)}, {}), ints_of({5}, {0, 1, 2, 70, 71}));
    check_equal(apply1(Op::dynamic_update, {x, u, scalar_of(-9)}, {}), ints_of({5}, {70, 71, 2, 3, 4}));
    check_equal(x, count_of({5})); // the operand is unchanged
    const Type f3{DType::f32, {3}};
    CHECK(refusal(Op::dynamic_update, {f3, Type{DType::f32, {4}}, i0}, {}) == "PM0246");
    CHECK(refusal(Op::dynamic_update, {f3, Type{DType::i32, {2}}, i0}, {}) == "PM0248");
    CHECK(refusal(Op::dynamic_update, {f3, Type{DType::f32, {}}, i0}, {}) == "PM0246");
    CHECK(refusal(Op::dynamic_update, {f3, f3}, {}) == "PM0242");
    CHECK(refusal(Op::dynamic_update, {f3}, {}) == "PM0242");
}

TEST_CASE("gather reads elements at index arrays, and whole axes along the other axes") {
    const Array x = count_of({3, 4});
    check_equal(apply1(Op::gather, {x, ints_of({2}, {2, 0})}, gather_attrs({0})),
                ints_of({2, 4}, {8, 9, 10, 11, 0, 1, 2, 3}));
    check_equal(apply1(Op::gather, {x, ints_of({2}, {3, 1})}, gather_attrs({1})),
                ints_of({2, 3}, {3, 7, 11, 1, 5, 9})); // the axis of the indices is first
    check_equal(apply1(Op::gather, {x, ints_of({2}, {0, 2}), ints_of({2}, {3, 1})}, gather_attrs({0, 1})),
                ints_of({2}, {3, 9}));
    check_equal(apply1(Op::gather, {x, ints_of({2}, {3, 1}), ints_of({2}, {0, 2})}, gather_attrs({1, 0})),
                ints_of({2}, {3, 9}));
    check_equal(apply1(Op::gather, {x, ints_of({3}, {-5, 9, 1})}, gather_attrs({0})),
                ints_of({3, 4}, {0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7}));
    check_equal(apply1(Op::gather, {x, scalar_of(1)}, gather_attrs({0})), ints_of({4}, {4, 5, 6, 7}));
    // take_along_axis has one batch axis
    check_equal(apply1(Op::gather, {x, ints_of({3, 2}, {0, 3, 1, 1, 2, 0})}, gather_attrs({1}, 1)),
                ints_of({3, 2}, {0, 3, 5, 5, 10, 8}));
    check_equal(apply1(Op::gather, {count_of({0, 2}), ints_of({0}, {})}, gather_attrs({0})), ints_of({0, 2}, {}));
}

TEST_CASE("gather refuses operands that do not fit") {
    CHECK(refusal(Op::gather, {f34, i2}, gather_attrs({2})) == "PM0230");
    CHECK(refusal(Op::gather, {f34, i2, i2}, gather_attrs({0, 0})) == "PM0231");
    CHECK(refusal(Op::gather, {f34, i2}, gather_attrs({0, 1})) == "PM0242");
    CHECK(refusal(Op::gather, {f34}, gather_attrs({})) == "PM0242");
    CHECK(refusal(Op::gather, {f34, Type{DType::f32, {2}}}, gather_attrs({0})) == "PM0243");
    CHECK(refusal(Op::gather, {f34, i2, i0}, gather_attrs({0, 1})) == "PM0244");
    CHECK(refusal(Op::gather, {f34, i2}, gather_attrs({1}, 1)) == "PM0245");
    CHECK(refusal(Op::gather, {f34, i2}, gather_attrs({1}, 2)) == "PM0245");
    CHECK(refusal(Op::gather, {f34, Type{DType::i32, {3}}}, gather_attrs({0}, 1)) == "PM0231");
    CHECK(refusal(Op::gather, {Type{DType::f32, {0, 4}}, i2}, gather_attrs({0})) == "PM0247");
    CHECK(refusal(Op::gather, {Type{DType::f32, {0, 4}}, i2}, gather_attrs({1})) == "");
}

TEST_CASE("scatter combines updates in order and drops updates that are out of range") {
    const Array x = ints_of({4}, {10, 20, 30, 40});
    const Array i = ints_of({4}, {1, 9, 1, -1});
    const Array u = ints_of({4}, {5, 6, 7, 8});
    check_equal(apply1(Op::scatter, {x, u, i}, scatter_attrs({0}, "set")), ints_of({4}, {10, 7, 30, 40}));
    check_equal(apply1(Op::scatter, {x, u, i}, scatter_attrs({0}, "add")), ints_of({4}, {10, 32, 30, 40}));
    check_equal(apply1(Op::scatter, {x, u, i}, scatter_attrs({0}, "mul")), ints_of({4}, {10, 700, 30, 40}));
    check_equal(apply1(Op::scatter, {x, u, i}, scatter_attrs({0}, "min")), ints_of({4}, {10, 5, 30, 40}));
    check_equal(apply1(Op::scatter, {x, u, i}, scatter_attrs({0}, "max")), ints_of({4}, {10, 20, 30, 40}));
    check_equal(x, ints_of({4}, {10, 20, 30, 40}));
}

TEST_CASE("the axes of scatter are those of gather") {
    const Array zeros = Array::zeros(DType::i32, {3, 2});
    check_equal(
        apply1(Op::scatter, {zeros, ints_of({2, 2}, {1, 2, 3, 4}), ints_of({2}, {2, 0})}, scatter_attrs({0}, "set")),
        ints_of({3, 2}, {3, 4, 0, 0, 1, 2}));
    check_equal(apply1(Op::scatter, {zeros, ints_of({1, 3}, {1, 2, 3}), ints_of({1}, {1})}, scatter_attrs({1}, "set")),
                ints_of({3, 2}, {0, 1, 0, 2, 0, 3}));
    check_equal(apply1(Op::scatter, {zeros, ints_of({3, 1}, {1, 2, 3}), ints_of({3, 1}, {0, 1, 0})},
                       scatter_attrs({1}, "add", 1)),
                ints_of({3, 2}, {1, 0, 0, 2, 3, 0}));
    check_equal(apply1(Op::scatter,
                       {ints_of({2}, {250, 1}, DType::u8), ints_of({1}, {10}, DType::u8), ints_of({1}, {0})},
                       scatter_attrs({0}, "add")),
                ints_of({2}, {4, 1}, DType::u8));
}

TEST_CASE("scatter refuses operands that do not fit") {
    const Type u24{DType::f32, {2, 4}};
    CHECK(refusal(Op::scatter, {f34, u24, i2}, scatter_attrs({0}, "set")) == "");
    CHECK(refusal(Op::scatter, {f34, u24, i2}, scatter_attrs({0}, "sub")) == "PM0249");
    CHECK(refusal(Op::scatter, {f34, f34, i2}, scatter_attrs({0}, "set")) == "PM0248");
    CHECK(refusal(Op::scatter, {f34, Type{DType::f64, {2, 4}}, i2}, scatter_attrs({0}, "set")) == "PM0248");
    CHECK(refusal(Op::scatter, {f34, u24}, scatter_attrs({0}, "set")) == "PM0242");
    CHECK(refusal(Op::scatter, {Type{DType::key, {3}}, Type{DType::key, {2}}, i2}, scatter_attrs({0}, "add")) ==
          "PM0203");
    CHECK(refusal(Op::scatter, {Type{DType::f32, {0}}, Type{DType::f32, {2}}, i2}, scatter_attrs({0}, "set")) ==
          ""); // all updates are dropped
}
