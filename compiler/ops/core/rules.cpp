#include "compiler/ops/core/rules.hpp"

#include <array>

namespace pm::ops {

const OpRules& rules(ir::Op op) {
    static constexpr std::array<const OpRules*, ir::flat_op_count> table = {
#define OP(name, operands, results, traits) &rule::name,
#include "compiler/ir/ops.def"
#undef OP
    };
    const auto index = static_cast<std::size_t>(op);
    PM_CHECK(index < table.size(), "a control operation has no rules");
    return *table[index];
}

std::vector<Type> result_types(const Inst& inst, const std::vector<Type>& operands) {
    return rules(inst.op).type.fn(inst, operands);
}

void TransposeContext::add(std::size_t i, Value ct) {
    if (!linear(i)) return;
    PM_CHECK(b.type(ct) == operand_types[i], std::string(ir::info(inst.op).name));
    sums[i] = sums[i] ? b.add(*sums[i], ct) : ct;
}

void TransposeContext::add_into(std::size_t i, const std::function<Value(Build&, Value)>& into) {
    if (!linear(i)) return;
    sums[i] = into(b, sums[i] ? *sums[i] : b.zeros(operand_types[i]));
    PM_CHECK(b.type(*sums[i]) == operand_types[i], std::string(ir::info(inst.op).name));
}

int BatchContext::rank(std::size_t i) const { return b.rank(operands[i]) - (batched[i] ? 1 : 0); }

Value BatchContext::full(std::size_t i) {
    if (batched[i]) return operands[i];
    Shape shape = b.shape(operands[i]);
    ir::Integers dims;
    for (std::size_t axis = 1; axis <= shape.size(); ++axis) dims.push_back(static_cast<std::int64_t>(axis));
    shape.insert(shape.begin(), size);
    return b.broadcast(operands[i], std::move(shape), std::move(dims));
}

} // namespace pm::ops
