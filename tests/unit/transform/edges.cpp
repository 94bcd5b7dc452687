#include "compiler/base/diagnostic.hpp"
#include "tests/unit/transform/harness.hpp"

#include <fmt/format.h>

using namespace pm;
using namespace pm::transform;
using namespace pm::transform::test;

namespace {

BlockPtr named_program(std::string_view name) {
    for (const Named& named : programs())
        if (named.name == name) return program(named.text);
    FAIL("no such program");
    return nullptr;
}

} // namespace

TEST_CASE("a loop without iterations can be differentiated and batched") {
    const BlockPtr block = program(R"(
fn f(%0: f64[3], %1: f64, %2: f64[0, 3]) -> (f64, f64[0]) {
  %3: f64, %4: f64[0] = scan(%0, %1, %2) whole=1 carried=1 length=0 reverse=0 {
    (%0: i32, %1: f64[3], %2: f64, %3: f64[3]) {
      %4: f64[3] = mul(%1, %3)
      %5: f64 = reduce_sum(%4) axes=[0]
      %6: f64 = mul(%5, %2)
      return %6, %5
    }
  }
  return %3, %4
})");
    check_jvp(block);
    check_vjp(block);
    check_batches(block);
}

TEST_CASE("a program that is batched over no elements has results without elements") {
    for (const Named& named : programs()) {
        CAPTURE(named.name);
        const BlockPtr block = program(named.text);
        const Batched made = batch(block, BitMask(block->params.size(), true), 0);
        verified(made.block, "batch");
        const Arrays results = run(made.block, random_arrays(made.block->param_types(), 1));
        for (std::size_t i = 0; i < results.size(); ++i)
            if (made.batched[i]) CHECK(results[i].shape()[0] == 0);
    }
}

TEST_CASE("a linear function that also computes nonlinear values can be transposed") {
    // The scan carries the linear value and a factor, which depends on a parameter.
    const BlockPtr block = program(R"(
fn f(%0: f64, %1: f64[3], %2: f64[4, 3]) -> (f64[3], f64[4, 3], f64) {
  %3: f64, %4: f64[3], %5: f64[4, 3] = scan(%0, %1, %2) whole=0 carried=2 length=4 reverse=0 {
    (%0: i32, %1: f64, %2: f64[3], %3: f64[3]) {
      %4: f64 = sin(%1)
      %5: f64[3] = broadcast(%4) shape=[3] dims=[]
      %6: f64[3] = mul(%2, %5)
      %7: f64[3] = add(%6, %3)
      return %4, %7, %6
    }
  }
  return %4, %5, %3
})");
    const BlockPtr back = verified(transpose(block, 2), "transpose");
    const Arrays at = random_arrays(block->param_types(), 1);
    const Arrays weights = random_arrays(block->result_types(), 2);
    const Arrays results = run(block, at);
    const Arrays cotangents = run(back, joined(Arrays{at[0]}, weights));
    // the last result does not depend on the linear parameters
    const double x = inner({results[0], results[1]}, {weights[0], weights[1]});
    const double y = inner(cotangents, {at[1], at[2]});
    CHECK(std::abs(x - y) < 1e-12 * (1 + std::abs(x)));
}

TEST_CASE("the cotangents of an operand that is used as a whole are added to one sum, also in loops and callees") {
    const BlockPtr block = program(R"(
fn @read(%0: f64[20], %1: i32) -> (f64) {
  %2: f64[1] = dynamic_slice(%0, %1) sizes=[1]
  %3: f64 = reshape(%2) shape=[]
  return %3
}
fn f(%0: f64[20], %1: f64) -> (f64) {
  %2: f64 = scan(%0, %1) whole=1 carried=1 length=6 reverse=0 {
    (%0: i32, %1: f64[20], %2: f64) {
      %3: f64 = call(%1, %0) text="read" @read
      %4: f64 = scan(%1, %3) whole=1 carried=1 length=6 reverse=0 {
        (%0: i32, %1: f64[20], %2: f64) {
          %3: f64 = call(%1, %0) text="read" @read
          %4: f64 = mul(%3, %2)
          return %4
        }
      }
      %5: f64 = add(%4, %2)
      return %5
    }
  }
  return %2
})");
    check_vjp(block);
    const Linearized linear = linearize(block, {true, true});
    const BlockPtr back = transpose(linear.linear, 2);
    int dense = 0;
    for (const ir::Inst& inst : back->insts)
        for (const BlockPtr& region : inst.regions)
            dense += instructions(*region, [](const ir::Block& b, const ir::Inst& i) {
                return (i.op == ir::Op::constant || i.op == ir::Op::add || i.op == ir::Op::pad) &&
                       b.type(i.results[0]).elements() >= 20;
            });
    CHECK(dense == 0);
}

