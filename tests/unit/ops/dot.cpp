#include "tests/unit/ops/apply.hpp"

using namespace pm;
using namespace pm::ops;
using namespace pm::ops::test;
using ir::Attr;

namespace {
Attrs dims(Integers a, Integers b, Integers a_batch = {}, Integers b_batch = {}) {
    return {{Attr::lhs_contract, std::move(a)},
            {Attr::rhs_contract, std::move(b)},
            {Attr::lhs_batch, std::move(a_batch)},
            {Attr::rhs_batch, std::move(b_batch)}};
}
} // namespace

TEST_CASE("dot sums products over the contracted axes") {
    const Array a = ints_of({2, 3}, {1, 2, 3, 4, 5, 6});
    const Array b = ints_of({3, 2}, {1, 0, 0, 1, 2, 2});
    check_equal(apply1(Op::dot, {a, b}, dims({1}, {0})), ints_of({2, 2}, {7, 8, 16, 17}));
    check_equal(apply1(Op::dot, {a, a}, dims({0, 1}, {0, 1})), ints_of({}, {91}));
    check_equal(apply1(Op::dot, {a, b}, dims({0, 1}, {1, 0})), ints_of({}, {1 + 0 + 6 + 0 + 5 + 12}));
    check_equal(apply1(Op::dot, {ints_of({2}, {1, 2}), ints_of({2}, {3, 4})}, dims({}, {})),
                ints_of({2, 2}, {3, 4, 6, 8}));
    check_equal(apply1(Op::dot, {a, a}, dims({1}, {1}, {0}, {0})), ints_of({2}, {14, 77}));
    check_equal(apply1(Op::dot, {count_of({2, 0}), count_of({0, 2})}, dims({1}, {0})), ints_of({2, 2}, {0, 0, 0, 0}));
    check_equal(apply1(Op::dot, {ints_of({1}, {100}, DType::i8), ints_of({1}, {100}, DType::i8)}, dims({0}, {0})),
                ints_of({}, {16}, DType::i8));
}

TEST_CASE("the axes of dot's result are the batch axes, then the other axes of the left and of the right operand") {
    const Array out = apply1(Op::dot, {count_of({4, 2, 3}), count_of({3, 5, 2})}, dims({2}, {0}, {1}, {2}));
    CHECK(out.shape() == Shape{2, 4, 5});
    std::int64_t sum = 0; // result[1, 3, 2] = sum over k of a[3, 1, k] * b[k, 2, 1]
    for (std::int64_t k = 0; k < 3; ++k) sum += (3 * 6 + 1 * 3 + k) * (k * 10 + 2 * 2 + 1);
    CHECK(out.as_i64(1 * 20 + 3 * 5 + 2) == sum);
}

TEST_CASE("dot refuses operands that do not fit") {
    const Type a{DType::f32, {2, 3}};
    const Type b{DType::f32, {4, 2}};
    CHECK(refusal(Op::dot, {a, b}, dims({1}, {0})) == "PM0250");
    CHECK(refusal(Op::dot, {a, b}, dims({}, {}, {0}, {0})) == "PM0251");
    CHECK(refusal(Op::dot, {a, b}, dims({0}, {})) == "PM0252");
    CHECK(refusal(Op::dot, {a, b}, dims({2}, {0})) == "PM0230");
    CHECK(refusal(Op::dot, {a, a}, dims({1}, {1}, {1}, {1})) == "PM0231");
    Attrs exact = dims({1}, {1});
    CHECK(refusal(Op::dot, {a, a}, exact.set(Attr::precision, std::string("fast"))) == "PM0111");
    CHECK(refusal(Op::dot, {a, a}, exact.set(Attr::precision, std::string("highest"))) == "");
    CHECK(refusal(Op::dot, {a, Type{DType::f64, {3, 2}}}, dims({1}, {0})) == "PM0201");
    CHECK(refusal(Op::dot, {Type{DType::b1, {2}}, Type{DType::b1, {2}}}, dims({0}, {0})) == "PM0203");
}
