#include "golden.hpp"

using namespace pm;
using namespace pm::optimize;

TEST_CASE("unused instructions are removed, effects are kept") {
    gives({"dce"},
          "fn f(%x: f32, %y: f32) -> (f32) { %a: f32 = sin(%y) %b: f32 = cos(%a) %c: f32 = neg(%x) print(%c) text=\"\" "
          "return %x }",
          "fn f(%x: f32, %y: f32) -> (f32) { %c: f32 = neg(%x) print(%c) text=\"\" return %x }");
}

TEST_CASE("unused outputs and carried values of a scan are removed, unless a later iteration reads them") {
    gives({"dce"},
          "fn f(%w: f32, %a: f32, %b: f32, %c: f32, %s: f32[4]) -> (f32) {"
          " %1: f32, %2: f32, %3: f32, %4: f32[4] = scan(%w, %a, %b, %c, %s) whole=1 carried=3 length=4 {"
          "  (%i: i32, %w: f32, %a: f32, %b: f32, %c: f32, %s: f32) {"
          "   %1: f32 = add(%a, %b) %2: f32 = sin(%b) %3: f32 = mul(%c, %w) %4: f32 = neg(%s) return %1, %2, %3, %4 } "
          "} return %1 }",
          "fn f(%w: f32, %a: f32, %b: f32, %c: f32, %s: f32[4]) -> (f32) {"
          " %1: f32, %2: f32 = scan(%a, %b) whole=0 carried=2 length=4 {"
          "  (%i: i32, %a: f32, %b: f32) { %1: f32 = add(%a, %b) %2: f32 = sin(%b) return %1, %2 } } return %1 }");
}

TEST_CASE("a carried value is removed if only its own update reads it") {
    gives({"dce"},
          "fn f(%a: f32, %b: f32) -> (f32) { %1: f32, %2: f32 = scan(%a, %b) whole=0 carried=2 length=4 {"
          "  (%i: i32, %a: f32, %b: f32) { %1: f32 = sin(%a) %2: f32 = cos(%b) return %1, %2 } } return %2 }",
          "fn f(%a: f32, %b: f32) -> (f32) { %2: f32 = scan(%b) whole=0 carried=1 length=4 {"
          "  (%i: i32, %b: f32) { %2: f32 = cos(%b) return %2 } } return %2 }");
    gives({"dce"},
          "fn f(%a: f32) -> (f32) { %1: f32 = scan(%a) whole=0 carried=1 length=4 { (%i: i32, %a: f32) { %1: f32 = "
          "sin(%a) return %1 } } return %a }",
          "fn f(%a: f32) -> (f32) { return %a }");
}

TEST_CASE("a while keeps the values that its condition reads") {
    gives({"dce"},
          "fn f(%w: f32, %v: f32, %a: f32, %b: f32, %n: f32) -> (f32) {"
          " %1: f32, %2: f32, %3: f32 = while(%w, %v, %a, %b, %n) whole=2 carried=3 {"
          "  (%w: f32, %v: f32, %a: f32, %b: f32, %n: f32) { %c: bool = less(%n, %w) return %c }"
          "  (%w: f32, %v: f32, %a: f32, %b: f32, %n: f32) { %1: f32 = sin(%a) %2: f32 = mul(%b, %v) %3: f32 = add(%n, "
          "%n) return %1, %2, %3 } } return %1 }",
          "fn f(%w: f32, %v: f32, %a: f32, %b: f32, %n: f32) -> (f32) {"
          " %1: f32, %3: f32 = while(%w, %a, %n) whole=1 carried=2 {"
          "  (%w: f32, %a: f32, %n: f32) { %c: bool = less(%n, %w) return %c }"
          "  (%w: f32, %a: f32, %n: f32) { %1: f32 = sin(%a) %3: f32 = add(%n, %n) return %1, %3 } } return %1 }");
}

TEST_CASE("a loop with an effect keeps the values that the effect reads") {
    gives({"dce"},
          "fn f(%a: f32, %b: f32) -> () { %1: f32, %2: f32 = scan(%a, %b) whole=0 carried=2 length=4 {"
          "  (%i: i32, %a: f32, %b: f32) { %1: f32 = sin(%a) %2: f32 = cos(%b) print(%b) text=\"\" return %1, %2 } } "
          "return }",
          "fn f(%a: f32, %b: f32) -> () { %2: f32 = scan(%b) whole=0 carried=1 length=4 {"
          "  (%i: i32, %b: f32) { %2: f32 = cos(%b) print(%b) text=\"\" return %2 } } return }");
}

TEST_CASE("unused operands and results of branches and pmap are removed") {
    gives({"dce"},
          "fn f(%c: bool, %x: f32, %y: f32, %z: f32) -> (f32) { %1: f32, %2: f32 = if(%c, %x, %y, %z) {"
          "  (%x: f32, %y: f32, %z: f32) { return %x, %z } (%x: f32, %y: f32, %z: f32) { return %y, %z } } return %1 }",
          "fn f(%c: bool, %x: f32, %y: f32, %z: f32) -> (f32) { %1: f32 = if(%c, %x, %y) {"
          "  (%x: f32, %y: f32) { return %x } (%x: f32, %y: f32) { return %y } } return %1 }");
    gives({"dce"},
          "fn f(%x: f32[4], %y: f32[4], %z: f32) -> (f32[4]) {"
          " %1: f32[4], %2: f32[4] = pmap(%x, %y, %z) axis_id=1 axis_name=\"i\" axis_size=4 in_axes=[0, 0, -1] "
          "out_axes=[0, 0] {"
          "  (%x: f32, %y: f32, %z: f32) { %1: f32 = sin(%y) %2: f32 = add(%x, %z) return %1, %2 } } return %1 }",
          "fn f(%x: f32[4], %y: f32[4], %z: f32) -> (f32[4]) {"
          " %1: f32[4] = pmap(%y) axis_id=1 axis_name=\"i\" axis_size=4 in_axes=[0] out_axes=[0] {"
          "  (%y: f32) { %1: f32 = sin(%y) return %1 } } return %1 }");
}

TEST_CASE("dead code of callees is removed, and so are calls without use or effect") {
    gives({"dce"},
          "fn @g(%x: f32) -> (f32) { %1: f32 = sin(%x) return %x }\n"
          "fn @p(%x: f32) -> () { print(%x) text=\"\" return }\n"
          "fn f(%x: f32) -> (f32) { %1: f32 = call(%x) @g %2: f32 = call(%1) @g call(%x) @p return %1 }",
          "fn @g(%x: f32) -> (f32) { return %x }\n"
          "fn @p(%x: f32) -> () { print(%x) text=\"\" return }\n"
          "fn f(%x: f32) -> (f32) { %1: f32 = call(%x) @g call(%x) @p return %1 }");
}
