#include "golden.hpp"

using namespace pm;
using namespace pm::optimize;

TEST_CASE("loop-invariant instructions are hoisted out of a scan with their operands") {
    gives({"hoist", "dce"},
          "fn f(%w: f32[9, 9], %x: f32[9]) -> (f32[9]) { %r: f32[9] = scan(%w, %x) whole=1 carried=1 length=5 {"
          " (%i: i32, %w: f32[9, 9], %x: f32[9]) { %t: f32[9, 9] = transpose(%w) permutation=[1, 0]"
          "  %m: f32[9, 9] = dot(%t, %w) lhs_contract=[1] rhs_contract=[0] lhs_batch=[] rhs_batch=[]"
          "  %y: f32[9] = dot(%m, %x) lhs_contract=[1] rhs_contract=[0] lhs_batch=[] rhs_batch=[] return %y } } return "
          "%r }",
          "fn f(%w: f32[9, 9], %x: f32[9]) -> (f32[9]) { %t: f32[9, 9] = transpose(%w) permutation=[1, 0]"
          "  %m: f32[9, 9] = dot(%t, %w) lhs_contract=[1] rhs_contract=[0] lhs_batch=[] rhs_batch=[]"
          " %r: f32[9] = scan(%m, %x) whole=1 carried=1 length=5 { (%i: i32, %m: f32[9, 9], %x: f32[9]) {"
          "  %y: f32[9] = dot(%m, %x) lhs_contract=[1] rhs_contract=[0] lhs_batch=[] rhs_batch=[] return %y } } return "
          "%r }");
}

TEST_CASE("instructions are hoisted out of the condition and the body of a while") {
    gives({"hoist", "dce"},
          "fn f(%w: f32, %x: f32) -> (f32) { %r: f32 = while(%w, %x) whole=1 carried=1 {"
          " (%w: f32, %x: f32) { %a: f32 = sin(%w) %c: bool = less(%x, %a) return %c }"
          " (%w: f32, %x: f32) { %b: f32 = cos(%w) %y: f32 = add(%x, %b) return %y } } return %r }",
          "fn f(%w: f32, %x: f32) -> (f32) { %a: f32 = sin(%w) %b: f32 = cos(%w) %r: f32 = while(%a, %b, %x) whole=2 "
          "carried=1 {"
          " (%a: f32, %b: f32, %x: f32) { %c: bool = less(%x, %a) return %c }"
          " (%a: f32, %b: f32, %x: f32) { %y: f32 = add(%x, %b) return %y } } return %r }");
}

TEST_CASE("instructions are hoisted out of two loops at once") {
    gives({"hoist", "dce"},
          "fn f(%w: f32, %x: f32) -> (f32) { %r: f32 = scan(%w, %x) whole=1 carried=1 length=5 { (%i: i32, %w: f32, "
          "%x: f32) {"
          " %r: f32 = scan(%w, %x) whole=1 carried=1 length=5 { (%i: i32, %w: f32, %x: f32) {"
          " %a: f32 = sin(%w) %y: f32 = add(%x, %a) return %y } } return %r } } return %r }",
          "fn f(%w: f32, %x: f32) -> (f32) { %a: f32 = sin(%w) %r: f32 = scan(%a, %x) whole=1 carried=1 length=5 { "
          "(%i: i32, %a: f32, %x: f32) {"
          " %r: f32 = scan(%a, %x) whole=1 carried=1 length=5 { (%i: i32, %a: f32, %x: f32) {"
          " %y: f32 = add(%x, %a) return %y } } return %r } } return %r }");
}

TEST_CASE("instructions that are cheap to recompute are not hoisted") {
    // A constant and an elementwise operation on it; a broadcast; other results that are larger than their operands.
    keeps({"hoist"},
          "fn f(%w: f32, %x: f32[9]) -> (f32[9]) { %r: f32[9] = scan(%w, %x) whole=1 carried=1 length=5 {"
          " (%i: i32, %w: f32, %x: f32[9]) { %k: f32[9] = iota() axis=0 shape=[9] dtype=f32 %e: f32[9] = exp(%k)"
          "  %b: f32[9] = broadcast(%w) shape=[9] dims=[] %c: f32[9] = mul(%b, %k) %d: f32[9] = add(%c, %e)"
          "  %y: f32[9] = add(%x, %d) return %y } } return %r }");
}

TEST_CASE("a while is not hoisted: it may not end, and the loop around it may have no iteration") {
    keeps({"hoist"}, "fn f(%w: f32, %x: f32) -> (f32) { %r: f32 = while(%w, %x) whole=1 carried=1 {"
                     " (%w: f32, %x: f32) { %c: bool = less(%x, %w) return %c }"
                     " (%w: f32, %x: f32) { %e: f32 = while(%w) whole=0 carried=1 {"
                     "   (%v: f32) { %c: bool = less(%v, %v) return %c } (%v: f32) { %z: f32 = sin(%v) return %z } }"
                     "  %y: f32 = add(%x, %e) return %y } } return %r }");
}

TEST_CASE("effects and instructions that depend on the iteration are not hoisted") {
    keeps({"hoist"},
          "fn f(%w: f32, %x: f32, %s: f32[5]) -> (f32) { %r: f32 = scan(%w, %x, %s) whole=1 carried=1 length=5 {"
          " (%i: i32, %w: f32, %x: f32, %s: f32) { print(%w) text=\"\" %a: f32 = sin(%s) %b: f32 = cos(%x) %y: f32 = "
          "add(%a, %b) return %y } } return %r }");
}
