#include "compiler/ir/text.hpp"
#include "compiler/plan/prepare/prepare.hpp"
#include "tests/unit/plan/harness.hpp"

#include <doctest/doctest.h>

#include <fmt/format.h>

using namespace pm::plan;
using namespace pm::plan::testing;

namespace {

std::string mapped(int size, std::string_view whole, std::string_view in, std::string_view result, std::string_view out,
                   std::string_view body, int tiled = 0, std::string_view axes = "in_axes=[0] out_axes=[0]") {
    return fmt::format(R"(
fn f(%0: {1}) -> ({3}) {{
  %1: {3} = pmap(%0) tiled={6} axis_id=1 axis_name="i" axis_size={0} {7} {{
    (%0: {2}) {{
      %1: {4} = {5}
      return %1
    }}
  }}
  return %1
}})",
                       size, whole, in, result, out, body, tiled, axes);
}

/// Calls agrees() for 1, 2, 3, 4 and 8 devices.
void agrees_everywhere(const std::string& text) {
    for (const int devices : {1, 2, 3, 4, 8}) {
        INFO("devices " << devices);
        Options options;
        options.devices = devices;
        agrees(text, options);
    }
}

} // namespace

TEST_CASE("lanes write their part of the result themselves") {
    Options options;
    options.devices = 4;
    const Program p = agrees(mapped(4, "f32[4, 3]", "f32[3]", "f32[4, 3]", "f32[3]", "tanh(%0)"), options);
    REQUIRE(p.steps.size() == 1);
    CHECK(p.steps[0].kind() == StepKind::lanes);
    CHECK(p.steps[0].as<LanesStep>().count == 4);
    CHECK(p.steps[0].children[0].size() == 1);
    CHECK(p.arena_bytes == 0);
}

TEST_CASE("in a pmap equal instructions before and after a barrier are not merged") {
    for (const int devices : {1, 4}) {
        Options options;
        options.devices = devices;
        const pm::ir::BlockPtr prepared = prepare(pm::ir::read(R"(
fn f(%0: f32[4, 3]) -> (f32[4, 3]) {
  %1: f32[4, 3] = pmap(%0) tiled=0 axis_id=1 axis_name="i" axis_size=4 in_axes=[0] out_axes=[0] {
    (%0: f32[3]) {
      %1: f32[3] = sin(%0)
      %2: f32[3] = barrier(%0)
      %3: f32[3] = sin(%2)
      %4: f32[3] = sub(%1, %3)
      return %4
    }
  }
  return %1
})"),
                                                  options);
        const std::string text = pm::ir::print(*prepared);
        CHECK(text.find("barrier") == std::string::npos);
        CHECK(text.find("sin(") != text.rfind("sin("));
    }
}

TEST_CASE("a pmap that names devices runs on that number of lanes") {
    const auto named = [](int size, const std::string& devices) {
        const std::string whole = fmt::format("f32[{}, 3]", size);
        return mapped(size, whole, "f32[3]", whole, "f32[3]", fmt::format("psum(%0) axes=[1] axis_size={}", size), 0,
                      "in_axes=[0] out_axes=[0] devices=" + devices);
    };
    Options options;
    options.devices = 4;
    const auto lanes = [&](const std::string& text) {
        std::int64_t most = 0;
        for (const Step& s : agrees(text, options).steps)
            if (s.kind() == StepKind::lanes) most = std::max(most, s.as<LanesStep>().count);
        return most;
    };
    CHECK(lanes(named(4, "[0, 1]")) == 2);
    CHECK(lanes(named(6, "[3, 1, 0]")) == 3);
    CHECK(lanes(named(2, "[0, 1, 2]")) == 2);
    CHECK(lanes(named(4, "[2]")) == 0);
    CHECK(lanes(named(4, "[0, 1, 2, 3]")) == 4);
}

