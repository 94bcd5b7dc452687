#include "compiler/ops/combinators.hpp"

// check and print: instructions in block order, never merged or dropped, only in the primal program.
//
// check(ok, values...) fails when an element of ok is false; the least such element, in row-major order, is the one
// reported. A value whose leading axes are ok's shape is shown at that element, any other is shown whole. Batching lets
// ok and the values grow an axis. print(values...) gives out its text with the values. Batched, it runs for each
// element in order.

namespace pm::ops {
namespace {

std::vector<Type> type_check(const Inst& inst, std::span<const Type> operands) {
    PM_CHECK(!operands.empty(), "check needs a condition");
    require_dtype(inst, operands[0].dtype, bools);
    return {};
}

std::vector<Type> type_print(const Inst&, std::span<const Type>) { return {}; }

Values batch_check(BatchContext& c) { return batch_elementwise(c); }

/// A loop over the batch whose body prints one element's values.
Values batch_print(BatchContext& c) {
    Values whole;
    Values sliced;
    for (std::size_t i = 0; i < c.operands.size(); ++i) (c.batched[i] ? sliced : whole).push_back(c.in(i));
    Build body("print");
    body.set_span(c.inst.span);
    body.param({DType::i32, {}});
    Values whole_params;
    for (Value v : whole) whole_params.push_back(body.param(c.b.type(v)));
    Values slices;
    for (Value v : sliced)
        slices.push_back(body.param({c.b.dtype(v), Shape(c.b.shape(v).begin() + 1, c.b.shape(v).end())}));
    Values operands;
    std::size_t next_whole = 0;
    std::size_t next_slice = 0;
    for (const bool batched : c.batched)
        operands.push_back(batched ? slices[next_slice++] : whole_params[next_whole++]);
    body.copy(c.inst, std::move(operands));

    const auto whole_count = static_cast<std::int64_t>(whole.size());
    Values all = whole;
    all.insert(all.end(), sliced.begin(), sliced.end());
    return c.b.emit(Op::scan, std::move(all),
                    {{Attr::whole, whole_count},
                     {Attr::carried, std::int64_t{0}},
                     {Attr::length, c.size},
                     {Attr::reverse, std::int64_t{0}}},
                    {body.finish({})});
}

} // namespace

const OpRules rule::check =
    checked<Op::check>({.type = type_check,
                        .eval = none,
                        .jvp = none,
                        .transpose = none,
                        .batch = batch_check,
                        .lower = LowerElsewhere{},
                        .samples = none,
                        .doc = "Stops the program with a message unless every element of the condition is true."});

const OpRules rule::print = checked<Op::print>({.type = type_print,
                                                .eval = none,
                                                .jvp = none,
                                                .transpose = none,
                                                .batch = batch_print,
                                                .lower = LowerElsewhere{},
                                                .samples = none,
                                                .doc = "Gives out a text with values in it."});

} // namespace pm::ops
