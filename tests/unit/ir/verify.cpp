#include "compiler/ir/verify.hpp"
#include "compiler/ir/text.hpp"

#include <doctest/doctest.h>

using namespace pm;
using namespace pm::ir;

namespace {

/// A type rule that is sufficient for these tests: the type of the first operand, but bool for comparisons.
std::vector<Type> like_first(const Inst& inst, const std::vector<Type>& in) {
    if (inst.op == Op::constant) return {{inst.attrs.dtype(Attr::dtype), {}}};
    if (info(inst.op).has(effect)) return {};
    return {info(inst.op).has(boolean) ? Type{DType::b1, in[0].shape} : in[0]};
}

std::string failure(const Block& block) {
    try {
        verify(block, like_first, "cse");
    } catch (const InternalError& error) {
        return error.what();
    }
    return "valid";
}
std::string failure(std::string_view text) { return failure(*read(text)); }

void fails_with(const std::string& text, const std::string& part) {
    const std::string what = failure(text);
    CHECK_MESSAGE(what.find(part) != std::string::npos, what);
}

const std::string head = "fn f(%0: f32, %1: bool, %2: f32[3]) -> () {\n";

} // namespace

TEST_CASE("valid blocks pass") {
    CHECK(failure(head + "%3: f32 = sin(%0) print(%3) text=\"{}\" return }") == "valid");
    CHECK(failure(head + "%3: f32 = if(%1, %0) { (%0: f32) { return %0 } (%0: f32) { return %0 } } return }") ==
          "valid");
    CHECK(failure(
              head +
              "%3: f32 = while(%2, %0) whole=1 carried=1 { (%0: f32[3], %1: f32) { %2: bool = less(%1, %1) return %2 }"
              " (%0: f32[3], %1: f32) { return %1 } } return }") == "valid");
    CHECK(
        failure(
            head +
            "%3: f32, %4: f32[3] = scan(%1, %0, %2) whole=1 carried=1 length=3 { (%0: i32, %1: bool, %2: f32, %3: f32)"
            " { return %2, %3 } } return }") == "valid");
    CHECK(failure(head + "%3: f32[3], %4: f32 = pmap(%2, %0) axis_id=1 axis_name=\"i\" axis_size=3 in_axes=[0, -1] "
                         "out_axes=[0, -1] tiled=0"
                         " { (%0: f32, %1: f32) { return %0, %1 } } return }") == "valid");
}

TEST_CASE("the message of an invalid block names the pass, the block and the instruction") {
    CHECK(failure(head + "%3: f64 = sin(%0) return }") ==
          "after cse: invalid IR in `f`: result 0 must have type f32\n  in %3: f64 = sin(%0: f32)");
}

TEST_CASE("invalid instructions are found") {
    fails_with(head + "%3: f32 = add(%0) return }", "2 operands are due, here are 1");
    fails_with(head + "%3: f32, %4: f32 = sin(%0) return }", "1 results are due, here are 2");
    fails_with(head + "%3: f32 = constant() return }", "no attribute dtype");
    fails_with(head + "%3: f32 = if(%0, %0) { (%0: f32) { return %0 } (%0: f32) { return %0 } } return }",
               "the condition is a bool scalar");
    fails_with(head + "%3: f32 = if(%1, %0) { (%0: f32) { return %0 } } return }", "number of regions");
    fails_with(head + "%3: f32 = if(%1, %0) { (%0: f32) { return %0 } (%0: f32) { return } } return }",
               "both sides give the same types");
    fails_with(head +
                   "%3: f32 = while(%0) whole=0 carried=1 { (%0: f32) { return %0 } (%0: f32) { return %0 } } return }",
               "condition");
    fails_with(head +
                   "%3: f32 = while(%0) whole=0 carried=1 { (%0: f32) { %1: bool = less(%0, %0) return %1 } (%0: f32) "
                   "{ %1: bool = less(%0, %0) return %1 } } return }",
               "the body gives what is carried");
    fails_with(head + "%3: f32 = while(%0) whole=0 carried=2 { } return }", "number of regions");
    fails_with(head + "%3: f32 = scan(%0) whole=0 carried=1 { (%0: i32, %1: f32) { return %1 } } return }",
               "no attribute length");
    fails_with(head + "%3: f32[4] = scan(%2) whole=0 carried=0 length=4 { (%0: i32, %1: f32) { return %1 } } return }",
               "axis 0 of what is sliced");
    fails_with(head + "%3: f32[3] = scan(%2) whole=0 carried=0 length=3 { (%0: f32) { return %0 } } return }",
               "parameters of the body");
    fails_with(head + "%3: f32[3] = pmap(%2) axis_id=0 axis_name=\"i\" axis_size=2 in_axes=[0] out_axes=[0] { (%0: "
                      "f32) { return %0 } } return }",
               "size of a mapped axis");
    fails_with("fn @g(%0: f32) -> () { return } fn f(%0: f64) -> () { call(%0) @g return }", "the callee's parameters");
    // If the error is inside of a region, the message shows the instruction of the region.
    fails_with(
        head + "%3: f32 = if(%1, %0) { (%0: f32) { %1: f32 = add(%0) return %1 } (%0: f32) { return %0 } } return }",
        "add(%0: f32)");
}

TEST_CASE("values must be defined once, and before their first use") {
    const Type f32{DType::f32, {}};
    Block block;
    block.values = {f32, f32};
    block.params = {{0}};
    block.results = {{1}};
    CHECK(failure(block).find("result 0 of the block is not defined") != std::string::npos);
    Inst inst;
    inst.op = Op::sin;
    inst.operands = {{1}};
    inst.results = {{1}};
    block.insts = {inst};
    CHECK(failure(block).find("operand 0 is not defined before") != std::string::npos);
    block.insts[0].operands = {{0}};
    CHECK(failure(block) == "valid");
    block.insts.push_back(block.insts[0]);
    CHECK(failure(block).find("defined twice") != std::string::npos);
    block.insts = {inst};
    block.insts[0].operands = {{7}};
    CHECK(failure(block).find("operand 0 is not defined before") != std::string::npos);
    CHECK(print(block).find("sin(%?)") != std::string::npos); // an invalid block can be printed, for the message
}
