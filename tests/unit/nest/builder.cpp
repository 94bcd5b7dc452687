#include "compiler/nest/builder.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace pm::nest;

TEST_CASE("equal instructions are merged") {
    Builder b("f", {4});
    const auto x = b.buffer(DType::f32, false);
    b.begin_stage({});
    const Indices i = b.grid_indices();
    const Ref a = b.load(x, {4}, i);
    CHECK(a == b.load(x, {4}, i));
    CHECK(b.op(ScalarOp::add, DType::f32, {a, a}) == b.op(ScalarOp::add, DType::f32, {a, a}));
    CHECK(!(b.op(ScalarOp::add, DType::f32, {a, a}) == b.op(ScalarOp::mul, DType::f32, {a, a})));
}

TEST_CASE("an instruction of a long stage is compared only with the instruction that is equal to it") {
    constexpr int count = 64000;
    Builder b("f", {4});
    b.begin_stage({});
    for (int i = 0; i < count; ++i) b.constant(DType::f32, i);
    CHECK(b.compared() == 0);
    for (int i = 0; i < count; ++i) b.constant(DType::f32, i);
    CHECK(b.compared() == count);
}

TEST_CASE("the index of a reshape is affine if the sizes allow it") {
    Builder b("f", {3, 4});
    b.begin_stage({});
    const Indices i = b.grid_indices();
    const Index flat = b.add(b.mul(i[0], 4), i[1]);
    CHECK(b.div(flat, 4).affine == i[0].affine);
    CHECK(b.rem(flat, 4).affine == i[1].affine);
    CHECK(b.div(flat, 4).is_affine());
    // With a negative offset: 4*i0 - 1 is 4*(i0 - 1) + 3.
    const Index before = b.add(b.mul(i[0], 4), -1);
    CHECK(b.div(before, 4).affine == b.add(i[0], -1).affine);
    CHECK(b.rem(before, 4).affine == Index::constant(3).affine);
    const Index two = b.div(flat, 2); // 2*i0 + i1 / 2
    CHECK_FALSE(two.is_affine());
    CHECK(two.affine.coefficient(0) == 2);
    // The range of a quotient is known.
    CHECK(b.range(two).low == 0);
    CHECK(b.range(two).high == 5);
    CHECK_FALSE(b.within(two, 0, 6).has_value());
    CHECK(b.within(two, 0, 5).has_value());
}

TEST_CASE("a condition on a bound that always holds is not tested at run time") {
    Builder b("f", {10});
    b.begin_stage({});
    const Index i = b.grid_indices()[0];
    CHECK_FALSE(b.within(i, 0, 10).has_value());
    CHECK(b.within(b.add(i, -1), 0, 10).has_value());
    CHECK(b.clamp(i, 0, 9).is_affine());
    CHECK_FALSE(b.clamp(b.add(i, 3), 0, 9).is_affine());
    const auto never = b.within(b.add(i, 20), 0, 10);
    REQUIRE(never.has_value());
    CHECK(b.nest()[*never].bits == 0);
}

TEST_CASE("an integer converted from an index is that index") {
    Builder b("f", {10});
    b.begin_stage({});
    const Ref narrow = b.op(ScalarOp::convert, DType::i32, {b.value(b.grid_indices()[0])});
    CHECK(b.from(narrow).is_affine());
    const auto x = b.buffer(DType::i32, false);
    const Index loaded = b.from(b.load(x, {10}, b.grid_indices()));
    CHECK_FALSE(loaded.is_affine());
    CHECK(b.range(loaded).high == 2147483647);
}

TEST_CASE("the range of a value that uses its operand twice takes one step") {
    Builder b("f", {10});
    const auto x = b.buffer(DType::i32, false);
    Index y = b.from(b.load(x, {10}, b.grid_indices()));
    const auto number = [&](std::int64_t n) { return b.constant_bits(DType::i64, static_cast<std::uint64_t>(n)); };
    y = b.clamp(y, 0, 3);
    for (int level = 0; level < 40; ++level) {
        const Ref v = b.value(y);
        const Ref sum = b.op(ScalarOp::add, DType::i64, {v, b.op(ScalarOp::min, DType::i64, {v, number(level + 3)})});
        y = b.from(sum);
    }
    // The bound is 3, then 6. From then on, each level adds the bound of its own value.
    std::int64_t most = 3;
    for (int level = 0; level < 40; ++level) most += std::min<std::int64_t>(most, level + 3);
    CHECK(b.range(y).low == 0);
    CHECK(b.range(y).high == most);
}

