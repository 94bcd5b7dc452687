#include "compiler/ops/complex/parts.hpp"
#include "compiler/ops/core/combinators.hpp"

// select: where the condition is true, the result is the element of the second operand. Elsewhere it is the element of
// the third operand. The element that is not selected is never used. So a NaN in it, or in its tangent, does not reach
// the result.

namespace pm::ops {
namespace {

std::vector<Type> type_select(const Inst& inst, std::span<const Type> operands) {
    require_dtype(inst, operands[0].dtype, bools);
    require_dtype(inst, operands[1].dtype, anything);
    require_same(inst, operands.subspan(1));
    require_same_shape(inst, operands);
    return {operands[1]};
}

std::vector<Array> eval_select(EvalContext& c) {
    Array out = new_result(c);
    visit_dtype(out.dtype(), [&](auto e) {
        using S = typename decltype(e)::Stored;
        const auto* condition = c.in[0].as<std::uint8_t>();
        const S* x = c.in[1].template as<S>();
        const S* y = c.in[2].template as<S>();
        S* z = out.template mutable_as<S>();
        for (std::int64_t i = 0; i < out.elements(); ++i) z[i] = condition[i] != 0 ? x[i] : y[i];
    });
    return {std::move(out)};
}

Tangents jvp_select(JvpContext& c) {
    if (!c.tangent(1) && !c.tangent(2)) return {std::nullopt};
    return {c.b.select(c.in(0), tangent_or_zero(c, 1), tangent_or_zero(c, 2))};
}

std::vector<Sample> samples_select() {
    std::vector<Sample> samples = elementwise_samples(3, every, {Domain::boolean, Domain::any});
    for (Sample& sample : samples) sample.operands[0].dtype = DType::b1;
    return samples;
}

} // namespace

const OpRules rule::select = checked<Op::select>({.type = type_select,
                                                  .eval = eval_select,
                                                  .jvp = jvp_select,
                                                  .transpose = none,
                                                  .batch = batch_elementwise,
                                                  .lower = LowerScalar{ScalarOp::select},
                                                  .samples = samples_select,
                                                  .doc = "x where the condition holds, else y.",
                                                  .name = "where",
                                                  .parts = parts::each,
                                                  .keeps_parts = true});

} // namespace pm::ops
