#include "golden.hpp"

using namespace pm;
using namespace pm::optimize;

TEST_CASE("a carried value that does not change becomes a whole operand") {
    gives({"simplify"},
          "fn f(%a: f32, %b: f32, %s: f32[4]) -> (f32, f32, f32[4]) { %1: f32, %2: f32, %3: f32[4] = scan(%a, %b, %s) "
          "whole=0 carried=2 length=4 {"
          " (%i: i32, %a: f32, %b: f32, %s: f32) { %c: f32 = mul(%b, %a) %d: f32 = sin(%s) return %a, %c, %d } } "
          "return %1, %2, %3 }",
          "fn f(%a: f32, %b: f32, %s: f32[4]) -> (f32, f32, f32[4]) { %2: f32, %3: f32[4] = scan(%a, %b, %s) whole=1 "
          "carried=1 length=4 {"
          " (%i: i32, %a: f32, %b: f32, %s: f32) { %c: f32 = mul(%b, %a) %d: f32 = sin(%s) return %c, %d } } return "
          "%a, %2, %3 }");
    gives({"simplify"},
          "fn f(%a: f32, %b: f32) -> (f32, f32) { %1: f32, %2: f32 = while(%a, %b) whole=0 carried=2 {"
          " (%a: f32, %b: f32) { %c: bool = less(%a, %b) return %c } (%a: f32, %b: f32) { %c: f32 = sin(%a) return %c, "
          "%b } } return %1, %2 }",
          "fn f(%a: f32, %b: f32) -> (f32, f32) { %1: f32 = while(%b, %a) whole=1 carried=1 {"
          " (%b: f32, %a: f32) { %c: bool = less(%a, %b) return %c } (%b: f32, %a: f32) { %c: f32 = sin(%a) return %c "
          "} } return %1, %b }");
}

TEST_CASE("constants move into regions, and equal operands are passed once") {
    gives({"simplify", "dce"},
          "fn f(%a: f32, %w: f32) -> (f32) { %k: f32 = constant() shape=[] dtype=f32 value=f32:3"
          " %1: f32 = scan(%w, %k, %w, %a) whole=3 carried=1 length=4 {"
          " (%i: i32, %w: f32, %k: f32, %v: f32, %a: f32) { %1: f32 = mul(%a, %k) %2: f32 = mul(%1, %w) %3: f32 = "
          "mul(%2, %v) return %3 } } return %1 }",
          "fn f(%a: f32, %w: f32) -> (f32) { %1: f32 = scan(%w, %a) whole=1 carried=1 length=4 {"
          " (%i: i32, %w: f32, %a: f32) { %k: f32 = constant() shape=[] dtype=f32 value=f32:3 %1: f32 = mul(%a, %k) "
          "%2: f32 = mul(%1, %w) %3: f32 = mul(%2, %w)"
          " return %3 } } return %1 }");
    gives({"simplify", "dce"},
          "fn f(%c: bool, %x: f32) -> (f32) { %k: f32 = constant() shape=[] dtype=f32 value=f32:1 %r: f32 = if(%c, %k, "
          "%x, %x) {"
          " (%k: f32, %x: f32, %y: f32) { %1: f32 = mul(%x, %k) %2: f32 = add(%1, %y) return %2 } (%k: f32, %x: f32, "
          "%y: f32) { return %k } } return %r }",
          "fn f(%c: bool, %x: f32) -> (f32) { %r: f32 = if(%c, %x) {"
          " (%x: f32) { %2: f32 = add(%x, %x) return %2 } (%x: f32) { %k: f32 = constant() shape=[] dtype=f32 "
          "value=f32:1 return %k } } return %r }");
    gives({"simplify", "dce"},
          "fn f(%x: f32[4]) -> (f32[4]) { %k: f32[4] = constant() shape=[4] dtype=f32 value=f32:2"
          " %r: f32[4] = pmap(%k, %x, %x) axis_id=1 axis_name=\"i\" axis_size=4 in_axes=[0, 0, 0] out_axes=[0] {"
          " (%k: f32, %x: f32, %y: f32) { %1: f32 = mul(%x, %k) %2: f32 = add(%1, %y) return %2 } } return %r }",
          "fn f(%x: f32[4]) -> (f32[4]) {"
          " %r: f32[4] = pmap(%x) axis_id=1 axis_name=\"i\" axis_size=4 in_axes=[0] out_axes=[0] {"
          " (%x: f32) { %k: f32 = constant() shape=[] dtype=f32 value=f32:2 %1: f32 = mul(%x, %k) %2: f32 = add(%1, "
          "%x) return %2 } } return %r }");
}

TEST_CASE("a sliced operand with equal slices becomes a whole operand") {
    gives({"simplify", "dce"},
          "fn f(%a: f32[2], %x: f32[2]) -> (f32[2]) { %s: f32[4, 2] = broadcast(%x) shape=[4, 2] dims=[1]"
          " %r: f32[2] = scan(%a, %s) whole=0 carried=1 length=4 { (%i: i32, %a: f32[2], %s: f32[2]) { %1: f32[2] = "
          "mul(%a, %s) return %1 } } return %r }",
          "fn f(%a: f32[2], %x: f32[2]) -> (f32[2]) {"
          " %r: f32[2] = scan(%x, %a) whole=1 carried=1 length=4 { (%i: i32, %s: f32[2], %a: f32[2]) { %1: f32[2] = "
          "mul(%a, %s) return %1 } } return %r }");
}