TEST_CASE("a range of which one bound is known propagates; products and differences have ranges") {
    Builder b("f", {10});
    const auto x = b.buffer(DType::i64, false);
    const Ref any = b.load(x, {10}, b.grid_indices());
    const auto number = [&](std::int64_t n) { return b.constant_bits(DType::i64, static_cast<std::uint64_t>(n)); };
    const Ref positive = b.op(ScalarOp::max, DType::i64, {any, number(0)});
    CHECK_FALSE(b.range({{}, positive}).known());
    const Ref few = b.op(ScalarOp::min, DType::i64, {positive, number(7)});
    CHECK(b.range({{}, few}).within(0, 7));
    const Ref less = b.op(ScalarOp::sub, DType::i64, {few, number(9)});
    CHECK(b.range({{}, less}).within(-9, -2));
    const Ref between = b.op(ScalarOp::sub, DType::i64, {less, few});
    CHECK(b.range({{}, between}).low == -16);
    CHECK(b.range({{}, between}).high == -2);
    const Ref product = b.op(ScalarOp::mul, DType::i64, {less, few});
    CHECK(b.range({{}, product}).low == -63);
    CHECK(b.range({{}, product}).high == 0);
    const Ref far = b.op(ScalarOp::mul, DType::i64, {few, number(std::int64_t{1} << 60)});
    CHECK_FALSE(b.range({{}, far}).known());
}

TEST_CASE("integer constants fold, float constants do not") {
    Builder b("f", {});
    b.begin_stage({});
    const Ref three = b.constant(DType::i64, 3);
    const Ref four = b.op(ScalarOp::add, DType::i64, {three, b.constant(DType::i64, 1)});
    CHECK(b.nest()[four].op == ScalarOp::constant);
    CHECK(b.nest()[four].bits == 4);
    const Ref one = b.constant(DType::f32, 1);
    CHECK(b.nest()[b.op(ScalarOp::add, DType::f32, {one, one})].op == ScalarOp::add);
    const Ref small = b.constant(DType::i8, -1);
    CHECK(b.nest()[b.op(ScalarOp::convert, DType::i64, {small})].bits == ~std::uint64_t{0});
    CHECK(b.nest()[b.op(ScalarOp::add, DType::i8, {b.constant(DType::i8, 127), b.constant(DType::i8, 1)})].bits ==
          0x80);
}

TEST_CASE("finish drops instructions that no store needs") {
    Builder b("f", {4});
    const auto x = b.buffer(DType::f32, false);
    const auto y = b.buffer(DType::f32, true);
    b.begin_stage({});
    const Ref a = b.load(x, {4}, b.grid_indices());
    b.op(ScalarOp::exp, DType::f32, {a});
    b.store(y, {4}, b.grid_indices(), a);
    const Nest nest = b.finish();
    verify(nest, "test");
    CHECK(nest.insts.size() == 2);
    CHECK(print(nest) == "nest \"f\" (b0: f32, b1: written f32) grid=[4] {\n"
                         "  stage loops=[] order=lanes block=0 {\n"
                         "    %0: f32 = load b0[i0]\n"
                         "    store b1[i0] = %0\n"
                         "  }\n"
                         "}\n");
}

