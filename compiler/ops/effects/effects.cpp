#include "compiler/ops/core/combinators.hpp"

// check and print: instructions in block order, never merged or dropped, only in the primal program.
//
// check(ok, values...) fails if an element of ok is false, and reports the first such element in row-major order. The
// message shows the part at this element of a value whose leading axes are ok's shape, and other values as a whole.
// print(values...) prints its text with the values. When batched, both run for each element in order: see
// transform/batch/batch_mask.cpp.

namespace pm::ops {
namespace {

std::vector<Type> type_check(const Inst& inst, std::span<const Type> operands) {
    PM_CHECK(!operands.empty(), "check needs a condition");
    require_dtype(inst, operands[0].dtype, bools);
    return {};
}

std::vector<Type> type_print(const Inst&, std::span<const Type>) { return {}; }

} // namespace

const OpRules rule::check =
    checked<Op::check>({.type = type_check,
                        .eval = none,
                        .jvp = none,
                        .transpose = none,
                        .batch = none, // masked: transform/batch/batch_mask.cpp
                        .lower = LowerElsewhere{},
                        .samples = none,
                        .doc = "Stops the program with a message unless every element of the condition is true.",
                        .name = "assert"});

const OpRules rule::print = checked<Op::print>({.type = type_print,
                                                .eval = none,
                                                .jvp = none,
                                                .transpose = none,
                                                .batch = none, // masked, like check
                                                .lower = LowerElsewhere{},
                                                .samples = none,
                                                .doc = "Gives out a text with values in it."});

} // namespace pm::ops
