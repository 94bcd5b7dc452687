#include "compiler/base/diagnostic.hpp"
#include "tests/unit/transform/harness.hpp"

using namespace pm;
using namespace pm::transform;
using namespace pm::transform::test;

TEST_CASE("batched programs agree with a loop") {
    for (const Named& named : programs()) {
        CAPTURE(named.name);
        check_batches(program(named.text));
    }
}

TEST_CASE("programs that are batched twice agree with a loop") {
    for (const Named& named : programs()) {
        CAPTURE(named.name);
        const BlockPtr block = program(named.text);
        check_batches(batch(block, BitMask(block->params.size(), true), 2).block);
    }
}

TEST_CASE("values that are equal for all elements are not batched") {
    const BlockPtr block = program(R"(
fn f(%0: f64, %1: f64) -> (f64, f64) {
  %2: f64 = sin(%1)
  %3: f64 = mul(%0, %2)
  return %3, %2
})");
    CHECK(batch(block, {true, false}, 4).batched == BitMask{true, false});
}

TEST_CASE("values that are batched only because of initial values are not batched after a known number of iterations") {
    const auto carrying = [](int length, const std::string& body) {
        const BlockPtr block =
            program("fn f(%x: f64, %y: f64, %u: f64) -> (f64, f64, f64) {"
                    " %a: f64, %b: f64, %c: f64 = scan(%u, %x, %y, %u) whole=1 carried=3 length=" +
                    std::to_string(length) + " { (%i: i32, %u: f64, %a: f64, %b: f64, %c: f64) { %s: f64 = sin(%u) " +
                    body + " } } return %a, %b, %c }");
        check_batches(block);
        return batch(block, {true, true, false}, 4).batched;
    };
    const std::string settled = "return %s, %b, %c";
    CHECK(carrying(0, settled) == BitMask{true, true, false});
    CHECK(carrying(1, settled) == BitMask{false, true, false});
    CHECK(carrying(9, settled) == BitMask{false, true, false});
    // In each iteration the initial values move to the next carried value.
    const std::string exchanged = "return %s, %a, %b";
    CHECK(carrying(1, exchanged) == BitMask{false, true, true});
    CHECK(carrying(2, exchanged) == BitMask{false, false, true});
    CHECK(carrying(3, exchanged) == BitMask{false, false, false});
    // A carried value that depends on its initial value in every iteration stays batched.
    CHECK(carrying(9, "%t: f64 = add(%s, %a) return %t, %b, %c") == BitMask{true, true, false});
    // A stacked output includes the value of the first iteration, so it is batched. The carried value of an empty batch
    // stays batched, because there is no first element that could be the result.
    const BlockPtr stacked =
        program("fn f(%x: f64) -> (f64, f64[9], f64[9]) {"
                " %a: f64, %b: f64[9], %c: f64[9] = scan(%x) whole=0 carried=1 length=9 {"
                " (%i: i32, %a: f64) { %s: f64 = psum(%a) axes=[5] axis_size=4 return %s, %a, %s } }"
                " return %a, %b, %c }");
    CHECK(batch(stacked, {true}, 4, 5).batched == BitMask{false, true, false});
    CHECK(batch(stacked, {true}, 0, 5).batched == BitMask{true, true, false});
}

