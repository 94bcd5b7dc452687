#include "compiler/base/diagnostic.hpp"
#include "tests/unit/transform/harness.hpp"

using namespace pm;
using namespace pm::transform;
using namespace pm::transform::test;

namespace {

BlockPtr reverse_of(const BlockPtr& block) { return vjp(block, active_params(block)).block; }
BlockPtr forward_of(const BlockPtr& block) { return jvp(block, active_params(block)).block; }
BlockPtr batch_of(const BlockPtr& block) { return batch(block, BitMask(block->params.size(), true), 2).block; }

} // namespace

TEST_CASE("forward mode agrees with finite differences") {
    for (const Named& named : programs()) {
        CAPTURE(named.name);
        const BlockPtr block = program(named.text);
        for (const std::uint64_t seed : {1U, 2U, 3U}) check_jvp(block, seed);
        for (const BitMask& active : single_params(block)) check_jvp(block, active);
    }
}

TEST_CASE("the linear part agrees with forward mode, and reverse mode agrees with the linear part") {
    for (const Named& named : programs()) {
        CAPTURE(named.name);
        const BlockPtr block = program(named.text);
        for (const std::uint64_t seed : {1U, 2U, 3U}) check_vjp(block, seed);
        for (const BitMask& active : single_params(block)) check_vjp(block, active);
    }
}

TEST_CASE("derivatives of derivatives agree with finite differences, in all combinations of modes") {
    for (const Named& named : programs()) {
        CAPTURE(named.name);
        const BlockPtr block = program(named.text);
        check_jvp(forward_of(block), 1, 1e-5);
        check_jvp(reverse_of(block), 1, 1e-5);
        check_vjp(forward_of(block), 2, 1e-8);
        check_vjp(reverse_of(block), 3, 1e-8);
    }
}

TEST_CASE("third derivatives agree with finite differences") {
    for (const Named& named : programs()) {
        CAPTURE(named.name);
        const BlockPtr block = program(named.text);
        if (named.name.find("scan") != std::string::npos) continue;
        check_jvp(reverse_of(reverse_of(block)), 1, 1e-4);
        check_vjp(forward_of(reverse_of(block)), 2, 1e-8);
    }
}

TEST_CASE("batching before and after differentiation agrees with a loop") {
    for (const Named& named : programs()) {
        CAPTURE(named.name);
        const BlockPtr block = program(named.text);
        check_jvp(batch_of(block));
        check_batches(forward_of(block));
        check_batches(reverse_of(block), 1e-10);
        check_vjp(batch_of(block));
    }
}

TEST_CASE("a caller may refuse reverse mode through a while") {
    const BlockPtr block = program(programs()[5].text);
    CHECK_THROWS_AS(vjp(block, {true, true}, WhileLoops::refused), UncountedLoop);
    CHECK_THROWS_AS(linearize(block, {true, true}, WhileLoops::refused), UncountedLoop);
}

TEST_CASE("reverse mode accepts a while if its result has no derivative") {
    const BlockPtr block = program(R"(
fn f(%0: f64) -> (f64) {
  %1: f64 = while(%0) whole=0 carried=1 {
    (%0: f64) {
      %1: f64 = constant() shape=[] dtype=f64 value=f64:9
      %2: bool = less(%0, %1)
      return %2
    }
    (%0: f64) {
      %1: f64 = add(%0, %0)
      return %1
    }
  }
  %2: f64 = stop_gradient(%1)
  %3: f64 = mul(%2, %0)
  return %3
})");
    const Arrays made = run(vjp(block, {true}).block, {Array::scalar(DType::f64, 5.0), Array::scalar(DType::f64, 1.0)});
    CHECK(made[1].as_f64() == 10.0);
}

TEST_CASE("a result that is constant has no tangent") {
    const BlockPtr block = program(programs()[2].text);
    CHECK(jvp(block, {true, false}).active_results == BitMask{true, false, false});
}

TEST_CASE("a branch that is not taken makes no NaN") {
    // sum(where(x > 0, log(x) * sqrt(x), x)): at 0 the derivative of the branch that is not taken is infinite.
    const BlockPtr block = program(R"(
fn f(%0: f64[3]) -> (f64) {
  %1: f64[3] = constant() shape=[3] dtype=f64 value=f64:0
  %2: bool[3] = less(%1, %0)
  %3: f64[3] = log(%0)
  %4: f64[3] = sqrt(%0)
  %5: f64[3] = mul(%3, %4)
  %6: f64[3] = select(%2, %5, %0)
  %7: f64 = reduce_sum(%6) axes=[0]
  return %7
})");
    const double values[] = {0.0, 4.0, -1.0};
    const Array x = Array::from_values<double>(DType::f64, {3}, std::span<const double>(values));
    const Arrays back = run(vjp(block, {true}).block, {x, Array::scalar(DType::f64, 1.0)});
    CHECK(back[1].as_f64(0) == 1.0);
    CHECK(back[1].as_f64(1) == doctest::Approx(0.5 + std::log(4.0) / 4));
    CHECK(back[1].as_f64(2) == 1.0);
    // The second derivative is finite too.
    const BlockPtr again = vjp(vjp(block, {true}).block, {true, true}).block;
    const Arrays second = run(again, {x, Array::scalar(DType::f64, 1.0), Array::scalar(DType::f64, 1.0), x});
    for (const Array& array : second)
        for (std::int64_t i = 0; i < array.elements(); ++i)
            CHECK((array.shape().empty() || std::isfinite(array.as_f64(i))));
}