TEST_CASE("residuals of the branches of an if share results of the if") {
    // One branch has two residuals, the other branch has one.
    const Linearized linear = linearize(program(R"(
fn f(%0: bool, %1: f64[30]) -> (f64[30]) {
  %2: f64[30] = if(%0, %1) {
    (%0: f64[30]) {
      %1: f64[30] = sin(%0)
      return %1
    }
    (%0: f64[30]) {
      %1: f64[30] = exp(%0)
      %2: f64[30] = sin(%1)
      return %2
    }
  }
  return %2
})"),
                                        {false, true});
    std::size_t results = 0;
    for (const ir::Inst& inst : linear.primal->insts)
        if (inst.op == ir::Op::if_) results += inst.results.size();
    CHECK(results <= 3);
}

TEST_CASE("loop-invariant residuals of branches and calls in a loop are stored once") {
    const auto kept = [](std::string_view text) {
        const BlockPtr block = program(text);
        const Linearized linear = linearize(block, {true, false, false});
        for (const Type& type : linear.primal->result_types()) CHECK(type.elements() <= 50);
        check_vjp(block, {true, false, false});
    };
    // Both branches have a residual of the same type, but the two residuals do not share a result. One branch contains
    // an if that contains a call.
    kept(R"(
fn @power(%0: f64[50], %1: i32) -> (f64[50], i32) {
  %2: f64[50] = exp(%0)
  %3: i32 = add(%1, %1)
  return %2, %3
}
fn f(%0: f64[50], %1: f64, %2: bool[7]) -> (f64) {
  %3: f64 = scan(%0, %1, %2) whole=1 carried=1 length=7 reverse=0 {
    (%0: i32, %1: f64[50], %2: f64, %3: bool) {
      %4: f64 = if(%3, %1, %0, %3) {
        (%0: f64[50], %1: i32, %2: bool) {
          %3: f64 = if(%2, %0, %1) {
            (%0: f64[50], %1: i32) {
              %2: f64[50], %3: i32 = call(%0, %1) text="power" @power
              %4: f64[50] = sin(%2)
              %5: f64[1] = dynamic_slice(%4, %3) sizes=[1]
              %6: f64 = reshape(%5) shape=[]
              return %6
            }
            (%0: f64[50], %1: i32) {
              %2: f64[50] = sin(%0)
              %3: f64 = reduce_sum(%2) axes=[0]
              return %3
            }
          }
          return %3
        }
        (%0: f64[50], %1: i32, %2: bool) {
          %3: f64[50] = sin(%0)
          %4: f64[1] = dynamic_slice(%3, %1) sizes=[1]
          %5: f64 = reshape(%4) shape=[]
          return %5
        }
      }
      %5: f64 = add(%2, %4)
      return %5
    }
  }
  return %3
})");
    // An if in an inner loop.
    kept(R"(
fn f(%0: f64[50], %1: f64, %2: bool[7]) -> (f64) {
  %3: f64 = scan(%0, %1, %2) whole=1 carried=1 length=7 reverse=0 {
    (%0: i32, %1: f64[50], %2: f64, %3: bool) {
      %4: f64 = scan(%3, %1, %2) whole=2 carried=1 length=3 reverse=0 {
        (%0: i32, %1: bool, %2: f64[50], %3: f64) {
          %4: f64 = if(%1, %2, %3) {
            (%0: f64[50], %1: f64) {
              %2: f64[50] = exp(%0)
              %3: f64 = reduce_sum(%2) axes=[0]
              %4: f64 = add(%3, %1)
              return %4
            }
            (%0: f64[50], %1: f64) {
              return %1
            }
          }
          return %4
        }
      }
      return %4
    }
  }
  return %3
})");
}