namespace {

/// Compares vmap and pmap of a program. Both name axis 5, of this size.
void check_axis(const std::string& text, std::int64_t size) {
    CAPTURE(text);
    const BlockPtr block = program(text);
    for (const bool batched : {true, false}) {
        CAPTURE(batched);
        const BitMask pattern(block->params.size(), batched);
        const BlockPtr made = verified(batched_whole(block, pattern, size, 5), "batch");
        const ir::Integers in_axes(block->params.size(), batched ? 0 : -1);
        ops::Build b;
        Values params;
        for (Type type : block->param_types()) {
            if (batched) type.shape.insert(type.shape.begin(), size);
            params.push_back(b.param(type));
        }
        const Values results = b.emit(ir::Op::pmap, params,
                                      {{ir::Attr::axis_id, std::int64_t{5}},
                                       {ir::Attr::axis_name, std::string("i")},
                                       {ir::Attr::axis_size, size},
                                       {ir::Attr::in_axes, in_axes},
                                       {ir::Attr::out_axes, ir::Integers(block->results.size(), 0)},
                                       {ir::Attr::tiled, std::int64_t{0}}},
                                      {block});
        const BlockPtr mapped = b.finish(results);
        const Arrays at = random_arrays(mapped->param_types(), 3);
        check_close(run(made, at), run(mapped, at), 1e-12);
        if (!batched) continue;
        // the derivatives agree too, and batching commutes with differentiation
        const BitMask active = inexact(mapped->param_types());
        const Arrays weights = random_arrays(pick(mapped->result_types(), vjp(mapped, active).active_results), 4);
        if (weights.empty()) continue;
        check_vjp(mapped);
        check_close(run(vjp(made, active).block, joined(at, weights)),
                    run(vjp(mapped, active).block, joined(at, weights)), 1e-10);
    }
}

} // namespace

TEST_CASE("collectives over the batch axis agree with pmap") {
    check_axis("fn f(%0: f64[2]) -> (f64[2]) {\n %1: f64[2] = psum(%0) axes=[5] axis_size=4\n return %1\n}", 4);
    check_axis("fn f(%0: f64[2]) -> (f64[2]) {\n %1: f64[2] = pmax(%0) axes=[5] axis_size=4\n return %1\n}", 4);
    check_axis("fn f(%0: f64[2]) -> (f64[2]) {\n %1: f64[2] = pmin(%0) axes=[5] axis_size=4\n return %1\n}", 4);
    check_axis("fn f(%0: i32[2]) -> (i32[2]) {\n %1: i32[2] = psum(%0) axes=[5] axis_size=4\n return %1\n}", 4);
    check_axis("fn f(%0: f64[2, 3]) -> (f64[2, 4, 3]) {\n %1: f64[2, 4, 3] = all_gather(%0) axes=[5] "
               "axis_size=4 axis=1 tiled=0\n return %1\n}",
               4);
    check_axis("fn f(%0: f64[2, 3]) -> (f64[2, 12]) {\n %1: f64[2, 12] = all_gather(%0) axes=[5] axis_size=4 "
               "axis=1 tiled=1\n return %1\n}",
               4);
    check_axis("fn f(%0: f64[2, 4]) -> (f64[2]) {\n %1: f64[2] = psum_scatter(%0) axes=[5] axis_size=4 axis=1 "
               "tiled=0\n return %1\n}",
               4);
    check_axis("fn f(%0: f64[2, 8]) -> (f64[2, 2]) {\n %1: f64[2, 2] = psum_scatter(%0) axes=[5] axis_size=4 "
               "axis=1 tiled=1\n return %1\n}",
               4);
    check_axis("fn f(%0: f64[2]) -> (f64[2]) {\n %1: f64[2] = ppermute(%0) axes=[5] axis_size=4 pairs=[0, 1, "
               "1, 2, 2, 3, 3, 0]\n return %1\n}",
               4);
    check_axis("fn f(%0: f64[2]) -> (f64[2]) {\n %1: f64[2] = ppermute(%0) axes=[5] axis_size=4 pairs=[3, 0, "
               "1, 2]\n return %1\n}",
               4);
    check_axis("fn f(%0: f64[3, 4]) -> (f64[4, 3]) {\n %1: f64[4, 3] = all_to_all(%0) axes=[5] axis_size=4 "
               "split_axis=1 concat_axis=0 tiled=0\n return %1\n}",
               4);
    check_axis("fn f(%0: f64[4, 3]) -> (f64[3, 4]) {\n %1: f64[3, 4] = all_to_all(%0) axes=[5] axis_size=4 "
               "split_axis=0 concat_axis=1 tiled=0\n return %1\n}",
               4);
    check_axis("fn f(%0: f64[8, 3]) -> (f64[2, 12]) {\n %1: f64[2, 12] = all_to_all(%0) axes=[5] axis_size=4 "
               "split_axis=0 concat_axis=1 tiled=1\n return %1\n}",
               4);
    check_axis("fn f(%0: f64[3, 8]) -> (f64[12, 2]) {\n %1: f64[12, 2] = all_to_all(%0) axes=[5] axis_size=4 "
               "split_axis=1 concat_axis=0 tiled=1\n return %1\n}",
               4);
    check_axis("fn f(%0: i32) -> (i32) {\n %1: i32 = axis_index() axis_id=5\n %2: i32 = add(%0, %1)\n return %2\n}", 4);
}

