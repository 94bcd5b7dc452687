#include "compiler/base/diagnostic.hpp"
#include "tests/unit/evaluate/run.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

// Control flow, effects and pmap, as programs in IR text.

using namespace pm;
using namespace pm::evaluate;
using namespace pm::evaluate::test;
using ir::DType;

namespace {

Array f32(std::vector<std::int64_t> shape, const std::vector<float>& values) {
    return Array::from_values<float>(DType::f32, std::move(shape), values);
}
Array i32(std::int64_t value) { return Array::scalar(DType::i32, value); }

std::vector<std::int32_t> integers(const Array& x) {
    const auto values = x.values<std::int32_t>();
    return {values.begin(), values.end()};
}

} // namespace

TEST_CASE("if runs the branch that the condition selects") {
    constexpr auto text = R"(
fn f(%0: bool, %1: f32) -> (f32) {
  %2: f32 = if(%0, %1) {
    (%0: f32) {
      %1: f32 = neg(%0)
      return %1
    }
    (%0: f32) {
      return %0
    }
  }
  return %2
})";
    CHECK(run(text, {Array::scalar(DType::b1, 1), f32({}, {3})})[0].as_f64() == -3);
    CHECK(run(text, {Array::scalar(DType::b1, 0), f32({}, {3})})[0].as_f64() == 3);
}

TEST_CASE("while runs iterations as long as the condition is true") {
    // multiplies %1 by %0 until the product is at least 100
    constexpr auto text = R"(
fn f(%0: i32, %1: i32) -> (i32) {
  %2: i32 = while(%0, %1) whole=1 carried=1 {
    (%0: i32, %1: i32) {
      %2: i32 = constant() shape=[] dtype=i32 value=i32:100
      %3: bool = less(%1, %2)
      return %3
    }
    (%0: i32, %1: i32) {
      %2: i32 = mul(%0, %1)
      return %2
    }
  }
  return %2
})";
    CHECK(run(text, {i32(3), i32(1)})[0].as_i64() == 243);
    CHECK(run(text, {i32(3), i32(500)})[0].as_i64() == 500);
}

namespace {
std::string scan_text(int length, int reverse) {
    return fmt::format(R"(
fn f(%0: f32, %1: f32, %2: f32[{0}]) -> (f32, f32[{0}], i32[{0}]) {{
  %3: f32, %4: f32[{0}], %5: i32[{0}] = scan(%0, %1, %2) reverse={1} whole=1 carried=1 length={0} {{
    (%0: i32, %1: f32, %2: f32, %3: f32) {{
      %4: f32 = mul(%1, %2)
      %5: f32 = add(%4, %3)
      return %5, %5, %0
    }}
  }}
  return %3, %4, %5
}})",
                       length, reverse);
}
} // namespace

TEST_CASE("scan carries values, slices operands and stacks results, in both directions") {
    const auto forward = run(scan_text(3, 0), {f32({}, {10}), f32({}, {0}), f32({3}, {1, 2, 3})});
    CHECK(forward[0].as_f64() == 123);
    CHECK(floats(forward[1]) == std::vector<float>{1, 12, 123});
    CHECK(integers(forward[2]) == std::vector<std::int32_t>{0, 1, 2});
    const auto backward = run(scan_text(3, 1), {f32({}, {10}), f32({}, {0}), f32({3}, {1, 2, 3})});
    CHECK(backward[0].as_f64() == 321);
    CHECK(floats(backward[1]) == std::vector<float>{321, 32, 3});
    const auto none = run(scan_text(0, 0), {f32({}, {10}), f32({}, {7}), f32({0}, {})});
    CHECK(none[0].as_f64() == 7);
    CHECK(none[1].shape() == std::vector<std::int64_t>{0});
}

TEST_CASE("a failed check has its diagnostic and shows the values of the first failing element") {
    constexpr auto text = R"(
fn f(%0: i32[3], %1: i32) -> (i32[3]) {
  %2: i32[3] = constant() shape=[3] dtype=i32 value=i32:2
  %3: bool[3] = less(%0, %2)
  check(%3, %0, %1) text="{} is not below 2, {{so}} said {}" diagnostic="index_out_of_range"
  return %0
})";
    const auto x = [](std::vector<std::int32_t> v) { return Array::from_values<std::int32_t>(DType::i32, {3}, v); };
    CHECK(integers(run(text, {x({0, 1, 1}), i32(9)})[0]) == std::vector<std::int32_t>{0, 1, 1});
    try {
        run(text, {x({0, 7, 8}), i32(9)});
        FAIL("the check passed");
    } catch (const Error& error) {
        CHECK(error.diagnostic().id == Diag::index_out_of_range);
        CHECK(std::string(error.what()) == "7 is not below 2, {so} said 9");
    }
}

TEST_CASE("prints are in the order of the program, and are formatted") {
    constexpr auto text = R"(
fn f(%0: f32[2]) -> () {
  print(%0) text="x = {}\n"
  scan(%0) whole=0 carried=0 length=2 reverse=0 {
    (%0: i32, %1: f32) {
      print(%0, %1) text="{}: {:.2f}\n"
      return
    }
  }
  return
})";
    std::string out;
    Options options;
    options.print = [&](std::string_view s) { out += s; };
    run(text, {f32({2}, {0.5F, 3})}, options);
    CHECK(out == "x = [0.5, 3.0]\n0: 0.50\n1: 3.00\n");
}

TEST_CASE("a stop ends an endless loop") {
    constexpr auto text = R"(
fn f(%0: bool) -> (bool) {
  %1: bool = while(%0) whole=0 carried=1 {
    (%0: bool) {
      return %0
    }
    (%0: bool) {
      return %0
    }
  }
  return %1
})";
    int polls = 0;
    Options options;
    options.stop = [&] { return ++polls > 100; };
    try {
        run(text, {Array::scalar(DType::b1, 1)}, options);
        FAIL("it ended");
    } catch (const Error& error) {
        CHECK(error.diagnostic().id == Diag::interrupted);
    }
}

TEST_CASE("the evaluator respects the memory limit") {
    Options options;
    options.allocator = runtime::Allocator::create({.limit = 1 << 20});
    CHECK_THROWS_AS(run("fn f() -> (f32[1048576]) {\n  %0: f32[1048576] = constant() shape=[1048576] dtype=f32 "
                        "value=f32:1\n  return %0\n}",
                        {}, options),
                    Error);
}

TEST_CASE("an evaluator is an executor") {
    Evaluator evaluator;
    ir::Executor& executor = evaluator;
    const auto out =
        executor.run(ir::read("fn f(%0: f32) -> (f32) {\n  %1: f32 = add(%0, %0)\n  return %1\n}"), {f32({}, {4})});
    CHECK(out[0].as_f64() == 8);
}