TEST_CASE("loop-invariant residuals and their operands are computed before the loop, but a `while` is not moved") {
    const auto loops_outside = [](std::string_view inner) {
        const BlockPtr block = program(fmt::format(R"(
fn f(%0: f64[50], %1: f64, %2: bool[7]) -> (f64) {{
  %3: f64 = scan(%0, %1, %2) whole=1 carried=1 length=7 reverse=0 {{
    (%0: i32, %1: f64[50], %2: f64, %3: bool) {{
      %4: f64 = if(%3, %1, %2) {{
        (%0: f64[50], %1: f64) {{
          {}
          %3: f64[50] = mul(%0, %2)
          %4: f64 = reduce_sum(%3) axes=[0]
          %5: f64 = mul(%4, %1)
          return %5
        }}
        (%0: f64[50], %1: f64) {{
          return %1
        }}
      }}
      return %4
    }}
  }}
  return %3
}})",
                                                   inner));
        check_vjp(block, {false, true, false});
        std::size_t outside = 0;
        const Linearized linear = linearize(block, {false, true, false});
        for (const ir::Inst& inst : linear.primal->insts)
            if (inst.op == ir::Op::scan || inst.op == ir::Op::while_) ++outside;
        return outside;
    };
    CHECK(loops_outside(R"(%2: f64[50] = scan(%0) whole=0 carried=1 length=3 reverse=0 {
            (%0: i32, %1: f64[50]) {
              %2: f64[50] = sin(%1)
              return %2
            }
          })") == 2);
    CHECK(loops_outside(R"(%2: f64[50] = while(%0) whole=0 carried=1 {
            (%0: f64[50]) {
              %1: f64 = reduce_sum(%0) axes=[0]
              %2: f64 = constant() shape=[] dtype=f64 value=f64:20
              %3: bool = less(%2, %1)
              return %3
            }
            (%0: f64[50]) {
              %1: f64[50] = sin(%0)
              return %1
            }
          })") == 1);
}

TEST_CASE("f32 and bf16 keep their types through derivatives and batching") {
    const BlockPtr block = program(R"(
fn f(%0: f32[3], %1: bf16) -> (f32, bf16) {
  %2: f32 = convert(%1) dtype=f32
  %3: f32[3] = broadcast(%2) shape=[3] dims=[]
  %4: f32[3] = mul(%0, %3)
  %5: f32 = reduce_sum(%4) axes=[0]
  %6: bf16 = convert(%5) dtype=bf16
  return %5, %6
})");
    const Vjp back = vjp(block, {true, true});
    verified(back.block, "vjp");
    const std::vector<Type> types = back.block->result_types();
    CHECK(types[2] == Type{DType::f32, {3}});
    CHECK(types[3] == Type{DType::bf16, {}});
    verified(batch(back.block, {true, false, true, true}, 2).block, "batch");
}

TEST_CASE("gradients through psum are JAX's for pmap") {
    // f(w, d) = grad(lambda w: psum(w * d))(w) with d = [0, 1] and w = [1, 1] is [0, 2].
    const BlockPtr loss = program(R"(
fn f(%0: f64, %1: f64) -> (f64) {
  %2: f64 = mul(%0, %1)
  %3: f64 = psum(%2) axes=[5] axis_size=2
  return %3
})");
    const BlockPtr back = vjp(loss, {true, false}).block;
    const auto values = [](double a, double b) {
        return Array::from_values<double>(DType::f64, {2}, std::vector<double>{a, b});
    };
    const Arrays made = run(batch(back, {true, true, true}, 2, 5).block, {values(1, 1), values(0, 1), values(1, 1)});
    CHECK(made[1].as_f64(0) == 0);
    CHECK(made[1].as_f64(1) == 2);
}

TEST_CASE("with out_axes none a cotangent is divided, with in_axes none it is summed, so derivatives are exact") {
    // The sum over devices of x_i * w is one result. Its derivative with respect to w is the sum of x.
    const BlockPtr block = program(R"(
fn f(%0: f64[4], %1: f64) -> (f64) {
  %2: f64 = pmap(%0, %1) axis_id=1 axis_name="d" axis_size=4 in_axes=[0, -1] out_axes=[-1] tiled=0 {
    (%0: f64, %1: f64) {
      %2: f64 = mul(%0, %1)
      %3: f64 = psum(%2) axes=[1] axis_size=4
      return %3
    }
  }
  return %2
})");
    const Array x = Array::from_values<double>(DType::f64, {4}, std::vector<double>{1, 2, 3, 4});
    const Arrays made =
        run(vjp(block, {true, true}).block, {x, Array::scalar(DType::f64, 2.0), Array::scalar(DType::f64, 1.0)});
    CHECK(made[0].as_f64() == 20);
    CHECK(made[2].as_f64() == 10);
    for (std::int64_t i = 0; i < 4; ++i) CHECK(made[1].as_f64(i) == 2);
}