TEST_CASE("a long permutation is one gather") {
    std::string pairs;
    for (int i = 0; i < 40; ++i)
        if (i != 7) pairs += (pairs.empty() ? "" : ", ") + std::to_string(i) + ", " + std::to_string((i * 7) % 40);
    check_axis("fn f(%0: f64[2]) -> (f64[2]) {\n %1: f64[2] = ppermute(%0) axes=[5] axis_size=40 pairs=[" + pairs +
                   "]\n return %1\n}",
               40);
}

TEST_CASE("collectives over a tuple of two axes, one of a vmap and the other of a pmap") {
    // Axis 5 has size 2, axis 6 has size 3. The inner map is over axis 6, the outer map over axis 5.
    const auto mapped = [](const BlockPtr& body, std::int64_t id, std::int64_t size) {
        ops::Build b;
        Values params;
        for (Type type : body->param_types()) {
            type.shape.insert(type.shape.begin(), size);
            params.push_back(b.param(type));
        }
        const ir::Integers in_axes(params.size(), 0);
        return b.finish(b.emit(ir::Op::pmap, params,
                               {{ir::Attr::axis_id, id},
                                {ir::Attr::axis_name, std::string("i")},
                                {ir::Attr::axis_size, size},
                                {ir::Attr::in_axes, in_axes},
                                {ir::Attr::out_axes, ir::Integers(body->results.size(), 0)},
                                {ir::Attr::tiled, std::int64_t{0}}},
                               {body}));
    };
    for (const char* axes : {"axes=[5, 6] sizes=[2, 3]", "axes=[6, 5] sizes=[3, 2]"}) {
        CAPTURE(axes);
        const std::string with = std::string(" ") + axes + " axis_size=6 ";
        const std::string texts[] = {
            "fn f(%0: f64[2]) -> (f64[2]) {\n %1: f64[2] = psum(%0)" + with + "\n return %1\n}",
            "fn f(%0: f64[2]) -> (f64[2]) {\n %1: f64[2] = pmax(%0)" + with + "\n return %1\n}",
            "fn f(%0: f64[2]) -> (f64[2, 6]) {\n %1: f64[2, 6] = all_gather(%0)" + with +
                "axis=1 tiled=0\n return %1\n}",
            "fn f(%0: f64[2]) -> (f64[12]) {\n %1: f64[12] = all_gather(%0)" + with + "axis=0 tiled=1\n return %1\n}",
            "fn f(%0: f64[2, 6]) -> (f64[2]) {\n %1: f64[2] = psum_scatter(%0)" + with +
                "axis=1 tiled=0\n return %1\n}",
            "fn f(%0: f64[12]) -> (f64[2]) {\n %1: f64[2] = psum_scatter(%0)" + with + "axis=0 tiled=1\n return %1\n}",
            "fn f(%0: f64[2]) -> (f64[2]) {\n %1: f64[2] = ppermute(%0)" + with +
                "pairs=[0, 1, 1, 4, 4, 0, 5, 5]\n return %1\n}",
            "fn f(%0: f64[2, 6]) -> (f64[6, 2]) {\n %1: f64[6, 2] = all_to_all(%0)" + with +
                "split_axis=1 concat_axis=0 tiled=0\n return %1\n}",
            "fn f(%0: f64[12, 3]) -> (f64[2, 18]) {\n %1: f64[2, 18] = all_to_all(%0)" + with +
                "split_axis=0 concat_axis=1 tiled=1\n return %1\n}",
        };
        for (const std::string& text : texts) {
            CAPTURE(text);
            const BlockPtr body = program(text);
            const BlockPtr both = mapped(mapped(body, 6, 3), 5, 2);
            const Arrays at = random_arrays(both->param_types(), 2);
            const Arrays due = run(both, at);
            const BlockPtr inner = mapped(batched_whole(body, {true}, 3, 6), 5, 2);
            const BlockPtr outer = batched_whole(mapped(body, 6, 3), {true}, 2, 5);
            const BlockPtr none = batched_whole(batched_whole(body, {true}, 3, 6), {true}, 2, 5);
            for (const BlockPtr& block : {inner, outer, none})
                check_close(run(verified(block, "batch"), at), due, 1e-12);
        }
    }
}

