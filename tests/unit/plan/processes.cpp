// The meetings in programs for several processes.
#include "tests/unit/plan/harness.hpp"

#include <doctest/doctest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

using namespace pm::plan;
using namespace pm::plan::testing;

namespace {

void collect(const Steps& steps, std::vector<std::string>& made) {
    constexpr const char* works[] = {"gather", "tapes", "send", "parts", "share"};
    for (const Step& s : steps) {
        if (s.kind() == StepKind::meeting) {
            const auto& meeting = s.as<MeetingStep>();
            made.push_back(
                fmt::format("{} {} {}", works[static_cast<int>(meeting.work)], meeting.lanes, meeting.first));
        }
        for (const Steps& child : s.children) collect(child, made);
    }
}

/// The meetings of the plan for `processes` processes with `devices` devices in all: "gather 4 [0, 2, 4]".
std::vector<std::string> meetings(const std::string& text, int processes, int devices) {
    Options options;
    options.processes = processes;
    options.devices = devices;
    options.verify = true;
    const Program p = planned(text, options);
    CHECK(print(read_program(print(p))) == print(p));
    std::vector<std::string> made;
    collect(p.steps, made);
    return made;
}

/// A pmap over 4 slices f32[n]. `body` computes %1 and %2 from %0; %2 is the result.
std::string mapped(int n, std::string_view body, std::string_view attributes = "") {
    return fmt::format(R"(
fn f(%0: f32[4, {0}]) -> (f32[4, {0}]) {{
  %1: f32[4, {0}] = pmap(%0) tiled=0 axis_id=1 axis_name="i" axis_size=4 {2} in_axes=[0] out_axes=[0] {{
    (%0: f32[{0}]) {{
{1}
      return %2
    }}
  }}
  return %1
}})",
                       n, body, attributes);
}

using Texts = std::vector<std::string>;

} // namespace

TEST_CASE("processes: a program of one process has no meetings, and no division of lanes") {
    const std::string text = mapped(3, "      %1: f32[3] = exp(%0)\n      %2: f32[3] = psum(%1) axes=[1] axis_size=4");
    CHECK(meetings(text, 1, 4).empty());
    Options options;
    options.devices = 4;
    CHECK(print(planned(text, options)).find("lanes [] iterations=4") != std::string::npos);
}

TEST_CASE("processes: the operand of a sum is brought to all, and so is a result that the driver returns") {
    const std::string text = mapped(
        3,
        "      %1: f32[3] = exp(%0)\n      %3: f32[3] = psum(%1) axes=[1] axis_size=4\n      %2: f32[3] = mul(%3, %0)");
    CHECK(meetings(text, 2, 4) == Texts{"gather 4 [0, 2, 4]", "gather 4 [0, 2, 4]"});
    CHECK(meetings(text, 4, 4) == Texts{"gather 4 [0, 1, 2, 3, 4]", "gather 4 [0, 1, 2, 3, 4]"});
    CHECK(meetings(text, 4, 8) == Texts{"gather 4 [0, 2, 4, 4, 4]", "gather 4 [0, 2, 4, 4, 4]"}); // idle processes
    CHECK(meetings(text, 2, 2) == Texts{"gather 2 [0, 1, 2]", "gather 2 [0, 1, 2]"});
}

TEST_CASE("processes: a large sum is computed by parts") {
    const std::string text = mapped(5000, "      %1: f32[5000] = exp(%0)\n      %3: f32[5000] = psum(%1) axes=[1] "
                                          "axis_size=4\n      %2: f32[5000] = mul(%3, %0)");
    CHECK(meetings(text, 2, 4) == Texts{"parts 4 [0, 2, 4]", "share 4 [0, 2, 4]", "gather 4 [0, 2, 4]"});
}