TEST_CASE("every collective, for fewer slices than devices, as many, and more") {
    agrees_everywhere(mapped(4, "f32[4, 3]", "f32[3]", "f32[4, 3]", "f32[3]", "psum(%0) axes=[1] axis_size=4"));
    agrees_everywhere(mapped(4, "f16[4, 3]", "f16[3]", "f16[4, 3]", "f16[3]", "psum(%0) axes=[1] axis_size=4"));
    agrees_everywhere(mapped(4, "bf16[4, 3]", "bf16[3]", "bf16[4, 3]", "bf16[3]", "psum(%0) axes=[1] axis_size=4"));
    agrees_everywhere(mapped(4, "f32[4, 3]", "f32[3]", "f32[4, 3]", "f32[3]", "pmax(%0) axes=[1] axis_size=4"));
    agrees_everywhere(mapped(4, "f32[4, 3]", "f32[3]", "f32[4, 4, 3]", "f32[4, 3]",
                             "all_gather(%0) axis=0 tiled=0 axes=[1] axis_size=4"));
    agrees_everywhere(mapped(4, "f32[4, 3]", "f32[3]", "f32[4, 12]", "f32[12]",
                             "all_gather(%0) axis=0 tiled=1 axes=[1] axis_size=4"));
    agrees_everywhere(mapped(4, "f32[4, 3]", "f32[3]", "f32[4, 3, 4]", "f32[3, 4]",
                             "all_gather(%0) axis=1 tiled=0 axes=[1] axis_size=4"));
    agrees_everywhere(mapped(4, "f32[4, 8, 3]", "f32[8, 3]", "f32[4, 2, 3]", "f32[2, 3]",
                             "psum_scatter(%0) axis=0 tiled=1 axes=[1] axis_size=4"));
    agrees_everywhere(mapped(4, "f32[4, 3, 4]", "f32[3, 4]", "f32[4, 3]", "f32[3]",
                             "psum_scatter(%0) axis=1 tiled=0 axes=[1] axis_size=4"));
    agrees_everywhere(mapped(4, "f32[4, 3]", "f32[3]", "f32[4, 3]", "f32[3]",
                             "ppermute(%0) pairs=[0, 1, 1, 2, 3, 0] axes=[1] axis_size=4"));
    agrees_everywhere(mapped(4, "f32[4, 4, 3]", "f32[4, 3]", "f32[4, 4, 3]", "f32[4, 3]",
                             "all_to_all(%0) tiled=0 split_axis=0 concat_axis=0 axes=[1] axis_size=4"));
    agrees_everywhere(mapped(4, "f32[4, 8, 3]", "f32[8, 3]", "f32[4, 2, 12]", "f32[2, 12]",
                             "all_to_all(%0) tiled=1 split_axis=0 concat_axis=1 axes=[1] axis_size=4"));
}

TEST_CASE("tiled blocks, mapped axes other than the first, unmapped operands and results") {
    agrees_everywhere(mapped(4, "f32[8, 3]", "f32[2, 3]", "f32[8, 3]", "f32[2, 3]", "reverse(%0) axes=[0]", 1));
    agrees_everywhere(mapped(4, "f32[3, 8]", "f32[3, 2]", "f32[3, 8]", "f32[3, 2]", "reverse(%0) axes=[0, 1]", 1,
                             "in_axes=[1] out_axes=[1]"));
    agrees_everywhere(
        mapped(4, "f32[3, 4]", "f32[3]", "f32[3, 4]", "f32[3]", "neg(%0)", 0, "in_axes=[1] out_axes=[1]"));
    agrees_everywhere(mapped(4, "f32[4, 3]", "f32[3]", "f32[3]", "f32[3]", "psum(%0) axes=[1] axis_size=4", 0,
                             "in_axes=[0] out_axes=[-1]"));
    agrees_everywhere(mapped(4, "f32[3]", "f32[3]", "f32[4, 3]", "f32[3]", "neg(%0)", 0, "in_axes=[-1] out_axes=[0]"));
}

TEST_CASE("the index along the axis of a pmap") {
    agrees_everywhere(R"(fn f(%0: f32[6, 2]) -> (f32[6, 2], i32[6]) {
  %1: f32[6, 2], %2: i32[6] = pmap(%0) tiled=0 axis_id=1 axis_name="i" axis_size=6 in_axes=[0] out_axes=[0, 0] {
    (%0: f32[2]) {
      %1: i32 = axis_index() axis_id=1
      %2: f32 = convert(%1) dtype=f32
      %3: f32[2] = broadcast(%2) shape=[2] dims=[]
      %4: f32[2] = mul(%0, %3)
      return %4, %1
    }
  }
  return %1, %2
})");
}

