#include "compiler/base/diagnostic.hpp"
#include "compiler/ir/text.hpp"
#include "compiler/transform/core/transform.hpp"

#include <doctest/doctest.h>

using namespace pm;
using namespace pm::transform;

namespace {

/// The axis sets of the results of a block, for the axes 7 (bit 1) and 8 (bit 2). `%x` varies along 7, `%y` along 8,
/// `%u` along neither.
std::vector<AxisSet> results(const std::string& returned, const std::string& body) {
    const BlockPtr block = ir::read("fn f(%x: f32, %y: f32, %u: f32) -> (" + returned + ") { " + body + " }");
    return varies(*block, {7, 8}, {1, 2, 0}).results;
}
using Sets = std::vector<AxisSet>;

/// Gives every instruction a separate span, numbered in the order of the text. An instruction precedes the instructions
/// in its regions.
BlockPtr with_places(const BlockPtr& block, std::uint32_t& next) {
    auto made = std::make_shared<ir::Block>(*block);
    for (ir::Inst& inst : made->insts) {
        inst.place.span = {1, next, next + 1};
        ++next;
        for (BlockPtr& region : inst.regions) region = with_places(region, next);
    }
    return made;
}

Diagnostic refusal_of(const std::string& body) {
    std::uint32_t next = 0;
    const BlockPtr block = with_places(ir::read("fn f(%x: f32, %y: f32, %u: f32) -> (f32) { " + body + " }"), next);
    try {
        varies(*block, {7, 8}, {1, 2, 0});
    } catch (const Error& error) {
        return error.diagnostic();
    }
    return {};
}

} // namespace

TEST_CASE("values vary along the axes of their operands") {
    CHECK(results("f32, f32, f32", "%a: f32 = add(%x, %y) %b: f32 = sin(%u) %k: f32 = constant() shape=[] dtype=f32 "
                                   "value=f32:1 return %a, %b, %k") == Sets{3, 0, 0});
}

TEST_CASE("a reduction removes its axes, an axis index adds its axis, a permutation varies") {
    CHECK(results("f32, f32", "%a: f32 = add(%x, %y) %b: f32 = psum(%a) axes=[7] axis_size=4 %c: f32 = pmax(%a) "
                              "axes=[7, 8] axis_size=8 return %b, %c") == Sets{2, 0});
    CHECK(results("f32[4]", "%a: f32[4] = all_gather(%x) axis=0 axes=[7] axis_size=4 return %a") == Sets{0});
    CHECK(results("i32", "%a: i32 = axis_index() axis_id=8 return %a") == Sets{2});
    CHECK(results("i32", "%a: i32 = axis_index() axis_id=9 return %a") == Sets{0}); // an axis that is not asked about
    CHECK(results("f32", "%a: f32 = ppermute(%u) axes=[7] axis_size=2 pairs=[0, 1] return %a") == Sets{1});
}

TEST_CASE("the results of an if vary with its condition") {
    CHECK(results("f32, f32", "%c: bool = less(%x, %u) %a: f32, %b: f32 = if(%c, %u, %y) { (%u: f32, %y: f32) { return "
                              "%u, %y } (%u: f32, %y: f32) { return %u, %u } }"
                              " return %a, %b") == Sets{1, 3});
}

TEST_CASE("the axis sets of carried values are a fixed point of the loop") {
    // %b gets the set of %a in the second iteration, %c that of %b in the third.
    CHECK(results("f32, f32, f32", "%a: f32, %b: f32, %c: f32 = scan(%x, %u, %u) whole=0 carried=3 length=9 { (%i: "
                                   "i32, %a: f32, %b: f32, %c: f32) {"
                                   " return %a, %a, %b } } return %a, %b, %c") == Sets{1, 1, 1});
    CHECK(results("f32, i32[9]",
                  "%a: f32, %b: i32[9] = scan(%x, %y) whole=1 carried=1 length=9 { (%i: i32, %x: f32, %a: f32) {"
                  " %s: f32 = psum(%x) axes=[7] axis_size=4 %t: f32 = add(%s, %a) return %t, %i } } return %a, %b") ==
          Sets{2, 0});
    // If devices have different trip counts, they have different results.
    CHECK(results("f32, f32", "%a: f32, %b: f32 = while(%x, %u) whole=0 carried=2 { (%a: f32, %b: f32) { %c: bool = "
                              "less(%a, %b) return %c }"
                              " (%a: f32, %b: f32) { %n: f32 = sin(%b) return %a, %n } } return %a, %b") == Sets{1, 1});
}

namespace {

/// A scan of `length` iterations with three carried values. The initial values are %x, %y and %u.
std::string carrying(int length, const std::string& body) {
    return "%a: f32, %b: f32, %c: f32 = scan(%x, %y, %u) whole=0 carried=3 length=" + std::to_string(length) +
           " { (%i: i32, %a: f32, %b: f32, %c: f32) { %s: f32 = psum(%a) axes=[7] axis_size=4 " + body +
           " } } return %a, %b, %c";
}

} // namespace

