#include "golden.hpp"

using namespace pm;
using namespace pm::optimize;

namespace {

/// Checks that fold and dce change the body `body` to `due`.
void folds(const std::string& type, const std::string& body, const std::string& due) {
    gives({"fold", "dce"}, "fn f() -> (" + type + ") {" + body + " return %r }",
          "fn f() -> (" + type + ") {" + due + " return %r }");
}
std::string constant(const std::string& name, const std::string& dtype, const std::string& shape,
                     const std::string& value) {
    return " %" + name + ": " + dtype + (shape.empty() ? "" : "[" + shape + "]") + " = constant() shape=[" + shape +
           "] dtype=" + dtype + " value=" + dtype + ":" + value;
}

} // namespace

TEST_CASE("operations on constants are folded") {
    folds("f32", constant("a", "f32", "", "1.5") + constant("b", "f32", "", "2") + " %r: f32 = mul(%a, %b)",
          constant("r", "f32", "", "3"));
    folds("i32", constant("a", "i32", "", "7") + constant("b", "i32", "", "2") + " %r: i32 = div(%a, %b)",
          constant("r", "i32", "", "3"));
    folds("bool", constant("a", "f32", "", "nan") + " %r: bool = equal(%a, %a)", constant("r", "bool", "", "false"));
    folds("i32", constant("a", "f32", "", "1e30") + " %r: i32 = convert(%a) dtype=i32",
          constant("r", "i32", "", "2147483647"));
}

TEST_CASE("a large array of equal elements is folded as one element") {
    folds("f32[1000, 1000]",
          constant("a", "f32", "", "1.5") +
              " %b: f32[1000, 1000] = broadcast(%a) shape=[1000, 1000] dims=[] %r: f32[1000, 1000] = add(%b, %b)",
          constant("r", "f32", "1000, 1000", "3"));
    folds("f32[10]", constant("a", "f32", "5", "2") + " %r: f32[10] = concatenate(%a, %a) axis=0",
          constant("r", "f32", "10", "2"));
}

TEST_CASE("small arrays are computed, and stored as one element if all elements are equal") {
    folds("i32[3]", constant("a", "i32", "3", "[1, 2, 3]") + " %r: i32[3] = mul(%a, %a)",
          constant("r", "i32", "3", "[1, 4, 9]"));
    folds("i32[2]", constant("a", "i32", "2", "[1, 2]") + " %r: i32[2] = sub(%a, %a)", constant("r", "i32", "2", "0"));
    folds("i32", constant("a", "i32", "3", "[1, 2, 3]") + " %r: i32 = reduce_sum(%a) axes=[0]",
          constant("r", "i32", "", "6"));
    folds("f32[3]", constant("a", "f32", "3", "[1, 2, 3]") + " %r: f32[3] = reverse(%a) axes=[0]",
          constant("r", "f32", "3", "[3, 2, 1]"));
}

TEST_CASE("large arrays never become constants") {
    const std::string big =
        "fn f() -> (i32[600]) {" + constant("a", "i32", "2", "[1, 2]") +
        " %b: i32[300, 2] = broadcast(%a) shape=[300, 2] dims=[1] %r: i32[600] = reshape(%b) shape=[600] return %r }";
    keeps({"fold"}, big);
}

TEST_CASE("operations whose rounding depends on the implementation are not folded") {
    keeps({"fold"}, "fn f() -> (f32) {" + constant("a", "f32", "", "1") + " %r: f32 = exp(%a) return %r }");
    keeps({"fold"}, "fn f() -> (f32) {" + constant("a", "f32", "3", "[1, 2, 3]") +
                        " %r: f32 = reduce_sum(%a) axes=[0] return %r }");
}

TEST_CASE("an if whose condition is known is replaced by the branch") {
    gives({"fold", "dce"},
          "fn f(%x: f32, %y: f32) -> (f32) {" + constant("c", "bool", "", "true") +
              " %r: f32 = select(%c, %x, %y) return %r }",
          "fn f(%x: f32, %y: f32) -> (f32) { return %x }");
    const auto with = [](const char* value) {
        return "fn f(%x: f32) -> (f32) {" + constant("c", "bool", "", value) +
               " %r: f32 = if(%c, %x) { (%0: f32) { %1: f32 = sin(%0) return %1 } (%0: f32) { print(%0) text=\"\" "
               "return %0 } } return %r }";
    };
    gives({"fold", "dce"}, with("true"), "fn f(%x: f32) -> (f32) { %1: f32 = sin(%x) return %1 }");
    gives({"fold", "dce"}, with("false"), "fn f(%x: f32) -> (f32) { print(%x) text=\"\" return %x }");
}

TEST_CASE("loops without iterations are removed") {
    gives({"fold", "dce"},
          "fn f(%w: f32, %x: f32, %s: i32[0]) -> (f32, f32[0, 2]) { %a: f32, %b: f32[0, 2] = scan(%w, %x, %s) whole=1 "
          "carried=1 length=0 {"
          " (%i: i32, %w: f32, %x: f32, %s: i32) { %1: f32 = add(%x, %w) %2: f32[2] = broadcast(%1) shape=[2] dims=[] "
          "return %1, %2 } } return %a, %b }",
          "fn f(%w: f32, %x: f32, %s: i32[0]) -> (f32, f32[0, 2]) {" + constant("b", "f32", "0, 2", "0") +
              " return %x, %b }");
    gives({"fold"},
          "fn f(%w: f32, %x: f32) -> (f32) { %a: f32 = while(%w, %x) whole=1 carried=1 { (%w: f32, %x: f32) {" +
              constant("c", "bool", "", "false") +
              " return %c } (%w: f32, %x: f32) { %1: f32 = add(%x, %w) return %1 } } return %a }",
          "fn f(%w: f32, %x: f32) -> (f32) { return %x }");
}

TEST_CASE("checks of true conditions are removed") {
    const auto checked = [](const std::string& ok) {
        return "fn f(%x: i32) -> (i32) {" + ok + " check(%c) text=\"no\" %r: i32 = add(%x, %x) return %r }";
    };
    gives({"fold", "dce"}, checked(constant("c", "bool", "3", "true")),
          "fn f(%x: i32) -> (i32) { %r: i32 = add(%x, %x) return %r }");
    keeps({"fold"}, checked(constant("c", "bool", "", "false")));
    keeps({"fold"}, checked(constant("c", "bool", "2", "[true, false]")));
}
