// The arguments and results of programs for several processes of which a process has its own part only.
#include "compiler/plan/memory/division.hpp"
#include "tests/unit/plan/harness.hpp"

#include <doctest/doctest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

using namespace pm::plan;
using namespace pm::plan::testing;

namespace {

/// The divisions of the arguments and of the results of a plan for two processes with two devices each, and the number
/// of its meetings: "[[0, 2, 4]] [[]] 1".
std::string divisions(const std::string& text) {
    Options options;
    options.processes = 2;
    options.devices = 4;
    options.verify = true;
    Program p = planned(text, options);
    divide(p);
    verify(p, "divide");
    CHECK(print(read_program(print(p))) == print(p));
    int meetings = 0;
    for (const Step& s : p.steps) meetings += s.kind() == StepKind::meeting ? 1 : 0;
    return fmt::format("{} {} {}", p.argument_divisions, p.result_divisions, meetings);
}

/// A pmap over 4 slices f32[8] of one argument. `body` computes %2 from %0; `rest` follows, and sees the result as %1.
std::string mapped(std::string_view body, std::string_view rest = "", std::string_view results = "%1") {
    return fmt::format(R"(
fn f(%0: f32[4, 8]) -> (f32[4, 8]) {{
  %1: f32[4, 8] = pmap(%0) tiled=0 axis_id=1 axis_name="i" axis_size=4 in_axes=[0] out_axes=[0] {{
    (%0: f32[8]) {{
{}
      return %2
    }}
  }}
{}
  return {}
}})",
                       body, rest, results);
}

} // namespace

TEST_CASE("an array that lanes take and give slice by slice is divided") {
    CHECK(divisions(mapped("      %2: f32[8] = add(%0, %0)")) == "[[0, 2, 4]] [[0, 2, 4]] 0");
    // the collective reads a value of the lanes
    CHECK(divisions(mapped(R"(      %1: f32[8] = add(%0, %0)
      %2: f32[8] = psum(%1) axes=[1] axis_size=4 axis_name="i")")) == "[[0, 2, 4]] [[0, 2, 4]] 1");
    // the collective reads a copy of the argument, into which the meeting brings the values of the other lanes
    CHECK(divisions(mapped(R"(      %1: f32[8] = psum(%0) axes=[1] axis_size=4 axis_name="i"
      %2: f32[8] = add(%1, %0))")) == "[[0, 2, 4]] [[0, 2, 4]] 1");
}
TEST_CASE("an array that other steps read is whole") {
    // the result is read outside of the pmap
    CHECK(divisions(mapped("      %2: f32[8] = add(%0, %0)", "  %2: f32[4, 8] = neg(%1)", "%2")) ==
          "[[0, 2, 4]] [[]] 1");
    // the argument is read outside of the pmap
    CHECK(divisions(mapped("      %2: f32[8] = add(%0, %0)", "  %2: f32[4, 8] = add(%1, %0)", "%2")) == "[[]] [[]] 1");
}
