#include "compiler/optimize/pass.hpp"

#include <array>

namespace pm::optimize {
namespace {

constexpr std::array<std::string_view, 14> plan{
    "inline",
    "fold", // before simplify, which looks for constants
    "simplify", "cse", "dce",
    "simplify", // more rules apply to single uses and trimmed loops
    "hoist",    // after dce: no dead code is moved out
    "cse",      // of instructions from two loops, or that were outside before
    "dce",
    "simplify", // loops with fewer instructions
    "cse",      "dce",
    "release", // no pass merges after it
    "fma",     // last: a product is fused if it has one use in the final block
};

} // namespace

const Pipeline before_plan = plan;

} // namespace pm::optimize