// ---- masks

namespace {

std::string printed(const BlockPtr& block, const Arrays& arguments) {
    std::string text;
    evaluate::Options options;
    options.print = [&](std::string_view line) { text += line; };
    evaluate::evaluate(block, arguments, options);
    return text;
}

Array f64s(std::initializer_list<double> values) {
    return Array::from_values<double>(DType::f64, {static_cast<std::int64_t>(values.size())},
                                      std::vector<double>(values));
}

const char* const guarded = R"(
fn f(%0: f64) -> (f64) {
  %1: f64 = constant() shape=[] dtype=f64 value=f64:0
  %2: bool = less(%1, %0)
  %3: f64 = if(%2, %0) {
    (%0: f64) {
      %1: f64 = constant() shape=[] dtype=f64 value=f64:3
      %2: bool = less(%0, %1)
      check(%2, %0) text="{} is not below 3"
      print(%0) text="at {};"
      %3: f64 = while(%0) whole=0 carried=1 {
        (%0: f64) {
          %1: f64 = constant() shape=[] dtype=f64 value=f64:3
          %2: bool = less(%0, %1)
          return %2
        }
        (%0: f64) {
          %1: f64 = add(%0, %0)
          return %1
        }
      }
      return %3
    }
    (%0: f64) {
      print() text="none;"
      return %0
    }
  }
  return %3
})";

} // namespace

TEST_CASE("effects and inner loops run only for elements for which the condition is true") {
    const BlockPtr block = program(guarded);
    const BlockPtr made = verified(batch(block, {true}, 3).block, "batch");
    // Without a mask, the inner loop of the element -1 would not end, and the element would print.
    CHECK(printed(made, {f64s({1, -1, 2})}) == "at 1.0;at 2.0;none;");
    const Arrays results = run(made, {f64s({1, -1, 2})});
    CHECK(results[0].as_f64(0) == 4);
    CHECK(results[0].as_f64(1) == -1);
    CHECK(results[0].as_f64(2) == 4);
    try {
        run(made, {f64s({1, -1, 5})});
        FAIL("the check did not fail");
    } catch (const Error& error) {
        CHECK(error.diagnostic().message.find("5") != std::string::npos);
    }
}

TEST_CASE("nested masks are combined") {
    const BlockPtr block = program(guarded);
    const BlockPtr twice = batch(batch(block, {true}, 2).block, {true}, 2).block;
    verified(twice, "batch");
    const Array x = f64s({1, -1, -2, 2}).reshape({2, 2});
    const Arrays results = run(twice, {x});
    CHECK(results[0].as_f64(0) == 4);
    CHECK(results[0].as_f64(1) == -1);
    CHECK(results[0].as_f64(2) == -2);
    CHECK(results[0].as_f64(3) == 4);
}

