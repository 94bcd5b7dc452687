#include "compiler/transform/partial_eval/checkpoint.hpp"

#include "compiler/optimize/pass.hpp"
#include "tests/unit/transform/harness.hpp"

#include <set>

using namespace pm;
using namespace pm::transform::test;
namespace policy = pm::transform::policy;

namespace {

/// Two layers exp(sin(a . x)). Each layer is called with a policy.
BlockPtr twice(const std::string& policy) {
    const std::string call = policy.empty() ? "" : " policy=\"" + policy + "\"";
    return program(R"(
fn @layer(%a: f64[3, 3], %x: f64[3]) -> (f64[3]) {
  %y: f64[3] = dot(%a, %x) lhs_contract=[1] rhs_contract=[0] lhs_batch=[] rhs_batch=[]
  %n: f64[3] = barrier(%y) text="product"
  %s: f64[3] = sin(%n)
  %e: f64[3] = exp(%s)
  return %e
}
fn f(%a: f64[3, 3], %x: f64[3]) -> (f64) {
  %y: f64[3] = call(%a, %x) text="layer")" +
                   call + R"( @layer
  %z: f64[3] = call(%a, %y) text="layer")" +
                   call + R"( @layer
  %r: f64 = reduce_sum(%z) axes=[0]
  return %r
})");
}

/// The number of different residuals of the derivative with respect to both parameters. Residuals that are parameters
/// are not counted.
std::size_t kept(const BlockPtr& block) {
    const transform::Linearized made = transform::linearize(block, BitMask(block->params.size(), true));
    verified(made.primal, "linearize");
    verified(made.linear, "linearize");
    const BlockPtr lean = optimize::run(made.primal, optimize::before_plan);
    std::set<std::uint32_t> values;
    for (std::size_t i = block->results.size(); i < lean->results.size(); ++i) values.insert(lean->results[i].id);
    for (const Value p : lean->params) values.erase(p.id);
    return values.size();
}

void same_as(const BlockPtr& made, const BlockPtr& plain) {
    check_jvp(made);
    check_vjp(made);
    check_batches(made);
    const Arrays at = random_arrays(plain->param_types(), 3);
    const BitMask active(plain->params.size(), true);
    const BlockPtr first = transform::vjp(made, active).block;
    const BlockPtr second = transform::vjp(plain, active).block;
    const Arrays all = joined(at, random_arrays(plain->result_types(), 4));
    check_close(run(verified(first, "vjp"), all), run(second, all), 1e-12);
}

} // namespace

TEST_CASE("a policy changes the residuals, not the derivative") {
    const BlockPtr plain = twice("");
    CHECK(kept(plain) == 4); // the cosine and the exponential of each layer are residuals
    const std::pair<std::string, std::size_t> policies[] = {
        {std::string(policy::nothing), 1}, // the input of the second layer is the residual
        {std::string(policy::dots), 3},
        {std::string(policy::plain_dots), 3},
        {policy::names({"product"}), 3},
        {policy::names({"prod", "uct"}), 1},
        {policy::names({}), 1},
    };
    for (const auto& [policy, count] : policies) {
        CAPTURE(policy);
        const BlockPtr block = twice(policy);
        CHECK(kept(block) == count);
        same_as(block, plain);
    }
    CHECK(kept(transform::batch(twice(std::string(policy::dots)), {true, true}, 4).block) == 3);
    CHECK(kept(transform::batch(twice(std::string(policy::plain_dots)), {true, true}, 4).block) ==
          1); // each product has a batch dimension
}

TEST_CASE("loops that are checkpointed in segments") {
    for (const std::int64_t length : {4, 5, 9, 11}) {
        for (const int reverse : {0, 1}) {
            CAPTURE(length);
            CAPTURE(reverse);
            const std::string n = std::to_string(length);
            const BlockPtr plain = program("fn f(%0: f64[3], %1: f64, %2: f64[" + n + ", 3]) -> (f64, f64[" + n +
                                           R"(, 3]) {
  %3: f64, %4: f64[)" + n + R"(, 3] = scan(%0, %1, %2) whole=1 carried=1 length=)" +
                                           n + " reverse=" + std::to_string(reverse) + R"( {
    (%0: i32, %1: f64[3], %2: f64, %3: f64[3]) {
      %4: f64[3] = mul(%1, %3)
      %5: f64 = reduce_sum(%4) axes=[0]
      %6: f64 = convert(%0) dtype=f64
      %11: f64 = cos(%6)
      %7: f64 = mul(%5, %11)
      %8: f64 = add(%7, %2)
      %9: f64 = sin(%8)
      %10: f64[3] = broadcast(%9) shape=[3] dims=[]
      return %9, %10
    }
  }
  return %3, %4
})");
            const BlockPtr made = verified(transform::segmented(plain), "segmented");
            const Arrays at = random_arrays(plain->param_types(), 5);
            check_close(run(made, at), run(plain, at), 0);
            same_as(made, plain);
        }
    }
}
