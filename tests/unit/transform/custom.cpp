#include "compiler/base/diagnostic.hpp"
#include "tests/unit/transform/harness.hpp"

using namespace pm;
using namespace pm::transform;
using namespace pm::transform::test;

namespace {

/// sin(x) * s, where s is a closed-over value. The rule is the derivative of the function times `factor`.
std::string scaled_by_rule(const std::string& factor) {
    return R"(
fn f(%s: f64, %x: f64[3]) -> (f64[3]) {
  %y: f64[3] = custom(%s, %x) text="scaled" closed=1 {
    primal(%s: f64, %x: f64[3]) {
      %a: f64[3] = sin(%x)
      %b: f64[3] = broadcast(%s) shape=[3] dims=[]
      %c: f64[3] = mul(%a, %b)
      return %c
    }
    rule(%s: f64, %x: f64[3], %t: f64[3]) {
      %a: f64[3] = sin(%x)
      %b: f64[3] = broadcast(%s) shape=[3] dims=[]
      %c: f64[3] = mul(%a, %b)
      %d: f64[3] = cos(%x)
      %e: f64[3] = mul(%d, %t)
      %g: f64[3] = mul(%e, %b)
      %k: f64[3] = constant() shape=[3] dtype=f64 value=f64:)" +
           factor + R"(
      %h: f64[3] = mul(%g, %k)
      return %c, %h
    }
  }
  return %y
})";
}

/// a . sin(exp(x)), with an unused integer. `bwd` returns the derivative times 3.
const char* const backwards = R"(
fn f(%a: f64[3], %x: f64[3], %n: i32) -> (f64, i32) {
  %p: f64[3] = exp(%x)
  %y: f64, %m: i32 = custom(%a, %p, %n) text="product" closed=0 {
    primal(%a: f64[3], %x: f64[3], %n: i32) {
      %b: f64[3] = sin(%x)
      %c: f64[3] = mul(%a, %b)
      %d: f64 = reduce_sum(%c) axes=[0]
      return %d, %n
    }
    fwd(%a: f64[3], %x: f64[3], %n: i32) {
      %b: f64[3] = sin(%x)
      %e: f64[3] = cos(%x)
      %c: f64[3] = mul(%a, %b)
      %d: f64 = reduce_sum(%c) axes=[0]
      return %d, %n, %a, %b, %e
    }
    bwd(%a: f64[3], %b: f64[3], %e: f64[3], %t: f64) {
      %k: f64 = constant() shape=[] dtype=f64 value=f64:3.0
      %u: f64 = mul(%t, %k)
      %v: f64[3] = broadcast(%u) shape=[3] dims=[]
      %w: f64[3] = mul(%b, %v)
      %q: f64[3] = mul(%a, %e)
      %r: f64[3] = mul(%q, %v)
      return %w, %r
    }
  }
  return %y, %m
})";

/// The same function without a custom rule.
const char* const plain = R"(
fn f(%a: f64[3], %x: f64[3], %n: i32) -> (f64, i32) {
  %p: f64[3] = exp(%x)
  %b: f64[3] = sin(%p)
  %c: f64[3] = mul(%a, %b)
  %d: f64 = reduce_sum(%c) axes=[0]
  return %d, %n
})";

template <class Work>
Diag refused(const Work& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.diagnostic().id;
    }
    return Diag::internal;
}

Array times(const Array& a, double factor) {
    Array made = a.clone();
    for (std::int64_t i = 0; i < made.elements(); ++i) made.mutable_as<double>()[i] *= factor;
    return made;
}

const BitMask all_active = {true, true, false};

} // namespace

TEST_CASE("a rule that equals the derivative gives the same results in every transformation") {
    const BlockPtr block = program(scaled_by_rule("1.0"));
    check_jvp(block, {false, true});
    check_vjp(block, {false, true});
    check_batches(block);
    check_jvp(batch(block, {true, true}, 2).block, {false, true});
    check_vjp(batch(block, {true, false}, 2).block, {false, true});
}

TEST_CASE("the derivative is that of the rule, not of the primal") {
    const BlockPtr once = program(scaled_by_rule("1.0"));
    const BlockPtr twice = program(scaled_by_rule("2.0"));
    const Arrays at = random_arrays({{DType::f64, {}}, {DType::f64, {3}}, {DType::f64, {3}}}, 3);
    const Arrays due = run(jvp(once, {false, true}).block, at);
    const Arrays got = run(jvp(twice, {false, true}).block, at);
    check_close({got[0]}, {due[0]}, 0);
    check_close({got[1]}, {times(due[1], 2)}, 1e-15);
    const Arrays back = run(vjp(twice, {false, true}).block, at);
    check_close({back[1]}, {times(run(vjp(once, {false, true}).block, at)[1], 2)}, 1e-15);
}

TEST_CASE("derivatives with respect to closed-over values are refused") {
    const BlockPtr block = program(scaled_by_rule("1.0"));
    CHECK(refused([&] { jvp(block, {true, true}); }) == Diag::closed_derivative);
    CHECK(refused([&] { vjp(block, {true, false}); }) == Diag::closed_derivative);
}

