#include "compiler/ops/core/combinators.hpp"

// check and print. Both run in the order of the block, are never merged or dropped, and exist only in the primal
// program.
//
// check(ok, values...) fails if an element of ok is false, and reports the first such element in row-major order. If
// the leading axes of a value are the axes of ok, the message shows the part of the value at the reported element.
// Otherwise the message shows the whole value. print(values...) prints its text with the values. A batched check or
// print runs for the elements of the batch in order (transform/batch/batch_mask.cpp).

namespace pm::ops {
namespace {

std::vector<Type> type_check(const Inst& inst, std::span<const Type> operands) {
    PM_CHECK(!operands.empty(), "check needs a condition");
    require_dtype(inst, operands[0].dtype, bools);
    PM_CHECK(inst.attrs.integer(Attr::batch, 0) <= operands[0].rank(), "mapped axes of a check");
    return {};
}

std::vector<Type> type_print(const Inst&, std::span<const Type>) { return {}; }

} // namespace

const OpRules rule::check =
    checked<Op::check>({.type = type_check,
                        .eval = none,
                        .jvp = none,
                        .transpose = none,
                        .batch = none, // transform/batch/batch_mask.cpp batches it
                        .lower = LowerElsewhere{},
                        .samples = none,
                        .doc = "Stops the program with a message unless every element of the condition is true.",
                        .name = "assert"});

const OpRules rule::print = checked<Op::print>({.type = type_print,
                                                .eval = none,
                                                .jvp = none,
                                                .transpose = none,
                                                .batch = none, // batched like check
                                                .lower = LowerElsewhere{},
                                                .samples = none,
                                                .doc = "Gives out a text with values in it."});

} // namespace pm::ops