TEST_CASE("a branch that is not taken makes no NaN after a sum") {
    // where(s > 0, sqrt(s), 0) with s = sum(x * x): the derivative of the norm at zero.
    const BlockPtr block = program(R"(
fn f(%0: f64[3]) -> (f64) {
  %1: f64[3] = mul(%0, %0)
  %2: f64 = reduce_sum(%1) axes=[0]
  %3: f64 = sqrt(%2)
  %4: f64 = constant() shape=[] dtype=f64 value=f64:0
  %5: bool = less(%4, %2)
  %6: f64 = select(%5, %3, %4)
  return %6
})");
    const Arrays back = run(vjp(block, {true}).block, {Array::zeros(DType::f64, {3}), Array::scalar(DType::f64, 1.0)});
    for (std::int64_t i = 0; i < 3; ++i) CHECK(back[1].as_f64(i) == 0.0);
}

TEST_CASE("the branch of an if that is not taken makes no NaN, also when the if is batched") {
    const BlockPtr block = program(R"(
fn f(%0: f64) -> (f64) {
  %1: f64 = constant() shape=[] dtype=f64 value=f64:0
  %2: bool = less(%1, %0)
  %3: f64 = if(%2, %0) {
    (%0: f64) {
      %1: f64 = log(%0)
      return %1
    }
    (%0: f64) {
      return %0
    }
  }
  return %3
})");
    const double values[] = {0.0, 2.0};
    const Array x = Array::from_values<double>(DType::f64, {2}, std::span<const double>(values));
    const Array one = Array::full(DType::f64, {2}, 1.0);
    const Arrays outside = run(batch(vjp(block, {true}).block, {true, true}, 2).block, {x, one});
    const Arrays inside = run(vjp(batch(block, {true}, 2).block, {true}).block, {x, one});
    for (const Arrays& back : {outside, inside}) {
        CHECK(back[1].as_f64(0) == 1.0);
        CHECK(back[1].as_f64(1) == 0.5);
    }
}

// ---- the instructions of derivatives

TEST_CASE("the transpose of a partial read in a loop makes no dense zeros in the loop") {
    for (const char* name : {"gather in a scan", "nested scans and if", "updates in a scan"}) {
        CAPTURE(name);
        for (const Named& named : programs()) {
            if (named.name != name) continue;
            const BlockPtr block = program(named.text);
            const Linearized linear = linearize(block, active_params(block));
            const BlockPtr back = transpose(linear.linear, linear.linear->params.size() - linear.residuals);
            // Outside of the loop, dense zeros are allowed: one array for each cotangent sum. In the loop, zeros may
            // only be scalars or windows.
            int dense = 0;
            for (const ir::Inst& inst : back->insts)
                for (const BlockPtr& region : inst.regions)
                    dense += instructions(*region, [](const ir::Block& b, const ir::Inst& i) {
                        return !ir::is_control(i.op) && i.op != ir::Op::dynamic_update && i.op != ir::Op::scatter &&
                               !i.results.empty() && b.type(i.results[0]).elements() >= 4;
                    });
            CHECK(dense == 0);
        }
    }
}

TEST_CASE("a backward loop reads an array before the update that overwrites it, so the update can be in place") {
    int updates = 0;
    for (const Named& named : programs()) {
        if (named.name != "updates in a scan") continue;
        const BlockPtr block = program(named.text);
        const Linearized linear = linearize(block, active_params(block));
        const BlockPtr back = transpose(linear.linear, linear.linear->params.size() - linear.residuals);
        for (const ir::Inst& loop : back->insts)
            for (const BlockPtr& region : loop.regions)
                for (std::size_t i = 0; i < region->insts.size(); ++i) {
                    const ir::Inst& update = region->insts[i];
                    if (update.op != ir::Op::dynamic_update && update.op != ir::Op::scatter) continue;
                    ++updates;
                    for (std::size_t k = i + 1; k < region->insts.size(); ++k)
                        for (const ir::Value used : region->insts[k].operands) CHECK(used != update.operands[0]);
                }
    }
    CHECK(updates > 0);
}

TEST_CASE("constant and loop-invariant residuals are not stacked") {
    const BlockPtr block = program(R"(
fn f(%0: f64[50], %1: f64[50]) -> (f64[50]) {
  %2: f64[50] = scan(%0, %1) whole=1 carried=1 length=10 reverse=0 {
    (%0: i32, %1: f64[50], %2: f64[50]) {
      %3: f64[50] = constant() shape=[50] dtype=f64 value=f64:3
      %4: f64[50] = mul(%2, %3)
      %5: f64[50] = exp(%1)
      %6: f64[50] = mul(%4, %5)
      return %6
    }
  }
  return %2
})");
    // With respect to the carried value alone, all residuals are loop-invariant.
    const Linearized linear = linearize(block, {false, true});
    for (const Type& type : linear.primal->result_types()) CHECK(type.elements() == 50);
    check_vjp(block);
}

TEST_CASE("after every transformation, equal layers share one callee") {
    const BlockPtr block = program(R"(
fn @layer(%0: f64) -> (f64) {
  %1: f64 = tanh(%0)
  return %1
}
fn f(%0: f64) -> (f64) {
  %1: f64 = call(%0) text="layer" @layer
  %2: f64 = call(%1) text="layer" @layer
  %3: f64 = call(%2) text="layer" @layer
  return %3
})");
    const auto callees = [](const BlockPtr& made) {
        std::vector<const ir::Block*> found;
        for (const ir::Inst& inst : made->insts)
            if (inst.op == ir::Op::call && std::find(found.begin(), found.end(), inst.regions[0].get()) == found.end())
                found.push_back(inst.regions[0].get());
        return found.size();
    };
    CHECK(callees(jvp(block, {true}).block) == 1);
    CHECK(callees(vjp(block, {true}).block) == 2); // the callee of the forward pass and the callee of the backward pass
    CHECK(callees(batch(block, {true}, 3).block) == 1);
}