TEST_CASE("a check in a callee applies only where the mask is true") {
    const BlockPtr block = program(R"(
fn @positive(%0: f64) -> (f64) {
  %1: f64 = constant() shape=[] dtype=f64 value=f64:0
  %2: bool = less(%1, %0)
  check(%2) text="not positive"
  %3: f64 = log(%0)
  return %3
}
fn f(%0: f64, %1: f64) -> (f64) {
  %2: f64 = constant() shape=[] dtype=f64 value=f64:0
  %3: bool = less(%2, %0)
  %4: f64 = if(%3, %0, %1) {
    (%0: f64, %1: f64) {
      %2: f64 = call(%0) text="positive" @positive
      %3: f64 = scan(%0, %2) whole=1 carried=1 length=2 reverse=0 {
        (%0: i32, %1: f64, %2: f64) {
          %3: f64 = call(%1) text="positive" @positive
          %4: f64 = add(%2, %3)
          return %4
        }
      }
      return %3
    }
    (%0: f64, %1: f64) {
      %2: f64 = call(%1) text="positive" @positive
      return %2
    }
  }
  return %4
})");
    const BlockPtr made = verified(batch(block, {true, true}, 2).block, "batch");
    const Arrays results = run(made, {f64s({2, -1}), f64s({-1, 1})});
    CHECK(results[0].as_f64(0) == doctest::Approx(3 * std::log(2.0)));
    CHECK(results[0].as_f64(1) == 0);
    CHECK_THROWS_AS(run(made, {f64s({2, -1}), f64s({-1, -1})}), Error);
}

TEST_CASE("a print runs for each element in order, also if its operands are not batched") {
    const BlockPtr block = program(R"(
fn f(%0: f64, %1: f64) -> (f64) {
  print(%1, %0) text="{} {};"
  print(%1) text="same {};"
  return %0
})");
    const BlockPtr made = verified(batch(block, {true, false}, 2).block, "batch");
    CHECK(printed(made, {f64s({1, 2}), Array::scalar(DType::f64, 7.0)}) == "7.0 1.0;7.0 2.0;same 7.0;same 7.0;");
}

TEST_CASE("a conditional update in a loop remains an update") {
    const BlockPtr block = program(R"(
fn f(%0: f64[8], %1: f64[8]) -> (f64[8]) {
  %2: f64[8] = scan(%1, %0) whole=1 carried=1 length=8 reverse=0 {
    (%0: i32, %1: f64[8], %2: f64[8]) {
      %3: f64[1] = dynamic_slice(%1, %0) sizes=[1]
      %4: f64 = reshape(%3) shape=[]
      %5: f64 = constant() shape=[] dtype=f64 value=f64:1
      %6: bool = less(%4, %5)
      %7: f64[8] = if(%6, %0, %2, %3) {
        (%0: i32, %1: f64[8], %2: f64[1]) {
          %3: f64[8] = dynamic_update(%1, %2, %0)
          return %3
        }
        (%0: i32, %1: f64[8], %2: f64[1]) {
          return %1
        }
      }
      return %7
    }
  }
  return %2
})");
    const Batched made = batch(block, {true, true}, 3);
    const int selects = instructions(*made.block, [](const ir::Block& b, const ir::Inst& i) {
        return i.op == ir::Op::select && b.type(i.results[0]).elements() >= 8;
    });
    CHECK(selects == 0);
    check_batches(block);
    for (const Named& named : programs()) {
        if (named.name != "nested conditional updates in a while" && named.name != "conditional update") continue;
        CAPTURE(named.name);
        const BlockPtr one = program(named.text);
        const int whole = instructions(*batch(one, BitMask(one->params.size(), true), 3).block,
                                       [](const ir::Block& b, const ir::Inst& i) {
                                           return i.op == ir::Op::select && b.type(i.results[0]).elements() >= 12;
                                       });
        CHECK(whole == 0);
    }
}
