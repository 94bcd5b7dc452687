#include "compiler/base/diagnostic.hpp"
#include "tests/unit/evaluate/run.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

// pmap, with the lanes run in lock step: slices and blocks, collectives over one axis, over nested axes and in control
// flow.

using namespace pm;
using namespace pm::evaluate;
using namespace pm::evaluate::test;
using ir::DType;

namespace {

Array iota(std::vector<std::int64_t> shape) {
    Array x = Array::empty(DType::f32, std::move(shape));
    for (std::int64_t i = 0; i < x.elements(); ++i) x.mutable_as<float>()[i] = static_cast<float>(i);
    return x;
}

/// The text of a function that maps `body` over axis 0, or over blocks of axis 0, in `size` lanes. The body computes %1
/// of type `out` from %0 of type `in`.
std::string mapped(int size, std::string_view whole, std::string_view in, std::string_view result, std::string_view out,
                   std::string_view body, int tiled = 0) {
    return fmt::format(R"(
fn f(%0: {1}) -> ({3}) {{
  %1: {3} = pmap(%0) tiled={6} axis_id=1 axis_name="i" axis_size={0} in_axes=[0] out_axes=[0] {{
    (%0: {2}) {{
      %1: {4} = {5}
      return %1
    }}
  }}
  return %1
}})",
                       size, whole, in, result, out, body, tiled);
}

} // namespace

TEST_CASE("collectives over one axis") {
    const Array x = iota({2, 2}); // lane 0 has [0, 1], lane 1 has [2, 3]
    const auto over = [&](std::string_view body, std::string_view out, std::string_view result) {
        return floats(run(mapped(2, "f32[2, 2]", "f32[2]", result, out, body), {x})[0]);
    };
    using F = std::vector<float>;
    CHECK(over("psum(%0) axes=[1] axis_size=2", "f32[2]", "f32[2, 2]") == F{2, 4, 2, 4});
    CHECK(over("pmax(%0) axes=[1] axis_size=2", "f32[2]", "f32[2, 2]") == F{2, 3, 2, 3});
    CHECK(over("pmin(%0) axes=[1] axis_size=2", "f32[2]", "f32[2, 2]") == F{0, 1, 0, 1});
    CHECK(over("all_gather(%0) axis=1 axes=[1] tiled=0 axis_size=2", "f32[2, 2]", "f32[2, 2, 2]") ==
          F{0, 2, 1, 3, 0, 2, 1, 3});
    CHECK(over("all_gather(%0) axis=0 axes=[1] tiled=1 axis_size=2", "f32[4]", "f32[2, 4]") ==
          F{0, 1, 2, 3, 0, 1, 2, 3});
    CHECK(over("psum_scatter(%0) axis=0 axes=[1] tiled=0 axis_size=2", "f32", "f32[2]") == F{2, 4});
    CHECK(over("psum_scatter(%0) axis=0 axes=[1] tiled=1 axis_size=2", "f32[1]", "f32[2, 1]") == F{2, 4});
    CHECK(over("ppermute(%0) axes=[1] pairs=[0, 1] axis_size=2", "f32[2]", "f32[2, 2]") == F{0, 0, 0, 1});
    CHECK(over("all_to_all(%0) axes=[1] tiled=0 split_axis=0 concat_axis=0 axis_size=2", "f32[2]", "f32[2, 2]") ==
          F{0, 2, 1, 3});
    CHECK(over("all_to_all(%0) axes=[1] tiled=1 split_axis=0 concat_axis=0 axis_size=2", "f32[2]", "f32[2, 2]") ==
          F{0, 2, 1, 3});
}

TEST_CASE("a tiled pmap maps over blocks and joins the results") {
    const auto out = run(mapped(2, "f32[4]", "f32[2]", "f32[4]", "f32[2]", "reverse(%0) axes=[0]", 1), {iota({4})});
    CHECK(floats(out[0]) == std::vector<float>{1, 0, 3, 2});
}