TEST_CASE("the order of a reduction depends only on the extents of its loops") {
    CHECK(reduce_order({100}, true).block == 0);
    CHECK(reduce_order({32768}, true).block == 0);
    CHECK(reduce_order({32769}, true).block == 16384);
    CHECK(reduce_order({1000, 100}, true).block == 163);
    CHECK(reduce_order({1024}, false).block == 0);
    CHECK(reduce_order({1025}, false).block == 512);
    CHECK(reduce_order({2, 100000}, true).block == 1);
    CHECK(reduce_order({1, 100000}, true).block == 0);
    CHECK(reduce_order({0, 100000}, true).block == 0);
    const auto chunk = [](const std::vector<std::int64_t>& extents, bool last_axis) {
        const Chunk c = reduce_order(extents, last_axis).chunk;
        return std::pair<std::size_t, std::int64_t>(c.loop, c.iterations);
    };
    CHECK(chunk({64}, false) == std::pair<std::size_t, std::int64_t>(0, 0));
    CHECK(chunk({65}, false) == std::pair<std::size_t, std::int64_t>(0, 64));
    CHECK(chunk({4, 1000000}, false) == std::pair<std::size_t, std::int64_t>(1, 64));
    CHECK(chunk({1000, 10}, false) == std::pair<std::size_t, std::int64_t>(0, 6));
    CHECK(chunk({4096}, true) == std::pair<std::size_t, std::int64_t>(0, 0));
    CHECK(chunk({4097}, true) == std::pair<std::size_t, std::int64_t>(0, 4096));
    CHECK(chunk({100000, 3}, true) == std::pair<std::size_t, std::int64_t>(0, 64));
    CHECK(chunk({100, 20}, true) == std::pair<std::size_t, std::int64_t>(0, 32));
    CHECK(chunk({3, 1000, 200}, true) == std::pair<std::size_t, std::int64_t>(1, 16));
    CHECK(chunk({0, 1000}, true) == std::pair<std::size_t, std::int64_t>(0, 0));
    CHECK(reduce_order({7}, true).order == Order::lanes);
    CHECK(reduce_order({7}, false).order == Order::sequential);
}

TEST_CASE("reductions start from the identity of their operation") {
    CHECK(identity_bits(Combine::max, DType::f32) == 0xFF800000U);
    CHECK(identity_bits(Combine::min, DType::f32) == 0x7F800000U);
    CHECK(identity_bits(Combine::max, DType::i32) == 0x80000000U);
    CHECK(identity_bits(Combine::min, DType::i32) == 0x7FFFFFFFU);
    CHECK(identity_bits(Combine::min, DType::u8) == 0xFFU);
    CHECK(identity_bits(Combine::min, DType::i64) == 0x7FFFFFFFFFFFFFFFU);
    CHECK(identity_bits(Combine::and_, DType::b1) == 1U);
    CHECK(identity_bits(Combine::mul, DType::f32) == 0x3F800000U);
    CHECK(identity_bits(Combine::max, DType::b1) == 0U);
}

TEST_CASE("a remainder has the weight of a formula if it is of floats, and of a division if it is of integers") {
    CHECK(weight(ScalarOp::rem, DType::f32) >= weight(ScalarOp::tanh, DType::f32));
    CHECK(weight(ScalarOp::rem, DType::f64) == 2 * weight(ScalarOp::rem, DType::f32));
    CHECK(weight(ScalarOp::rem, DType::i64) == weight(ScalarOp::div, DType::i64));
    CHECK(weight(ScalarOp::div, DType::f32) < weight(ScalarOp::div, DType::i32));
}

TEST_CASE("known 64-bit numbers are compared as signed or unsigned, by their dtype") {
    Builder b("f", {1});
    b.begin_stage({});
    const auto known = [&](ScalarOp op, DType dtype, DType operand, std::uint64_t x, std::uint64_t y) {
        return b.nest()[b.op(op, dtype, {b.constant_bits(operand, x), b.constant_bits(operand, y)})].bits;
    };
    const std::uint64_t high = std::uint64_t{1} << 63; // as u64 a large number, as i64 the least number
    for (const ScalarOp op : {ScalarOp::less, ScalarOp::less_equal}) {
        CHECK(known(op, DType::b1, DType::u64, 1, high) == 1);
        CHECK(known(op, DType::b1, DType::u64, high, 1) == 0);
        CHECK(known(op, DType::b1, DType::i64, 1, high) == 0);
        CHECK(known(op, DType::b1, DType::i64, high, 1) == 1);
    }
    CHECK(known(ScalarOp::max, DType::u64, DType::u64, 1, high) == high);
    CHECK(known(ScalarOp::min, DType::u64, DType::u64, 1, high) == 1);
    CHECK(known(ScalarOp::max, DType::i64, DType::i64, 1, high) == 1);
    CHECK(known(ScalarOp::min, DType::i64, DType::i64, 1, high) == high);
}
