#include "compiler/ir/places.hpp"
#include "golden.hpp"

using namespace pm;
using namespace pm::optimize;

TEST_CASE("calls are inlined, also in callees and regions") {
    gives({"inline"},
          "fn @g(%0: f32) -> (f32, f32) { %1: f32 = sin(%0) return %1, %0 }\n"
          "fn @h(%0: f32) -> (f32) { %1: f32, %2: f32 = call(%0) @g %3: f32 = add(%1, %2) return %3 }\n"
          "fn f(%0: f32) -> (f32, f32) { %1: f32 = call(%0) @h\n"
          " %2: f32 = scan(%1) whole=0 carried=1 length=3 { (%0: i32, %1: f32) { %2: f32 = call(%1) @h return %2 } } "
          "return %1, %2 }",
          "fn f(%0: f32) -> (f32, f32) { %1: f32 = sin(%0) %2: f32 = add(%1, %0)\n"
          " %3: f32 = scan(%2) whole=0 carried=1 length=3 { (%0: i32, %1: f32) { %2: f32 = sin(%1) %3: f32 = add(%2, "
          "%1) return %3 } }"
          " return %2, %3 }");
}

TEST_CASE("an inlined instruction without a span gets the span of the call") {
    BlockPtr block = ir::read("fn @g(%0: f32) -> (f32) { %1: f32 = sin(%0) return %1 }\n"
                              "fn f(%0: f32) -> (f32) { %1: f32 = call(%0) @g return %1 }");
    auto placed = std::make_shared<ir::Block>(*block);
    placed->insts[0].place.span = {1, 5, 9};
    CHECK(pass::inline_(placed)->insts[0].place.span == Span{1, 5, 9});
}

TEST_CASE("a check keeps the calls through which it is inlined, outermost first") {
    const BlockPtr block = ir::read("fn @h(%0: bool) -> () { check(%0) text=\"x\" return }\n"
                                    "fn @g(%0: bool) -> () { scan(%0) whole=1 carried=0 length=3 "
                                    "{ (%0: i32, %1: bool) { call(%1) @h return } } return }\n"
                                    "fn f(%0: bool) -> () { call(%0) @g return }");
    auto outer = std::make_shared<ir::Block>(*block);
    auto callee = std::make_shared<ir::Block>(*block->insts[0].regions[0]);
    auto body = std::make_shared<ir::Block>(*callee->insts[0].regions[0]);
    body->insts[0].place.span = {1, 5, 9};
    callee->insts[0].regions[0] = body;
    outer->insts[0].regions[0] = callee;
    outer->insts[0].place.span = {1, 20, 24};
    const BlockPtr made = pass::inline_(outer);
    const ir::Inst& check = made->insts.at(0).regions.at(0)->insts.at(0);
    REQUIRE(check.op == ir::Op::check);
    Diagnostic d;
    d.span = {1, 1, 3};
    ir::add_callers(d, check.place.callers);
    CHECK(d.calls == std::vector<Span>{{1, 5, 9}, {1, 20, 24}});
}

TEST_CASE("code that doubles at every level of calls is not inlined without limit") {
    std::string text = "fn @f0(%0: f32) -> (f32) { %1: f32 = sin(%0) return %1 }\n";
    for (int i = 1; i < 60; ++i)
        text += "fn @f" + std::to_string(i) + "(%0: f32) -> (f32) { %1: f32 = call(%0) @f" + std::to_string(i - 1) +
                " %2: f32 = call(%1) @f" + std::to_string(i - 1) + " return %2 }\n";
    text += "fn f(%0: f32) -> (f32) { %1: f32 = call(%0) @f59 return %1 }";
    const BlockPtr block = pass::inline_(ir::read(text));
    ir::verify(*block, ops::result_types, "inline");
    CHECK(block->insts.size() <= 200'000);
    CHECK(ir::any_inst(*block, [](const ir::Inst& i) { return i.op == ir::Op::call; }));
}