TEST_CASE("a result of a pmap that is an unchanged parameter is replaced by the operand") {
    gives({"simplify", "dce"},
          "fn f(%w: f32[2], %x: f32[4, 2]) -> (f32[2], f32[4, 2], f32[2, 4], f32[4, 2]) {"
          " %1: f32[2], %2: f32[4, 2], %3: f32[2, 4], %4: f32[4, 2] = pmap(%w, %x) axis_id=1 axis_name=\"i\" "
          "axis_size=4 in_axes=[-1, 0] out_axes=[-1, 0, 1, 0] { (%w: f32[2], %x: f32[2]) {"
          " %n: f32[2] = neg(%x) return %w, %x, %x, %n } } return %1, %2, %3, %4 }",
          "fn f(%w: f32[2], %x: f32[4, 2]) -> (f32[2], f32[4, 2], f32[2, 4], f32[4, 2]) {"
          " %3: f32[2, 4], %4: f32[4, 2] = pmap(%x) axis_id=1 axis_name=\"i\" "
          "axis_size=4 in_axes=[0] out_axes=[1, 0] { (%x: f32[2]) {"
          " %n: f32[2] = neg(%x) return %x, %n } } return %w, %x, %3, %4 }");
}

TEST_CASE("outputs that do not depend on carried values are computed without the loop") {
    gives({"simplify", "dce"},
          "fn f(%w: f32, %a: f32, %s: f32[4]) -> (f32, f32[4], f32[4], f32[4]) {"
          " %1: f32, %2: f32[4], %3: f32[4], %4: f32[4] = scan(%w, %a, %s) whole=1 carried=1 length=4 { (%i: i32, %w: "
          "f32, %a: f32, %s: f32) {"
          " %k: f32 = constant() shape=[] dtype=f32 value=f32:7 %1: f32 = mul(%a, %w) return %1, %w, %s, %k } } return "
          "%1, %2, %3, %4 }",
          "fn f(%w: f32, %a: f32, %s: f32[4]) -> (f32, f32[4], f32[4], f32[4]) {"
          " %2: f32[4] = broadcast(%w) shape=[4] dims=[] %k: f32[4] = constant() shape=[4] dtype=f32 value=f32:7"
          " %1: f32 = scan(%w, %a) whole=1 carried=1 length=4 { (%i: i32, %w: f32, %a: f32) { %1: f32 = mul(%a, %w) "
          "return %1 } } return %1, %2, %s, %k }");
}

TEST_CASE("a scan of one iteration is replaced by its body") {
    gives({"simplify", "dce"},
          "fn f(%w: f32, %a: f32, %s: f32[1, 2]) -> (f32, f32[1, 2], i32[1]) {"
          " %1: f32, %2: f32[1, 2], %3: i32[1] = scan(%w, %a, %s) whole=1 carried=1 length=1 { (%i: i32, %w: f32, %a: "
          "f32, %s: f32[2]) {"
          " print(%a) text=\"\" %1: f32 = mul(%a, %w) %2: f32[2] = sin(%s) return %1, %2, %i } } return %1, %2, %3 }",
          "fn f(%w: f32, %a: f32, %s: f32[1, 2]) -> (f32, f32[1, 2], i32[1]) { %t: f32[2] = reshape(%s) shape=[2]"
          " print(%a) text=\"\" %1: f32 = mul(%a, %w) %2: f32[2] = sin(%t) %u: f32[1, 2] = reshape(%2) shape=[1, 2]"
          " %3: i32[1] = constant() shape=[1] dtype=i32 value=i32:0 return %1, %u, %3 }");
}

TEST_CASE("a result that is equal in both branches is removed from the if") {
    gives({"simplify", "dce"},
          "fn f(%c: bool, %x: f32, %y: f32) -> (f32, f32, f32) { %1: f32, %2: f32, %3: f32 = if(%c, %x, %y) {"
          " (%x: f32, %y: f32) { %k: f32 = constant() shape=[] dtype=f32 value=f32:7 %1: f32 = sin(%x) return %1, %y, "
          "%k }"
          " (%x: f32, %y: f32) { %k: f32 = constant() shape=[] dtype=f32 value=f32:7 return %x, %y, %k } } return %1, "
          "%2, %3 }",
          "fn f(%c: bool, %x: f32, %y: f32) -> (f32, f32, f32) { %k: f32 = constant() shape=[] dtype=f32 value=f32:7 "
          "%1: f32 = if(%c, %x) {"
          " (%x: f32) { %1: f32 = sin(%x) return %1 } (%x: f32) { return %x } } return %1, %y, %k }");
}

TEST_CASE("a constant operand of a loop decides an inner branch") {
    gives({"simplify", "dce"},
          "fn f(%x: f32) -> (f32) { %k: bool = constant() shape=[] dtype=bool value=bool:true %r: f32 = scan(%k, %x) "
          "whole=1 carried=1 length=3 {"
          " (%i: i32, %k: bool, %x: f32) { %r: f32 = if(%k, %x) { (%x: f32) { %1: f32 = sin(%x) return %1 } (%x: f32) "
          "{ return %x } } return %r } } return %r }",
          "fn f(%x: f32) -> (f32) { %r: f32 = scan(%x) whole=0 carried=1 length=3 {"
          " (%i: i32, %x: f32) { %1: f32 = sin(%x) return %1 } } return %r }");
}

TEST_CASE("each callee is simplified once") {
    const BlockPtr block = pass::simplify(
        ir::read("fn @g(%x: f32) -> (f32) { %1: f32 = neg(%x) %2: f32 = neg(%1) %3: f32 = sin(%2) return %3 }\n"
                 "fn f(%x: f32) -> (f32) { %1: f32 = call(%x) @g %2: f32 = call(%1) @g return %2 }"));
    CHECK(block->insts[0].regions[0] == block->insts[1].regions[0]);
    CHECK(block->insts[0].regions[0]->results[0] == block->insts[0].regions[0]->insts.back().results[0]);
}