TEST_CASE("if the number of slices is no multiple of the number of devices, each slice counts once") {
    const std::string text =
        mapped(5, "f32[5, 3]", "f32[3]", "f32[5, 3]", "f32[3]", R"(scan(%0) whole=0 carried=1 length=2 {
        (%0: i32, %1: f32[3]) {
          %2: f32[3] = tanh(%1)
          %3: f32[3] = psum(%2) axes=[1] axis_size=5
          %4: f32[3] = sub(%1, %3)
          return %4
        }
      })");
    agrees_everywhere(text);
    Options options;
    options.devices = 2;
    const Program p = planned(text, options);
    CHECK(count_steps(p.steps, StepKind::collective) > 0);
}

namespace {
constexpr const char* train_step = R"(fn step(%0: f32[5], %1: f32[4, 6, 5], %2: f32[4, 6]) -> (f32[5], f32) {
  %3: f32[5], %4: f32 = pmap(%0, %1, %2) tiled=0 axis_id=1 axis_name="batch" axis_size=4 in_axes=[-1, 0, 0] out_axes=[-1, -1] {
    (%0: f32[5], %1: f32[6, 5], %2: f32[6]) {
      %3: f32[6] = dot(%1, %0) lhs_contract=[1] rhs_contract=[0] lhs_batch=[] rhs_batch=[]
      %4: f32[6] = sub(%3, %2)
      %5: f32[6] = mul(%4, %4)
      %6: f32 = reduce_sum(%5) axes=[0]
      %7: f32[5] = dot(%1, %4) lhs_contract=[0] rhs_contract=[0] lhs_batch=[] rhs_batch=[]
      %8: f32[5] = psum(%7) axes=[1] axis_size=4
      %9: f32[5] = constant() shape=[5] dtype=f32 value=f32:0.01
      %10: f32[5] = mul(%8, %9)
      %11: f32[5] = sub(%0, %10)
      %12: f32 = psum(%6) axes=[1] axis_size=4
      return %11, %12
    }
  }
  return %3, %4
})";
}

TEST_CASE("a training step runs in lanes, then in sums, then in one update outside of the lanes") {
    agrees_everywhere(train_step);
    Options options;
    options.devices = 4;
    const Program p = planned(train_step, options);
    REQUIRE(p.steps.size() >= 3);
    CHECK(p.steps[0].kind() == StepKind::lanes);
    CHECK(count_steps(p.steps, StepKind::lanes) == 1);
    CHECK(count_steps(p.steps, StepKind::collective) == 2);
    // Values that are equal in all lanes are computed outside of the lanes.
    CHECK(p.steps.back().kind() != StepKind::lanes);
}

TEST_CASE("a loop around collectives runs once, on the driver") {
    const std::string text = R"(fn f(%0: f32[4, 3]) -> (f32[4, 3], f32[3]) {
  %1: f32[4, 3], %2: f32[3] = pmap(%0) tiled=0 axis_id=1 axis_name="i" axis_size=4 in_axes=[0] out_axes=[0, -1] {
    (%0: f32[3]) {
      %1: f32[3] = constant() shape=[3] dtype=f32 value=f32:0
      %2: f32[3], %3: f32[3] = scan(%0, %1) whole=0 carried=2 length=3 {
        (%0: i32, %1: f32[3], %2: f32[3]) {
          %3: f32[3] = tanh(%1)
          %4: f32[3] = psum(%3) axes=[1] axis_size=4
          %5: f32[3] = add(%2, %4)
          %6: f32[3] = sub(%1, %5)
          return %6, %5
        }
      }
      return %2, %3
    }
  }
  return %1, %2
})";
    agrees_everywhere(text);
    Options options;
    options.devices = 4;
    const Program p = planned(text, options);
    bool found = false;
    for (const Step& s : p.steps)
        if (s.kind() == StepKind::loop) {
            found = true;
            CHECK(count_steps(s.children[0], StepKind::lanes) == 2);
            CHECK(count_steps(s.children[0], StepKind::collective) == 1);
        }
    CHECK(found);
}