TEST_CASE("nested axes are summed one at a time or together") {
    const auto text = [](std::string_view axes, int size) {
        return fmt::format(R"(
fn f(%0: f32[2, 3]) -> (f32[2, 3], i32[3, 2]) {{
  %1: f32[2, 3], %2: i32[3, 2] = pmap(%0) tiled=0 axis_id=1 axis_name="i" axis_size=2 in_axes=[0] out_axes=[0, 1] {{
    (%0: f32[3]) {{
      %1: f32[3], %2: i32[3] = pmap(%0) tiled=0 axis_id=2 axis_name="j" axis_size=3 in_axes=[0] out_axes=[0, 0] {{
        (%0: f32) {{
          %1: f32 = psum(%0) axes={} axis_size={}
          %2: i32 = axis_index() axis_id=1
          return %1, %2
        }}
      }}
      return %1, %2
    }}
  }}
  return %1, %2
}})",
                           axes, size);
    };
    const Array x = iota({2, 3});
    CHECK(floats(run(text("[1]", 2), {x})[0]) == std::vector<float>{3, 5, 7, 3, 5, 7});
    CHECK(floats(run(text("[2]", 3), {x})[0]) == std::vector<float>{3, 3, 3, 12, 12, 12});
    CHECK(floats(run(text("[1, 2]", 6), {x})[0]) == std::vector<float>(6, 15));
    const Array rows = run(text("[2]", 3), {x})[1];
    CHECK(rows.as_i64(0) == 0);
    CHECK(rows.as_i64(1) == 1);
    CHECK(rows.as_i64(4) == 0);
}

TEST_CASE("each lane has a separate trip count and takes its own branch of an if") {
    constexpr auto text = R"(
fn f(%0: i32[3], %1: i32) -> (i32[3]) {
  %2: i32[3] = pmap(%0, %1) tiled=0 axis_id=1 axis_name="i" axis_size=3 in_axes=[0, -1] out_axes=[0] {
    (%0: i32, %1: i32) {
      %2: i32 = while(%1, %0) whole=1 carried=1 {
        (%0: i32, %1: i32) {
          %2: bool = less(%1, %0)
          return %2
        }
        (%0: i32, %1: i32) {
          %2: i32 = add(%1, %1)
          return %2
        }
      }
      %3: bool = equal(%2, %1)
      %4: i32 = if(%3, %2) {
        (%0: i32) {
          %1: i32 = neg(%0)
          return %1
        }
        (%0: i32) {
          return %0
        }
      }
      return %4
    }
  }
  return %2
})";
    const auto out = run(text, {Array::from_values<std::int32_t>(DType::i32, {3}, std::vector<std::int32_t>{1, 3, 40}),
                                Array::scalar(DType::i32, 8)});
    const auto values = out[0].values<std::int32_t>();
    CHECK(std::vector<std::int32_t>(values.begin(), values.end()) == std::vector<std::int32_t>{-8, 12, 40});
}

TEST_CASE("prints between two collectives are ordered by lane") {
    constexpr auto text = R"(
fn f(%0: f32[2]) -> (f32) {
  %1: f32 = pmap(%0) tiled=0 axis_id=1 axis_name="i" axis_size=2 in_axes=[0] out_axes=[-1] {
    (%0: f32) {
      print(%0) text="a{} "
      print(%0) text="b{} "
      %1: f32 = psum(%0) axes=[1] axis_size=2
      print(%1) text="c{} "
      return %1
    }
  }
  return %1
})";
    std::string out;
    Options options;
    options.print = [&](std::string_view s) { out += s; };
    CHECK(run(text, {iota({2})}, options)[0].as_f64() == 1);
    CHECK(out == "a0.0 b0.0 a1.0 b1.0 c1.0 c1.0 ");
    out.clear();
    options.devices = 1; // one vectorised program computes both slices
    run(text, {iota({2})}, options);
    CHECK(out == "a0.0 a1.0 b0.0 b1.0 c1.0 c1.0 ");
}