TEST_CASE("a derivative with respect to a closed-over value that the function does not use is accepted") {
    const BlockPtr block = program(R"(
fn f(%w: f64, %x: f64) -> (f64) {
  %y: f64 = custom(%w, %x) text="f" closed=1 {
    primal(%w: f64, %x: f64) {
      %a: f64 = sin(%x)
      return %a
    }
    rule(%w: f64, %x: f64, %t: f64) {
      %a: f64 = sin(%x)
      %b: f64 = cos(%x)
      %c: f64 = mul(%b, %t)
      return %a, %c
    }
  }
  %z: f64 = mul(%y, %w)
  return %z
})");
    check_jvp(block);
    check_vjp(block);
}

TEST_CASE("a call staged without rules runs and is not differentiated") {
    const BlockPtr block = program(R"(
fn f(%x: f64) -> (f64) {
  %y: f64 = custom(%x) text="f" closed=0 {
    primal(%x: f64) {
      %a: f64 = sin(%x)
      return %a
    }
  }
  return %y
})");
    check_batches(block);
    CHECK(refused([&] { jvp(block, {true}); }) == Diag::late_derivative);
    const BlockPtr made = verified(lower_complex(block), "lower_complex");
    CHECK(instructions(*made, [](const ir::Block&, const ir::Inst& i) { return i.op == ir::Op::custom; }) == 0);
}

TEST_CASE("a rule with a zero tangent makes its result inactive") {
    const BlockPtr block = program(R"(
fn f(%x: f64[2]) -> (f64[2]) {
  %y: f64[2] = custom(%x) text="f" closed=0 {
    primal(%x: f64[2]) {
      return %x
    }
    rule(%x: f64[2], %t: f64[2]) {
      %z: f64 = constant() shape=[] dtype=f64 value=f64:0.0
      %o: f64[2] = broadcast(%z) shape=[2] dims=[]
      return %x, %o
    }
  }
  return %y
})");
    CHECK(jvp(block, {true}).active_results == BitMask{false});
}

TEST_CASE("a rule with a condition on a tangent works in forward mode and is refused in reverse mode") {
    const BlockPtr block = program(R"(
fn f(%x: f64) -> (f64) {
  %y: f64 = custom(%x) text="f" closed=0 {
    primal(%x: f64) {
      return %x
    }
    rule(%x: f64, %t: f64) {
      %b: f64 = constant() shape=[] dtype=f64 value=f64:10.0
      %c: bool = less(%t, %b)
      %u: f64 = if(%c, %x, %t) {
        then(%x: f64, %t: f64) {
          %m: f64 = mul(%x, %t)
          return %m
        }
        else(%x: f64, %t: f64) {
          return %t
        }
      }
      return %x, %u
    }
  }
  return %y
})");
    const Arrays at = {Array::scalar(DType::f64, 3.0), Array::scalar(DType::f64, 2.0)};
    check_close({run(jvp(block, {true}).block, at)[1]}, {Array::scalar(DType::f64, 6.0)}, 0);
    const Linearized made = linearize(block, {true});
    verified(made.linear, "linearize");
    CHECK(made.residuals == 1);
    check_close(run(made.linear, at), {Array::scalar(DType::f64, 6.0)}, 0);
    CHECK(refused([&] { vjp(block, {true}); }) == Diag::rule_not_linear);
}

TEST_CASE("fwd and bwd are the derivative in reverse mode") {
    const BlockPtr block = program(backwards);
    const Vjp custom = vjp(block, all_active);
    const Vjp own = vjp(program(plain), all_active);
    verified(custom.block, "vjp");
    REQUIRE(custom.active_results == own.active_results);
    Arrays at = random_arrays(block->param_types(), 5);
    at.push_back(Array::scalar(DType::f64, 1.5));
    const Arrays got = run(custom.block, at);
    const Arrays due = run(own.block, at);
    check_close(got, {due[0], due[1], times(due[2], 3), times(due[3], 3)}, 1e-14);
    // The derivative with respect to one argument alone, and derivatives of the derivative.
    const Arrays one = run(vjp(block, {false, true, false}).block, at);
    check_close({one[2]}, {times(due[3], 3)}, 1e-14);
    check_vjp(custom.block, {true, true, false, true});
    check_jvp(custom.block, {true, true, false, true});
}

TEST_CASE("fwd and bwd batched are the derivative of the batch") {
    const BlockPtr block = program(backwards);
    const BlockPtr own = program(plain);
    check_batches(block);
    for (const BitMask& batched :
         {BitMask{true, true, false}, BitMask{true, false, false}, BitMask{false, true, true}}) {
        const Vjp first = vjp(batch(block, batched, 4).block, all_active);
        verified(first.block, "vjp of batch");
        const Vjp due = vjp(batch(own, batched, 4).block, all_active);
        REQUIRE(first.active_results == due.active_results);
        const Arrays at = random_arrays(first.block->param_types(), 7);
        const Arrays expected = run(due.block, at);
        check_close(run(first.block, at), {expected[0], expected[1], times(expected[2], 3), times(expected[3], 3)},
                    1e-13);
        BitMask with_cotangent = batched;
        with_cotangent.push_back(true);
        check_batch(vjp(block, all_active).block, with_cotangent, 4);
    }
}

