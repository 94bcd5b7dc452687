#include "runtime/gpu/device/thread.h"
#include "tests/unit/codegen/harness.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <memory>
#include <regex>
#include <thread>
#include <tuple>

using namespace pm;
using namespace pm::codegen::test;

namespace {

/// A launch in the code of a program: the maximal number of blocks, and the kind of barrier
/// (runtime/gpu/device/thread.h).
struct Launch {
    int blocks;
    int sync;
    bool operator==(const Launch&) const = default;
};
std::vector<Launch> launches(const plan::Program& program) {
    plan::verify(program, "test");
    const std::string text = gpu().llvm_text(program, false);
    static const std::regex call(R"(call void @pm_gpu_launch\(ptr [^,]+, i64 \d+, i64 (\d+), i64 \d+, i64 (\d),)");
    std::vector<Launch> found;
    for (std::sregex_iterator i(text.begin(), text.end(), call), end; i != end; ++i)
        found.push_back({std::stoi((*i)[1]), std::stoi((*i)[2])});
    return found;
}

Outcome run_on_gpu(const plan::Program& program, const std::vector<Array>& arguments,
                   runtime::CallOptions options = {}) {
    plan::verify(program, "test");
    return run_code(program, *gpu().compile(program), arguments, 1, std::move(options));
}

/// A program that doubles all elements while their sum is less than `limit`, and returns the elements and the trip
/// count. The body of the loop also contains `more`.
plan::Program doubling(std::int64_t elements, float limit, const std::string& more = "") {
    const std::string condition = fmt::format(R"(
      nest [3, 1]
        nest "less" (b0: written bool, b1: f32) grid=[] {{
          stage loops=[{}] order=lanes block=16384 {{
            %0: f32 = load b1[i0]
            %1: f32 = reduce add(%0)
          }}
          stage loops=[] order=lanes block=0 {{
            %2: f32 = constant {:#x}
            %3: bool = less(%1, %2)
            store b0[0] = %3
          }}
        }}
)",
                                              elements, std::bit_cast<std::uint32_t>(limit));
    const std::string body = fmt::format(R"(
      nest [1]
        nest "double" (b0: written f32) grid=[{}] {{
          stage loops=[] order=lanes block=0 {{
            %0: f32 = load b0[i0]
            %1: f32 = add(%0, %0)
            store b0[i0] = %1
          }}
        }}
      nest [2]
        nest "count" (b0: written i32) grid=[] {{
          stage loops=[] order=lanes block=0 {{
            %0: i32 = load b0[0]
            %1: i32 = constant 0x1
            %2: i32 = add(%0, %1)
            store b0[0] = %2
          }}
        }}
)",
                                         elements);
    return plan::read_program(fmt::format(R"(program "doubling" arena=64 {{
  buffer 0: f32[{0}] argument 0
  buffer 1: f32[{0}] result 0
  buffer 2: i32[] result 1
  buffer 3: bool[] arena +0
  arguments=[0] results=[1, 2] forwarded=[-1, -1]
  steps {{
    copy [0, 1]
    while [3] {{ {1} }} {{ {2} {3}
      poll []
    }}
  }}
}}
)",
                                          elements, condition, body, more));
}

} // namespace