TEST_CASE("collectives over the batch axis in loops, branches and callees") {
    const BlockPtr block = program(R"(
fn @total(%0: f64) -> (f64, i32) {
  %1: f64 = psum(%0) axes=[5] axis_size=3
  %2: i32 = axis_index() axis_id=5
  return %1, %2
}
fn f(%0: f64, %1: bool, %2: f64) -> (f64, f64) {
  %3: f64 = scan(%0) whole=0 carried=1 length=2 reverse=0 {
    (%0: i32, %1: f64) {
      %2: f64, %3: i32 = call(%1) text="total" @total
      %4: f64 = convert(%3) dtype=f64
      %5: f64 = sin(%2)
      %6: f64 = mul(%5, %4)
      return %6
    }
  }
  %4: f64 = if(%1, %3, %2) {
    (%0: f64, %1: f64) {
      %2: f64 = psum(%1) axes=[5] axis_size=3
      %3: f64 = mul(%2, %0)
      return %3
    }
    (%0: f64, %1: f64) {
      return %1
    }
  }
  return %3, %4
})");
    ops::Build b;
    const Value x = b.param({DType::f64, {3}});
    const Value c = b.param({DType::b1, {}});
    const Value y = b.param({DType::f64, {}});
    const BlockPtr mapped = b.finish(b.emit(ir::Op::pmap, {x, c, y},
                                            {{ir::Attr::axis_id, std::int64_t{5}},
                                             {ir::Attr::axis_name, std::string("i")},
                                             {ir::Attr::axis_size, std::int64_t{3}},
                                             {ir::Attr::in_axes, ir::Integers{0, -1, -1}},
                                             {ir::Attr::out_axes, ir::Integers{0, 0}},
                                             {ir::Attr::tiled, std::int64_t{0}}},
                                            {block}));
    const BlockPtr made = verified(batched_whole(block, {true, false, false}, 3, 5), "batch");
    for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
        const Arrays at = random_arrays(mapped->param_types(), seed);
        check_close(run(made, at), run(mapped, at), 1e-12);
    }
    check_jvp(mapped);
    check_vjp(mapped);
    check_vjp(made);
}

TEST_CASE("a transformed program is read back as it was printed") {
    for (const char* name : {"nested scans and if", "pmap", "call"}) {
        const BlockPtr block = named_program(name);
        const BlockPtr made =
            vjp(batch(block, BitMask(block->params.size(), true), 2).block, BitMask(block->params.size(), true)).block;
        const std::string text = ir::print(*made);
        CHECK(ir::print(*ir::read(text)) == text);
    }
}

TEST_CASE("the loop index is not stored as a residual") {
    const BlockPtr block = program(R"(
fn f(%0: f64[6], %1: f64) -> (f64) {
  %2: f64 = scan(%0, %1) whole=1 carried=1 length=6 reverse=1 {
    (%0: i32, %1: f64[6], %2: f64) {
      %3: f64[1] = dynamic_slice(%1, %0) sizes=[1]
      %4: f64 = reshape(%3) shape=[]
      %5: f64 = add(%4, %2)
      return %5
    }
  }
  return %2
})");
    CHECK(linearize(block, {true, true}).residuals == 0);
    check_vjp(block);
}

TEST_CASE("the transpose of a nonlinear function is refused") {
    const char* const texts[] = {"fn f(%0: f64) -> (f64) {\n %1: f64 = mul(%0, %0)\n return %1\n}",
                                 "fn f(%0: f64) -> (f64) {\n %1: f64 = sin(%0)\n return %1\n}",
                                 "fn f(%0: f64) -> (f64) {\n %1: f64 = neg(%0)\n %2: f64 = div(%1, %0)\n return %2\n}"};
    for (const char* text : texts) {
        CAPTURE(text);
        try {
            transpose(program(text), 1);
            FAIL("it was not refused");
        } catch (const Error& error) {
            CHECK(error.diagnostic().id == Diag::not_linear);
        }
    }
}