TEST_CASE("forward mode through fwd and bwd is refused only when the tangent is used") {
    const BlockPtr block = program(backwards);
    const Jvp forward = jvp(block, all_active);
    verified(forward.block, "jvp");
    const Arrays at = random_arrays(forward.block->param_types(), 9);
    CHECK(refused([&] { run(forward.block, at); }) == Diag::forward_of_vjp);
    // No rule defines the derivative of the tangent with respect to the primal inputs.
    CHECK(refused([&] { jvp(forward.block, {true, true, false, true, true}); }) == Diag::forward_of_vjp);
}

TEST_CASE("the linear part can be batched, transposed, and differentiated with respect to tangents") {
    const BlockPtr block = program(backwards);
    const Linearized linear = linearize(block, all_active);
    const std::size_t residuals = linear.residuals;
    const BlockPtr batched =
        verified(batch(linear.linear, test::joined(BitMask(residuals, false), BitMask{true, true}), 3).block, "batch");
    const BlockPtr back = verified(transpose(batched, 2), "transpose");
    const BlockPtr single = transpose(linear.linear, 2);
    Arrays at = random_arrays(single->param_types(), 11);
    Arrays rows = at;
    rows.back() = random_arrays({{DType::f64, {3}}}, 12)[0];
    const Arrays got = run(back, rows);
    for (std::int64_t i = 0; i < 3; ++i) {
        at.back() = rows.back().at(i).clone();
        check_close(element(got, {true, true}, i), run(single, at), 1e-14);
    }
    const Jvp along = jvp(linear.linear, test::joined(BitMask(residuals, false), BitMask{true, true}));
    CHECK(along.active_results == BitMask{true});
    CHECK(refused([&] { jvp(linear.linear, BitMask(residuals + 2, true)); }) == Diag::forward_of_vjp);
}

TEST_CASE("custom rules apply in branches and loops, under masks") {
    const BlockPtr block = program(R"(
fn f(%x: f64, %n: f64) -> (f64) {
  %w: f64 = while(%n, %x) whole=1 carried=1 {
    (%n: f64, %x: f64) {
      %c: bool = less(%x, %n)
      return %c
    }
    (%n: f64, %x: f64) {
      %k: f64 = constant() shape=[] dtype=f64 value=f64:0.8
      %c: bool = less(%x, %k)
      %y: f64 = if(%c, %x) {
        (%x: f64) {
          %y: f64 = custom(%x) text="f" closed=0 {
            primal(%x: f64) {
              %k: f64 = constant() shape=[] dtype=f64 value=f64:5.0
              %c: bool = less(%x, %k)
              check(%c, %x) text="too large: {}"
              %a: f64 = exp(%x)
              return %a
            }
            fwd(%x: f64) {
              %k: f64 = constant() shape=[] dtype=f64 value=f64:5.0
              %c: bool = less(%x, %k)
              check(%c, %x) text="too large: {}"
              %a: f64 = exp(%x)
              return %a, %a
            }
            bwd(%a: f64, %t: f64) {
              %b: f64 = mul(%a, %t)
              return %b
            }
          }
          return %y
        }
        (%x: f64) {
          %k: f64 = constant() shape=[] dtype=f64 value=f64:1.5
          %a: f64 = mul(%x, %k)
          return %a
        }
      }
      return %y
    }
  }
  return %w
})");
    check_batches(block);
    const BitMask active = {true, false};
    const Vjp reverse = vjp(block, active);
    verified(reverse.block, "vjp");
    for (const BitMask& batched : {BitMask{true, false}, BitMask{true, true}, BitMask{false, true}}) {
        const Vjp of_batch = vjp(batch(block, batched, 4).block, active);
        verified(of_batch.block, "vjp of batch");
        const Arrays at = random_arrays(of_batch.block->param_types(), 13);
        const Arrays got = run(of_batch.block, at);
        double sum = 0;
        for (std::int64_t i = 0; i < 4; ++i) {
            const Arrays one = run(reverse.block, element(at, {batched[0], batched[1], true}, i));
            check_close({got[0].at(i).clone()}, {one[0]}, 1e-13);
            if (batched[0]) check_close({got[1].at(i).clone()}, {one[1]}, 1e-13);
            sum += one[1].as_f64();
        }
        if (!batched[0]) CHECK(std::abs(got[1].as_f64() - sum) < 1e-12 * (1 + std::abs(sum)));
    }
}

TEST_CASE("a result varies along the axes along which the primal's result varies") {
    const BlockPtr block = program(scaled_by_rule("1.0"));
    CHECK(varies(*block, {7}, {1, 0}).results == std::vector<AxisSet>{1});
    CHECK(varies(*block, {7}, {0, 0}).results == std::vector<AxisSet>{0});
}

TEST_CASE("functions with rules are printed and read back") {
    for (const std::string& text : {scaled_by_rule("1.0"), std::string(backwards)}) {
        const std::string once = ir::print(*program(text));
        CHECK(ir::print(*program(once)) == once);
    }
}
