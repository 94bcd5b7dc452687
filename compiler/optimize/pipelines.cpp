#include "compiler/optimize/pass.hpp"

#include <array>

namespace pm::optimize {
namespace {

// The passes that run after the stager, in order. The first list runs before the plan, the others at the beginning of
// the plan.

constexpr std::array<std::string_view, 15> passes_before_plan{
    "lower_complex", // the other passes support neither complex numbers nor custom rules
    "convolutions",  // runs before the passes that simplify the sums of products that it emits
    "inline",
    "fold", // runs before simplify, whose rules need constants
    "simplify",      "cse", "dce",
    "simplify", // more rules apply if values have a single use and loops have fewer operands
    "hoist",    // runs after dce, so that no dead code is moved out of loops
    "cse",      // merges instructions that were moved out of loops with equal instructions outside
    "dce",
    "simplify", // more rules apply to loops with fewer instructions
    "cse",           "dce",
    "fma", // runs before in_plan, so that the choice of the fused products does not depend on the number of devices
};

// plan/prepare/prepare.cpp defines the passes that are not in pass.def.
constexpr std::array<std::string_view, 8> passes_in_plan_of_pmap{
    "calls",     // needed if `inline` was skipped
    "spmd",      // a pmap becomes lanes, or a batch
    "libraries", // runs after spmd, because the sizes of convolutions are then final
    "expand",
    "simplify", // batching and splitting leave pairs of shape operations that cancel out
    "cse",
    "release", // runs after cse, which must not merge instructions across barriers
    "dce",
};
constexpr std::array<std::string_view, 5> passes_in_plan{"calls", "libraries", "expand", "release", "dce"};

} // namespace

const Pipeline before_plan = passes_before_plan;
const Pipeline in_plan = passes_in_plan;
const Pipeline in_plan_of_pmap = passes_in_plan_of_pmap;

} // namespace pm::optimize
