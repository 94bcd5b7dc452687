#include "compiler/optimize/pass.hpp"

#include <array>

namespace pm::optimize {
namespace {

constexpr std::array<std::string_view, 14> plan{
    "inline",
    "fold", // before simplify, which looks for constants
    "simplify", "cse", "dce",
    "simplify", // single uses and trimmed loops show more
    "hoist",    // after dce: nothing dead is moved out
    "cse",      // what came out of two loops, or was outside already
    "dce",
    "simplify", // loops that lost their work
    "cse",      "dce",
    "release", // merges no more
    "fma",     // last: what counts is whether a product has one use in the end
};

} // namespace

const Pipeline before_plan = plan;

} // namespace pm::optimize