TEST_CASE("a carried value whose initial values differ is carried by each lane; the result is that of the first lane") {
    const std::string text = R"(fn f(%0: f32[4, 3]) -> (f32[3], f32[4, 3]) {
  %1: f32[3], %2: f32[4, 3] = pmap(%0) tiled=0 axis_id=1 axis_name="i" axis_size=4 in_axes=[0] out_axes=[-1, 0] {
    (%0: f32[3]) {
      %1: f32[3] = tanh(%0)
      %2: f32[3] = scan(%1) whole=0 carried=1 length=3 {
        (%0: i32, %1: f32[3]) {
          %2: f32[3] = sin(%1)
          %3: f32[3] = psum(%2) axes=[1] axis_size=4
          %4: f32[3] = neg(%3)
          return %4
        }
      }
      %3: f32[3] = exp(%2)
      %4: f32[3] = mul(%3, %0)
      return %3, %4
    }
  }
  return %1, %2
})";
    agrees_everywhere(text);
    Options options;
    options.devices = 4;
    const Program p = planned(text, options);
    CHECK(count_steps(p.steps, StepKind::collective) == 1);
    // In each iteration one copy to the carried value of the lanes; after the loop one copy of the first lane's value.
    // The initial value is computed in place.
    CHECK(count_steps(p.steps, StepKind::copy) == 2);
    const auto loop =
        std::find_if(p.steps.begin(), p.steps.end(), [](const Step& s) { return s.kind() == StepKind::loop; });
    REQUIRE(loop != p.steps.end());
    REQUIRE(loop + 1 != p.steps.end());
    const Step& left = loop[1];
    REQUIRE(left.kind() == StepKind::copy);
    CHECK(p.buffers[left.buffers[0]].strides.empty());
    CHECK(p.buffers[left.buffers[1]].strides.empty());
}

TEST_CASE("a loop whose initial values differ runs in each lane, also in a loop that is equal in all lanes") {
    const auto text = [](std::string_view start) {
        return fmt::format(R"(fn f(%0: f32[4, 3]) -> (f32[3]) {{
  %1: f32[3] = pmap(%0) tiled=0 axis_id=1 axis_name="i" axis_size=4 in_axes=[0] out_axes=[-1] {{
    (%0: f32[3]) {{
      %1: f32[3] = psum(%0) axes=[1] axis_size=4
      %2: f32[3] = scan(%1, %0, %1) whole=2 carried=1 length=3 {{
        (%0: i32, %1: f32[3], %2: f32[3], %3: f32[3]) {{
          {}
          %6: f32[3] = scan(%1, %5) whole=1 carried=1 length=2 {{
            (%0: i32, %1: f32[3], %2: f32[3]) {{
              %3: f32[3] = tanh(%1)
              return %3
            }}
          }}
          %7: f32[3] = mul(%3, %6)
          return %7
        }}
      }}
      return %2
    }}
  }}
  return %1
}})",
                           start);
    };
    agrees_everywhere(text("%5: f32[3] = sin(%2)"));
    agrees_everywhere(text("%4: i32 = axis_index() axis_id=1 %8: f32 = convert(%4) dtype=f32 "
                           "%5: f32[3] = broadcast(%8) shape=[3] dims=[]"));
}

TEST_CASE("loops and branches that differ between lanes run in the lanes") {
    const std::string text = R"(fn f(%0: f32[4]) -> (f32[4]) {
  %1: f32[4] = pmap(%0) tiled=0 axis_id=1 axis_name="i" axis_size=4 in_axes=[0] out_axes=[0] {
    (%0: f32) {
      %1: f32 = constant() shape=[] dtype=f32 value=f32:10
      %2: f32 = while(%1, %0) whole=1 carried=1 {
        (%0: f32, %1: f32) {
          %2: bool = less(%1, %0)
          return %2
        }
        (%0: f32, %1: f32) {
          %2: f32 = abs(%1)
          %3: f32 = add(%1, %2)
          %4: f32 = constant() shape=[] dtype=f32 value=f32:0.5
          %5: f32 = add(%3, %4)
          return %5
        }
      }
      %3: f32 = psum(%2) axes=[1] axis_size=4
      %4: bool = less(%0, %1)
      %5: f32 = if(%4, %2, %3) {
        (%0: f32, %1: f32) {
          %2: f32 = mul(%0, %1)
          return %2
        }
        (%0: f32, %1: f32) {
          return %0
        }
      }
      return %5
    }
  }
  return %1
})";
    agrees_everywhere(text);
    Options options;
    options.devices = 4;
    const Program p = planned(text, options);
    CHECK(count_steps(p.steps, StepKind::lanes) == 2);
    CHECK(p.steps[0].kind() == StepKind::lanes);
    CHECK(count_steps(p.steps[0].children[0], StepKind::while_) == 1);
}

