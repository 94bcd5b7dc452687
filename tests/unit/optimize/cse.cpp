#include "golden.hpp"

using namespace pm;
using namespace pm::optimize;

TEST_CASE("equal instructions are merged, also if their operands are equal only after merging") {
    gives({"cse"},
          "fn f(%x: f32) -> (f32) { %a: f32 = sin(%x) %b: f32 = sin(%x) %c: f32 = neg(%a) %d: f32 = neg(%b) %r: f32 = "
          "add(%c, %d) return %r }",
          "fn f(%x: f32) -> (f32) { %a: f32 = sin(%x) %c: f32 = neg(%a) %r: f32 = add(%c, %c) return %r }");
}

TEST_CASE("sums are merged in either order of operands, maxima of floats are not") {
    gives({"cse"}, "fn f(%x: f32, %y: f32) -> (f32, f32) { %a: f32 = add(%x, %y) %b: f32 = add(%y, %x) return %a, %b }",
          "fn f(%x: f32, %y: f32) -> (f32, f32) { %a: f32 = add(%x, %y) return %a, %a }");
    keeps({"cse"},
          "fn f(%x: f32, %y: f32) -> (f32, f32) { %a: f32 = max(%x, %y) %b: f32 = max(%y, %x) return %a, %b }");
    keeps({"cse"},
          "fn f(%x: f32, %y: f32) -> (f32, f32) { %a: f32 = sub(%x, %y) %b: f32 = sub(%y, %x) return %a, %b }");
}

TEST_CASE("instructions with different attributes are not merged") {
    keeps({"cse"}, "fn f(%x: f32[2, 2]) -> (f32[2], f32[2]) { %a: f32[2] = reduce_sum(%x) axes=[0] %b: f32[2] = "
                   "reduce_sum(%x) axes=[1] return %a, %b }");
    keeps({"cse"},
          "fn f(%x: f32[2]) -> (f32, f32) { %a: f32 = dot(%x, %x) lhs_contract=[0] rhs_contract=[0] lhs_batch=[] "
          "rhs_batch=[] precision=\"high\" %b: f32 = dot(%x, %x) lhs_contract=[0] rhs_contract=[0] lhs_batch=[] "
          "rhs_batch=[] return %a, %b }");
    keeps({"cse"}, "fn f() -> (f32, f32) { %a: f32 = constant() shape=[] dtype=f32 value=f32:0 %b: f32 = constant() "
                   "shape=[] dtype=f32 value=f32:-0 return %a, %b }");
}

TEST_CASE("effects are never merged") {
    keeps({"cse"}, "fn f(%x: f32) -> () { print(%x) text=\"a\" print(%x) text=\"a\" return }");
    keeps({"cse"}, "fn f(%x: f32) -> (f32, f32) {"
                   " %a: f32 = scan(%x) whole=0 carried=1 length=2 { (%i: i32, %x: f32) { print(%x) text=\"\" %y: f32 "
                   "= sin(%x) return %y } }"
                   " %b: f32 = scan(%x) whole=0 carried=1 length=2 { (%i: i32, %x: f32) { print(%x) text=\"\" %y: f32 "
                   "= sin(%x) return %y } } return %a, %b }");
}

TEST_CASE("loops with equal bodies are merged") {
    gives({"cse"},
          "fn f(%x: f32) -> (f32, f32) {"
          " %a: f32 = scan(%x) whole=0 carried=1 length=2 { (%i: i32, %x: f32) { %y: f32 = sin(%x) return %y } }"
          " %b: f32 = scan(%x) whole=0 carried=1 length=2 { (%i: i32, %x: f32) { %y: f32 = sin(%x) return %y } } "
          "return %a, %b }",
          "fn f(%x: f32) -> (f32, f32) {"
          " %a: f32 = scan(%x) whole=0 carried=1 length=2 { (%i: i32, %x: f32) { %y: f32 = sin(%x) return %y } } "
          "return %a, %a }");
    keeps({"cse"},
          "fn f(%x: f32) -> (f32, f32) {"
          " %a: f32 = scan(%x) whole=0 carried=1 length=2 { (%i: i32, %x: f32) { %y: f32 = sin(%x) return %y } }"
          " %b: f32 = scan(%x) whole=0 carried=1 length=2 { (%i: i32, %x: f32) { %y: f32 = cos(%x) return %y } } "
          "return %a, %b }");
}

TEST_CASE("equal instructions in a region are merged") {
    gives({"cse"},
          "fn f(%c: bool, %x: f32) -> (f32) { %r: f32 = if(%c, %x) { (%x: f32) { %a: f32 = sin(%x) %b: f32 = sin(%x) "
          "%r: f32 = add(%a, %b) return %r }"
          " (%x: f32) { return %x } } return %r }",
          "fn f(%c: bool, %x: f32) -> (f32) { %r: f32 = if(%c, %x) { (%x: f32) { %a: f32 = sin(%x) %r: f32 = add(%a, "
          "%a) return %r }"
          " (%x: f32) { return %x } } return %r }");
}
