// Donated arguments: a call may overwrite their memory.
#include "compiler/api/compile.hpp"
#include "compiler/ir/text.hpp"

#include <doctest/doctest.h>

#include <numeric>

using namespace pm;
using ir::Donated;
using runtime::Array;

namespace {

std::vector<float> counted(std::size_t n) {
    std::vector<float> values(n);
    std::iota(values.begin(), values.end(), 1.0F);
    return values;
}

/// Runs a pmap over 4 rows of 100 elements on 2 devices.
struct Run {
    Run(const std::string& body, Donated first, Donated second = Donated::no) {
        api::CompileOptions options;
        options.plan.devices = 2;
        options.plan.verify = true;
        api::Compiler compiler(options, {});
        const ir::BlockPtr block = ir::read("fn f(%0: f32[4, 100], %1: f32[4, 100]) -> (f32[4, 100]) {\n"
                                            "  %2: f32[4, 100] = pmap(%0, %1) tiled=0 axis_id=1 axis_name=\"i\" "
                                            "axis_size=4 in_axes=[0, 0] out_axes=[0] {\n" +
                                            body + "  }\n  return %2\n}");
        const auto array = [](const std::vector<float>& values) {
            return Array::from_values(runtime::DType::f32, {4, 100}, values);
        };
        given = array(counted(400));
        const Array ones = array(std::vector<float>(400, 1));
        std::vector<Donated> donated{first, second};
        result = compiler.run_donated(block, {given, ones}, donated).at(0);
        in_place = result.data() == given.data();
        in_second = result.data() == ones.data();
        overwritten = donated[0] == Donated::overwritten || donated[1] == Donated::overwritten;
    }
    Array given, result;
    bool in_place = false;
    bool in_second = false;
    bool overwritten = false;
};

constexpr const char* sum = "    (%0: f32[100], %1: f32[100]) {\n      %2: f32[100] = add(%0, %1)\n"
                            "      return %2\n    }\n";
constexpr const char* reversed = "    (%0: f32[100], %1: f32[100]) {\n      %2: f32[100] = reverse(%0) axes=[0]\n"
                                 "      %3: f32[100] = add(%2, %1)\n      return %3\n    }\n";

} // namespace

TEST_CASE("a result is placed in the memory of a donated argument") {
    const Run run(sum, Donated::owned);
    CHECK(run.in_place);
    CHECK(run.overwritten);
    CHECK(run.result.values<float>()[399] == 401);
}

TEST_CASE("an argument whose memory is shared is not overwritten") {
    const Run run(sum, Donated::shared);
    CHECK(!run.in_place);
    CHECK(run.result.values<float>()[399] == 401);
    CHECK(run.given.values<float>()[399] == 400);
    CHECK(!Run(sum, Donated::no).in_place);
}

TEST_CASE("a result is not placed in the memory of an operand that is read in a different order") {
    const Run run(reversed, Donated::owned);
    CHECK(!run.in_place);
    CHECK(!run.overwritten);
    CHECK(run.result.values<float>()[0] == 101);
    CHECK(run.given.values<float>()[0] == 1);
}

TEST_CASE("if a result cannot be placed in the first donated argument, the next is tried") {
    const Run run(reversed, Donated::owned, Donated::owned);
    CHECK(!run.in_place);
    CHECK(run.in_second);
    CHECK(run.result.values<float>()[0] == 101);
    CHECK(run.given.values<float>()[0] == 1);
}