TEST_CASE("processes: a value from outside of the pmap is on all processes, but an argument may be divided") {
    const std::string text =
        mapped(3, "      %1: f32[3] = psum(%0) axes=[1] axis_size=4\n      %2: f32[3] = mul(%1, %0)");
    CHECK(meetings(text, 2, 4) == Texts{"gather 4 [0, 2, 4]", "gather 4 [0, 2, 4]"});
}

TEST_CASE("processes: values that move are sent to their receivers") {
    const auto moved = [](std::string_view first, std::string_view second) {
        return mapped(4, fmt::format("      %1: f32[4] = exp(%0)\n      %3: f32[4] = {}\n      %4: f32[4] = {}\n"
                                     "      %2: f32[4] = add(%3, %4)",
                                     first, second));
    };
    const std::string permuted = "ppermute({}) axes=[1] axis_size=4 pairs=[0, 1, 1, 2]";
    const auto permute = [&](std::string_view x) { return fmt::format(fmt::runtime(permuted), x); };
    const std::string sent = "send 4 [0, 2, 4]", gather = "gather 4 [0, 2, 4]";
    CHECK(meetings(moved(permute("%1"), "neg(%1)"), 2, 4) == Texts{sent, gather});
    CHECK(meetings(moved("all_to_all(%1) axes=[1] axis_size=4 split_axis=0 concat_axis=0", "neg(%1)"), 2, 4) ==
          Texts{sent, gather});
    // two values in one meeting, but not a value that the first one brings
    const std::string both = mapped(4, fmt::format("      %1: f32[4] = exp(%0)\n      %3: f32[4] = tanh(%0)\n"
                                                   "      %4: f32[4] = {}\n      %5: f32[4] = {}\n"
                                                   "      %2: f32[4] = add(%4, %5)",
                                                   permute("%1"), permute("%3")));
    CHECK(meetings(both, 2, 4) == Texts{sent, gather});
    CHECK(meetings(moved(permute("%1"), permute("%3")), 2, 4) == Texts{sent, sent, gather});
}

TEST_CASE("processes: lanes are divided by the devices of the pmap, or evenly if their order prevents it") {
    const std::string body = "      %1: f32[3] = exp(%0)\n      %2: f32[3] = tanh(%1)";
    CHECK(meetings(mapped(3, body, "devices=[1, 2, 3, 4]"), 2, 8) == Texts{"gather 4 [0, 3, 4]"});
    CHECK(meetings(mapped(3, body, "devices=[7, 0, 1, 2]"), 2, 8) == Texts{"gather 4 [0, 2, 4]"});
}

TEST_CASE("processes: a result that only the same lanes read is not brought to the others") {
    const auto two = [](std::string_view between, int slices) {
        return fmt::format(R"(
fn f(%0: f32[4, 3]) -> (f32[{1}, 3]) {{
  %1: f32[4, 3] = pmap(%0) tiled=0 axis_id=1 axis_name="i" axis_size=4 in_axes=[0] out_axes=[0] {{
    (%0: f32[3]) {{
      %1: f32[3] = exp(%0)
      return %1
    }}
  }}
  {0}
  %3: f32[{1}, 3] = pmap(%2) tiled=0 axis_id=2 axis_name="j" axis_size={1} in_axes=[0] out_axes=[0] {{
    (%0: f32[3]) {{
      %1: f32[3] = tanh(%0)
      return %1
    }}
  }}
  return %3
}})",
                           between, slices);
    };
    CHECK(meetings(two("%2: f32[4, 3] = reshape(%1) shape=[4, 3]", 4), 2, 4) == Texts{"gather 4 [0, 2, 4]"});
    CHECK(meetings(two("%2: f32[4, 3] = neg(%1)", 4), 2, 4) == Texts{"gather 4 [0, 2, 4]", "gather 4 [0, 2, 4]"});
    CHECK(meetings(two("%2: f32[2, 3] = slice(%1) start=[0, 0] limit=[2, 3] stride=[1, 1]", 2), 2, 4) ==
          Texts{"gather 4 [0, 2, 4]", "gather 2 [0, 2, 2]"});
}