TEST_CASE("a while of nests is one launch, with one block if one block is enough") {
    const auto few = doubling(100, 1000);
    CHECK(launches(few) == std::vector<Launch>{{1, PM_SYNC_NONE}, {1, PM_SYNC_GRID_AND_POLL}});
    const auto many = doubling(20'000, 1e6);
    CHECK(launches(many) == std::vector<Launch>{{79, PM_SYNC_NONE}, {79, PM_SYNC_GRID_AND_POLL}});
    for (const auto& [program, elements, due] : {std::tuple{&few, 100, 4}, std::tuple{&many, 20'000, 6}}) {
        const auto outcome =
            run_on_gpu(*program, {Array::from_values(DType::f32, {elements}, std::vector<float>(elements, 1))});
        REQUIRE(outcome.call);
        CHECK(outcome.results[0].as<float>()[elements - 1] == static_cast<float>(1 << due));
        CHECK(outcome.results[1].as<std::int32_t>()[0] == due);
    }
}

TEST_CASE("loops with large steps or with a step that is not a kernel run on the host") {
    const auto large = doubling(200'000'000, 1e9);
    CHECK(launches(large).size() == 4);
    auto printing = doubling(100, 1000, "print [] site=0");
    printing.sites.push_back({plan::SiteKind::print, {}, "", {}, {}});
    CHECK(launches(printing).size() == 4);
}

TEST_CASE("an endless while ends when the host cancels the call") {
    for (const std::int64_t elements : {10, 20'000}) {
        const auto program = doubling(elements, 1); // the sum of zeros never reaches the limit
        const auto cancel = std::make_shared<std::atomic<bool>>(false);
        runtime::CallOptions options;
        options.cancel = cancel;
        const std::jthread host([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            *cancel = true;
        });
        const auto outcome = run_on_gpu(program, {Array::zeros(DType::f32, {elements})}, options);
        CHECK(outcome.call.status == runtime::CallStatus::cancelled);
    }
}

TEST_CASE("the index of a loop is in a register, and for steps other than nests also in memory") {
    const std::string add = R"(
      nest [1, 2]
        nest "add" (b0: written i32, b1: i32) grid=[] {
          stage loops=[] order=lanes block=0 {
            %0: i32 = load b0[0]
            %1: i32 = load b1[0]
            %2: i32 = add(%0, %1)
            store b0[0] = %2
          }
        }
)";
    for (const bool copied : {false, true}) {
        const auto program = plan::read_program(R"(program "sum" arena=64 {
  buffer 0: bool[] argument 0
  buffer 1: i32[] result 0
  buffer 2: i32[] arena +0
  buffer 3: i32[] result 1 loop(0)*4
  buffer 4: i32[5] result 1
  arguments=[0] results=[1, 4] forwarded=[-1, -1]
  steps {
    loop [2] id=0 iterations=5 reverse {)" + add +
                                                (copied ? "copy [2, 3]" : "") +
                                                R"(
      poll []
    }
  }
}
)");
        CHECK(launches(program).size() == 1);
        const auto outcome = run_on_gpu(program, {Array::scalar(DType::b1, 0)});
        REQUIRE(outcome.call);
        CHECK(outcome.results[0].as<std::int32_t>()[0] == 10);
        const std::vector<std::int32_t> due =
            copied ? std::vector<std::int32_t>{0, 1, 2, 3, 4} : std::vector<std::int32_t>(5, 0);
        CHECK(values<std::int32_t>(outcome.results[1]) == due);
    }
}

TEST_CASE("a failed check ends a kernel in the same iteration, and shows the values of this iteration") {
    // In iteration k of the outer and l of the inner loop, the check fails if 8 k + l is the argument. The check shows
    // this number, whose address depends on both loops, and the count of iterations, which each iteration overwrites.
    for (const std::int64_t elements : {1, 20'000}) { // one block, or several
        auto program = plan::read_program(fmt::format(R"(program "checked" arena=64 {{
  buffer 0: i32[] argument 0
  buffer 1: i32[{0}] result 0
  buffer 2: i32[] result 1
  buffer 3: i32[] arena +0
  buffer 4: i32[] arena +4
  buffer 5: bool[] arena +8
  buffer 6: i32[] result 2 loop(0)*32 loop(1)*4
  buffer 7: i32[64] result 2
  arguments=[0] results=[1, 2, 7] forwarded=[-1, -1, -1]
  steps {{
    loop [3] id=0 iterations=8 {{
      loop [4] id=1 iterations=8 reverse {{
        nest [5, 6, 3, 4, 0]
          nest "differ" (b0: written bool, b1: written i32, b2: i32, b3: i32, b4: i32) grid=[] {{
            stage loops=[] order=lanes block=0 {{
              %0: i32 = load b2[0]
              %1: i32 = constant 0x8
              %2: i32 = mul(%0, %1)
              %3: i32 = load b3[0]
              %4: i32 = add(%2, %3)
              %5: i32 = load b4[0]
              %6: bool = not_equal(%4, %5)
              store b0[0] = %6
              store b1[0] = %4
            }}
          }}
        check [5, 6, 2] site=0
        nest [1]
          nest "count" (b0: written i32) grid=[{0}] {{
            stage loops=[] order=lanes block=0 {{
              %0: i32 = load b0[i0]
              %1: i32 = constant 0x1
              %2: i32 = add(%0, %1)
              store b0[i0] = %2
            }}
          }}
        nest [2, 1]
          nest "copy" (b0: written i32, b1: i32) grid=[] {{
            stage loops=[] order=lanes block=0 {{
              %0: i32 = load b1[0]
              store b0[0] = %0
            }}
          }}
        poll []
      }}
      poll []
    }}
  }}
}}
)",
                                                      elements));
        program.sites.push_back({plan::SiteKind::check, {}, "", {DType::i32, DType::i32}, {{}, {}}});
        CHECK(launches(program) == std::vector<Launch>{{elements == 1 ? 1 : 79, PM_SYNC_GRID_AND_POLL}});
        runtime::CallOptions options;
        options.format = [](std::string& out, std::int64_t, std::int64_t, const void* const* values) {
            out += fmt::format("{} {}", *static_cast<const std::int32_t*>(values[0]),
                               *static_cast<const std::int32_t*>(values[1]));
        };
        const auto fails = run_on_gpu(program, {Array::scalar(DType::i32, 29)}, options);
        CHECK(fails.call.status == runtime::CallStatus::check_failed);
        CHECK(fails.call.failure.text == "29 26");
        CHECK(fails.results[0].as<std::int32_t>()[elements - 1] <= 27);
        const auto passes = run_on_gpu(program, {Array::scalar(DType::i32, 64)}, options);
        REQUIRE(passes.call);
        CHECK(passes.results[0].as<std::int32_t>()[elements - 1] == 64);
        CHECK(passes.results[1].as<std::int32_t>()[0] == 64);
    }
}