TEST_CASE("a loop that runs in each lane carries a value that is equal in all lanes") {
    agrees_everywhere(R"(fn f(%0: f32[4, 3]) -> (f32[4, 3], f32[4], f32) {
  %1: f32[4, 3], %2: f32[4], %3: f32 = pmap(%0) tiled=0 axis_id=1 axis_name="i" axis_size=4 in_axes=[0] out_axes=[0, 0, -1] {
    (%0: f32[3]) {
      %1: f32 = constant() shape=[] dtype=f32 value=f32:1
      %2: f32[3], %3: f32 = scan(%0, %1) whole=0 carried=2 length=3 {
        (%0: i32, %1: f32[3], %2: f32) {
          %3: f32[3] = tanh(%1)
          %4: f32 = add(%2, %2)
          return %3, %4
        }
      }
      %4: f32[3] = psum(%2) axes=[1] axis_size=4
      %5: f32[3] = broadcast(%3) shape=[3] dims=[]
      %6: f32[3] = add(%4, %5)
      %7: f32 = neg(%3)
      return %6, %7, %3
    }
  }
  return %1, %2, %3
})");
}

TEST_CASE("a pmap inside a pmap, and a pmap in a loop") {
    agrees_everywhere(R"(fn f(%0: f32[2, 3]) -> (f32[2, 3]) {
  %1: f32[2, 3] = pmap(%0) tiled=0 axis_id=1 axis_name="i" axis_size=2 in_axes=[0] out_axes=[0] {
    (%0: f32[3]) {
      %1: f32[3] = pmap(%0) tiled=0 axis_id=2 axis_name="j" axis_size=3 in_axes=[0] out_axes=[0] {
        (%0: f32) {
          %1: f32 = psum(%0) axes=[2] axis_size=3
          %2: f32 = psum(%0) axes=[1] axis_size=2
          %3: f32 = sub(%1, %2)
          return %3
        }
      }
      return %1
    }
  }
  return %1
})");
    agrees_everywhere(R"(fn f(%0: f32[4, 3]) -> (f32[4, 3]) {
  %1: f32[4, 3] = scan(%0) whole=0 carried=1 length=3 {
    (%0: i32, %1: f32[4, 3]) {
      %2: f32[4, 3] = pmap(%1) tiled=0 axis_id=1 axis_name="i" axis_size=4 in_axes=[0] out_axes=[0] {
        (%0: f32[3]) {
          %1: f32[3] = psum(%0) axes=[1] axis_size=4
          %2: f32[3] = sub(%0, %1)
          %3: f32[3] = tanh(%2)
          return %3
        }
      }
      return %2
    }
  }
  return %1
})");
}

TEST_CASE("every lane updates an array in place") {
    agrees_everywhere(R"(fn f(%0: f32[4, 9]) -> (f32[4, 9]) {
  %1: f32[4, 9] = pmap(%0) tiled=0 axis_id=1 axis_name="i" axis_size=4 in_axes=[0] out_axes=[0] {
    (%0: f32[9]) {
      %1: i32 = axis_index() axis_id=1
      %2: f32[9] = scan(%1, %0) whole=1 carried=1 length=3 {
        (%0: i32, %1: i32, %2: f32[9]) {
          %3: i32 = add(%0, %1)
          %4: f32[1] = dynamic_slice(%2, %3) sizes=[1]
          %5: f32[1] = neg(%4)
          %6: f32[9] = dynamic_update(%2, %5, %3)
          return %6
        }
      }
      return %2
    }
  }
  return %1
})");
}