TEST_CASE("axes along which only initial values vary are removed after a known number of iterations") {
    const std::string three = "f32, f32, f32";
    const std::string settled = "return %s, %b, %c";
    CHECK(results(three, carrying(0, settled)) == Sets{1, 2, 0});
    CHECK(results(three, carrying(1, settled)) == Sets{0, 2, 0});
    CHECK(results(three, carrying(9, settled)) == Sets{0, 2, 0});
    // In each iteration the initial values move to the next carried value.
    const std::string unchanged = "return %b, %c, %s";
    CHECK(results(three, carrying(1, unchanged)) == Sets{2, 2, 2});
    CHECK(results(three, carrying(2, unchanged)) == Sets{2, 2, 2});
    const std::string exchanged = "return %s, %a, %b";
    CHECK(results(three, carrying(1, exchanged)) == Sets{0, 1, 3});
    CHECK(results(three, carrying(2, exchanged)) == Sets{0, 0, 1});
    CHECK(results(three, carrying(3, exchanged)) == Sets{0, 0, 0});
    CHECK(results(three, carrying(9, exchanged)) == Sets{0, 0, 0});
    // The result varies along the axis if the carried value depends on its initial value in every iteration.
    CHECK(results(three, carrying(9, "%t: f32 = add(%s, %a) return %t, %b, %c")) == Sets{1, 2, 0});
    // A stacked output includes the value of the first iteration, so it varies.
    CHECK(results("f32, f32[9], f32[9]",
                  "%a: f32, %b: f32[9], %c: f32[9] = scan(%x) whole=0 carried=1 length=9 { (%i: i32, %a: f32) { %s: "
                  "f32 = psum(%a) axes=[7] axis_size=4 return %s, %a, %s } } return %a, %b, %c") == Sets{0, 1, 0});
    // The inner loop starts with %x in each iteration of the outer loop, so it has the same result each time.
    CHECK(results("f32", "%z: f32 = scan(%x, %u) whole=1 carried=1 length=5 { (%i: i32, %x: f32, %z: f32) {"
                         " %y: f32 = scan(%x) whole=0 carried=1 length=3 { (%i: i32, %y: f32) { %s: f32 = psum(%y) "
                         "axes=[7] axis_size=4 return %s } }"
                         " %t: f32 = add(%z, %y) return %t } } return %z") == Sets{0});
    // No iteration of a `while` is known to run.
    CHECK(results("f32, f32",
                  "%a: f32, %b: f32 = while(%x, %u) whole=0 carried=2 { (%a: f32, %b: f32) { %c: bool = less(%b, %b) "
                  "return %c } (%a: f32, %b: f32) { %s: f32 = psum(%a) axes=[7] axis_size=4 return %s, %b } } return "
                  "%a, %b") == Sets{1, 0});
}

TEST_CASE("the axis sets that carried values have in any iteration are returned, in addition to those of the results") {
    const BlockPtr block =
        ir::read("fn f(%x: f32, %y: f32, %u: f32) -> (f32, f32, f32) { " + carrying(9, "return %s, %b, %c") + " }");
    const Varies found = varies(*block, {7, 8}, {1, 2, 0});
    const std::vector<ir::Value>& made = block->insts.front().results;
    CHECK(found.carried == std::map<std::uint32_t, AxisSet>{{made[0].id, 1}, {made[1].id, 2}, {made[2].id, 0}});
    CHECK(found.results == Sets{0, 2, 0});
}

TEST_CASE("a condition in a loop must be equal on all devices in every iteration, also in the first") {
    const std::string body =
        "%r: f32 = scan(%x, %y) whole=1 carried=1 length=3 { (%i: i32, %w: f32, %y: f32) { %c: bool = less(%y, %y)"
        " %t: f32 = if(%c, %w) { (%w: f32) { %s: f32 = psum(%w) axes=[8] axis_size=4 return %s }"
        " (%w: f32) { return %w } } %p: f32 = psum(%t) axes=[8] axis_size=4 return %p } } return %r";
    CHECK(refusal_of(body).id == Diag::divergent_collective);
    // After the loop the value is equal on all devices.
    CHECK(refusal_of("%r: f32 = scan(%x) whole=0 carried=1 length=3 { (%i: i32, %x: f32) { %s: f32 = psum(%x) axes=[7] "
                     "axis_size=4 return %s } } %c: bool = less(%r, %u) %t: f32 = if(%c, %x) { (%x: f32) { %s: f32 = "
                     "psum(%x) axes=[7] axis_size=4 return %s } (%x: f32) { return %x } } return %t")
              .message.empty());
}