namespace {

/// A program with several tapes (`tapes`). A loop of 20 iterations doubles x and appends x to the tapes. A second loop
/// adds the stored values, from the last one to the first.
plan::Program kept(std::int64_t elements, std::int64_t tapes) {
    const auto each = [](std::int64_t extent, const std::string& name, const std::string& buffers,
                         const std::string& body) {
        return fmt::format("nest \"{}\" ({}) grid=[{}] {{ stage loops=[] order=lanes block=0 {{ {} }} }}\n", name,
                           buffers, extent, body);
    };
    const std::string zero = each(elements, "zero", "b0: written f32", "%0: f32 = constant 0x0\n store b0[i0] = %0");
    const std::string begin =
        each(tapes, "begin", "b0: written i64, b1: written tape",
             "%0: i64 = constant 0x0\n %1: tape = constant 0x0\n store b0[i0] = %0\n store b1[i0] = %1");
    const std::string less = R"(nest "less" (b0: written bool, b1: i64) grid=[] { stage loops=[] order=lanes block=0 {
        %0: i64 = load b1[0]
        %1: i64 = constant 0x14
        %2: bool = less(%0, %1)
        store b0[0] = %2 } })";
    const std::string more = R"(nest "more" (b0: written bool, b1: i64) grid=[] { stage loops=[] order=lanes block=0 {
        %0: i64 = load b1[0]
        %1: i64 = constant 0x0
        %2: bool = less(%1, %0)
        store b0[0] = %2 } })";
    const std::string twice = each(elements, "double", "b0: written f32", R"(%0: f32 = load b0[i0]
        %1: f32 = add(%0, %0)
        store b0[i0] = %1)");
    const auto count = [&](const std::string& op) {
        return each(tapes, "count", "b0: written i64",
                    fmt::format(R"(%0: i64 = load b0[i0]
        %1: i64 = constant 0x1
        %2: i64 = {}(%0, %1)
        store b0[i0] = %2)",
                                op));
    };
    const std::string sum = each(elements, "sum", "b0: written f32, b1: f32", R"(%0: f32 = load b0[i0]
        %1: f32 = load b1[i0]
        %2: f32 = add(%0, %1)
        store b0[i0] = %2)");
    return plan::read_program(fmt::format(
        R"(program "kept" arena={0} {{
  buffer 0: f32[{1}] argument 0
  buffer 1: f32[{1}] result 0
  buffer 2: f32[{1}] result 1
  buffer 3: i64[{2}] arena +0
  buffer 4: tape[{2}] arena +64
  buffer 5: bool[] arena +128
  buffer 6: f32[{1}] arena +192
  arguments=[0] results=[1, 2] forwarded=[-1, -1]
  steps {{
    copy [0, 1]
    nest [2]
      {3}
    nest [3, 4]
      {4}
    while [5] {{
      nest [5, 3]
        {5}
    }} {{
      tape [1, 3, 4] integers=[{2}, {6}] text="set"
      nest [1]
        {7}
      nest [3]
        {8}
      poll []
    }}
    while [5] {{
      nest [5, 3]
        {9}
    }} {{
      nest [3]
        {10}
      tape [4, 3, 6] integers=[{2}, {6}] text="get"
      nest [2, 6]
        {11}
      poll []
    }}
  }}
}}
)",
        192 + 4 * elements, elements, tapes, zero, begin, less, elements / tapes, twice, count("add"), more,
        count("sub"), sum));
}

} // namespace

