#include "compiler/ir/ir.hpp"

#include "compiler/ir/text.hpp"

#include <doctest/doctest.h>

using namespace pm;
using namespace pm::ir;

TEST_CASE("types and shapes are printed in the notation of the language") {
    CHECK(to_string(Type{DType::f32, {}}) == "f32");
    CHECK(to_string(Type{DType::i32, {3, 4}}) == "i32[3, 4]");
    CHECK(to_string(Shape{}) == "()");
    CHECK(to_string(Shape{3}) == "(3,)");
    CHECK(to_string(Shape{3, 4}) == "(3, 4)");
    CHECK(Type{DType::f64, {3, 0, 2}}.elements() == 0);
    CHECK(Type{DType::f64, {3, 2}}.elements() == 6);
}

TEST_CASE("attributes are equal in whatever order they were set") {
    Attrs a{{Attr::shape, Integers{2}}, {Attr::axis, 1}};
    Attrs b;
    b.set(Attr::axis, 5).set(Attr::shape, Integers{2}).set(Attr::axis, 1);
    CHECK(a == b);
    CHECK(a.integer(Attr::axis) == 1);
    CHECK(a.integer(Attr::length, 7) == 7);
    CHECK_FALSE(a.has(Attr::length));
    CHECK_THROWS_AS(a.integer(Attr::length), InternalError);
    CHECK_THROWS_AS(a.set(Attr::axis, Integers{1}), InternalError);
}

TEST_CASE("a builder numbers values and knows their definitions") {
    BlockBuilder b("f");
    const Value x = b.param({DType::f32, {}});
    b.set_span({1, 2, 3});
    const Values y = b.append({Op::sin, {x}, {}, {}, {}, {}}, {{DType::f32, {}}});
    const Values z = b.append({Op::cos, y, {}, {}, {}, {{1, 7, 8}}}, {{DType::f32, {}}});
    CHECK(b.definition(x) == nullptr);
    CHECK(b.definition(z[0])->op == Op::cos);
    CHECK(b.definition(z[0])->place.span == Span{1, 7, 8});
    CHECK(b.definition(y[0])->place.span == Span{1, 2, 3});
    CHECK_THROWS_AS(b.append({Op::sin, {Value{9}}, {}, {}, {}, {}}, {{DType::f32, {}}}), InternalError);
    const BlockPtr block = b.finish(z);
    CHECK(block->name == "f");
    CHECK(block->results == z);
    CHECK(b.block().values.empty());
}

TEST_CASE("a reference to a type stays valid when instructions are appended") {
    BlockBuilder b("f");
    const Value x = b.param({DType::f32, {3}});
    const Type& type = b.type(x);
    for (int i = 0; i < 1000; ++i) b.append({Op::neg, {x}, {}, {}, {}, {}}, {{DType::f32, {3}}});
    CHECK(&type == &b.type(x));
}

TEST_CASE("effects and collectives are found in regions and callees") {
    const BlockPtr with = read("fn @g(%0: f32) -> () { print(%0) text=\"\" return }\n"
                               "fn f(%0: f32) -> () { scan(%0) whole=1 carried=0 length=3 { (%0: i32, %1: f32) { "
                               "call(%1) @g return } } return }");
    CHECK(has_effect(*with));
    CHECK_FALSE(has_collective(*with));
    CHECK(has_collective(*read("fn f(%0: f32) -> () { %1: f32 = psum(%0) axes=[0] return }")));
}