TEST_CASE("callees and nested pmap") {
    CHECK(varies(*ir::read("fn @g(%a: f32, %b: f32) -> (f32, f32) { return %b, %a }\n"
                           "fn f(%x: f32, %y: f32) -> (f32, f32) { %a: f32, %b: f32 = call(%x, %y) @g return %a, %b }"),
                 {7, 8}, {1, 2})
              .results == Sets{2, 1});
    CHECK(varies(*ir::read("fn f(%x: f32[4], %y: f32) -> (f32[4], f32) { %a: f32[4], %b: f32 = pmap(%x, %y) axis_id=9 "
                           "axis_name=\"j\" axis_size=4 in_axes=[0, -1]"
                           " out_axes=[0, -1] { (%x: f32, %y: f32) { %s: f32 = psum(%x) axes=[9] axis_size=4 %t: f32 = "
                           "psum(%y) axes=[7] axis_size=4 return %x, %t } } return %a, %b }"),
                 {7}, {0, 1})
              .results == Sets{0, 0});
}

TEST_CASE("a collective in a branch that devices may not all take is refused; the error has both locations") {
    const Diagnostic d = refusal_of("%c: bool = less(%x, %u) %r: f32 = if(%c, %y) { (%y: f32) { %s: f32 = psum(%y) "
                                    "axes=[8, 7] axis_size=4 return %s } (%y: f32) { return %y } } return %r");
    CHECK(info(d.id).code == "PM0320");
    CHECK(d.message == "`psum` is in a branch that devices may not all take; the program could hang");
    CHECK(d.span.begin == 2);
    REQUIRE(d.labels.size() == 1);
    CHECK(d.labels[0].span.begin == 0);
    CHECK(d.labels[0].text == "differs per device");
    CHECK(d.help.size() == 2);
}

TEST_CASE("a collective in a callee or inner loop is also refused if devices may not all reach it") {
    std::uint32_t next = 0;
    const BlockPtr block =
        with_places(ir::read("fn @g(%x: f32) -> (f32) { %s: f32 = psum(%x) axes=[7] axis_size=4 return %s }\n"
                             "fn f(%x: f32) -> (f32) { %c: bool = less(%x, %x) %r: f32 = if(%c, %x) { (%x: f32) {"
                             " %t: f32 = scan(%x) whole=0 carried=1 length=2 { (%i: i32, %x: f32) { %1: f32 = call(%x) "
                             "@g return %1 } } return %t }"
                             " (%x: f32) { return %x } } return %r }"),
                    next);
    CHECK_THROWS_AS(varies(*block, {7}, {1}), Error);
    CHECK(varies(*block, {7}, {0}).results == Sets{0});
}

TEST_CASE("a collective in a loop or its condition is refused if trip counts may differ") {
    const std::string body =
        "%r: f32, %v: f32 = while(%x, %u) whole=0 carried=2 { (%a: f32, %b: f32) { %c: bool = less(%a, %b) return %c }"
        " (%a: f32, %b: f32) { %s: f32 = psum(%b) axes=[7] axis_size=4 return %a, %s } } return %r";
    const Diagnostic d = refusal_of(body);
    CHECK(d.message == "`psum` is in a loop that devices may not all run equally often; the program could hang");
    CHECK(d.span.begin == 2);
    REQUIRE(d.labels.size() == 1);
    CHECK(d.labels[0].span.begin == 1);
    CHECK(refusal_of("%r: f32 = while(%x) whole=0 carried=1 { (%a: f32) { %s: f32 = psum(%a) axes=[7] axis_size=4 %c: "
                     "bool = less(%a, %s) return %c }"
                     " (%a: f32) { %s: f32 = sin(%a) return %s } } return %r")
              .id == Diag::divergent_collective);
}

TEST_CASE("collectives that all devices reach are allowed") {
    CHECK(
        refusal_of("%c: bool = less(%y, %u) %r: f32 = if(%c, %x) { (%x: f32) { %s: f32 = psum(%x) axes=[7] axis_size=4 "
                   "return %s } (%x: f32) { return %x } } return %r")
            .message.empty());
    CHECK(refusal_of(
              "%m: f32 = pmax(%x) axes=[7] axis_size=4 %c: bool = less(%m, %u)"
              " %r: f32 = if(%c, %x) { (%x: f32) { %s: f32 = psum(%x) axes=[7] axis_size=4 return %s } (%x: f32) { "
              "return %x } } return %r")
              .message.empty());
    CHECK(
        refusal_of("%c: bool = less(%x, %u) %r: i32 = if(%c) { () { %s: i32 = axis_index() axis_id=7 return %s } () { "
                   "%s: i32 = axis_index() axis_id=7 return %s } } return %x")
            .message.empty());
    CHECK(
        refusal_of("%r: f32 = while(%x) whole=0 carried=1 { (%a: f32) { %s: f32 = psum(%a) axes=[7] axis_size=4 %c: "
                   "bool = less(%s, %s) return %c }"
                   " (%a: f32) { %s: f32 = psum(%a) axes=[7] axis_size=4 %t: f32 = add(%a, %s) return %t } } return %r")
            .message.empty());
}