TEST_CASE("a loop with tapes is one kernel, which is launched again at the end of a window") {
    for (const std::int64_t elements : {6, 20'000}) // one block, or several
        for (const std::int64_t tapes : {1, 2}) {
            const auto program = kept(elements, tapes);
            plan::verify(program, "test");
            const std::string text = gpu().llvm_text(program, false);
            const auto times = [&](const std::string& what) {
                const std::regex call("call .*@" + what + "\\(");
                return std::distance(std::sregex_iterator(text.begin(), text.end(), call), std::sregex_iterator());
            };
            CHECK(times("pm_gpu_launch_with_tapes") == 2);
            CHECK(times("pm_gpu_launch") == 3); // the launches are the nests before the loops
            CHECK(times("pm_gpu_tape") == 0);
            runtime::CallOptions options;
            options.tapes = std::make_shared<runtime::Tapes>(nullptr);
            std::vector<float> x(static_cast<std::size_t>(elements));
            for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 16);
            const auto outcome = run_on_gpu(program, {Array::from_values(DType::f32, {elements}, x)}, options);
            REQUIRE(outcome.call);
            bool same = true;
            for (std::size_t i = 0; i < x.size(); ++i)
                same = same && outcome.results[1].as<float>()[i] == x[i] * static_cast<float>((1 << 20) - 1);
            CHECK(same);
        }
}

TEST_CASE("checks of one size share a kernel, and each check reports its own site") {
    const plan::Program program = plan::read_program(R"(program "checks" arena=0 {
  buffer 0: bool[100000] argument 0
  buffer 1: bool[100000] argument 1
  arguments=[0, 1] results=[] forwarded=[]
  site check "first"
  site check "second"
  steps {
    check [0] site=0
    check [1] site=1
  }
}
)");
    const std::string text = gpu().llvm_text(program, false);
    CHECK(text.find("@pm_unit_count = constant i64 1") != std::string::npos);
    const Array good = Array::full(DType::b1, {100000}, 1), bad = Array::full(DType::b1, {100000}, 0);
    CHECK(run_on_gpu(program, {good, bad}).call.failure.site == 1);
    CHECK(run_on_gpu(program, {bad, good}).call.failure.site == 0);
}
