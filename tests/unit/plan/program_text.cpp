#include "compiler/base/diagnostic.hpp"
#include "compiler/plan/program/program.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace pm;
using namespace pm::plan;

namespace {

std::string with_step(const std::string& step) {
    return fmt::format("program \"p\" arena=64 {{\n  buffer 0: f32[4] arena +0\n  buffer 1: f32[4] arena +16\n"
                       "  arguments=[] results=[] forwarded=[]\n  steps {{\n    {}\n  }}\n}}\n",
                       step);
}

std::string with_site(const std::string& site) {
    return fmt::format("program \"p\" arena=64 {{\n  buffer 0: bool[4] arena +0\n"
                       "  arguments=[] results=[] forwarded=[]\n  site {}\n  steps {{\n    \n  }}\n}}\n",
                       site);
}

} // namespace

TEST_CASE("sites of checks and prints are read back as they were printed") {
    for (const char* site :
         {R"(check "x > 0" diagnostic=assertion_failed)", R"(check on_devices "{}" diagnostic=assertion_failed f32[4])",
          R"(check "sums" diagnostic=made_nan help="write \"where\"" devices=[0, 2] f32[4] i32[])",
          R"(check "{}" diagnostic=made_nan mapped=[8, 3] inner=2 f32[])", R"(print "{} and {}" f32[2, 3] i64[])",
          R"(print on_devices "{}" devices=[1] c64[])"}) {
        const std::string text = print(read_program(with_site(site)));
        CHECK_MESSAGE(text.find(fmt::format("  site {}\n", site)) != std::string::npos, text);
        CHECK(print(read_program(text)) == text);
    }
    CHECK_THROWS_AS(read_program(with_site(R"(check "x" diagnostic=no_such_name)")), Error);
}

TEST_CASE("the attributes of each kind of step are read back as they were printed") {
    for (const char* step :
         {"dot [0, 0, 1] integers=[1, 2, 2, 1, 0, 1, 0, 0, 0, 1, 0, 2, 1] text=\"high\"",
          "matrices [0, 1] integers=[3, 0, 1, 4] text=\"fft\"", "sort [0, 1] parallel integers=[1, 4, 1, 1]",
          "scatter [0, 0, 1] integers=[1, 2, 2, 1, 2] combine=max text=\"max\"",
          "scatter [0, 0, 1] integers=[1, 2, 2, 1, 2] combine=add text=\"set\"",
          "cumulative [0, 1] integers=[2, 2, 1, 1] combine=mul", "tape [0, 0, 1] integers=[1, 4] text=\"get\"",
          "copy [0, 1]", "collective [0, 1] combine=min text=\"reduce\" lanes=3",
          "collective [0, 1] integers=[1, -1] combine=add text=\"exchange\" lanes=2",
          "meeting [0, 1] integers=[0, 1, 2] text=\"parts\" lanes=2 site=1"})
        CHECK(print(read_program(with_step(step))) == with_step(step));
}

TEST_CASE("a step with missing or invalid attributes is refused") {
    for (const char* step :
         {"dot [0, 0, 1]", "dot [0, 0, 1] integers=[1, 2]", "sort [0, 1]",
          "tape [0, 0, 1] integers=[1, 4] text=\"put\"",
          "scatter [0, 0, 1] integers=[1, 2, 2, 3, 2] combine=add text=\"add\"",
          "scatter [0, 0, 1] integers=[1, 2, 2, 1, 2] combine=max text=\"min\"", "collective [0, 1] combine=add"})
        CHECK_THROWS_AS(read_program(with_step(step)), Error);
    const Program exchange =
        read_program(with_step("collective [0, 1] integers=[1] combine=add text=\"exchange\" lanes=2"));
    CHECK_THROWS(verify(exchange, "test"));
}
