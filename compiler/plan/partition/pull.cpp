#include "compiler/plan/partition/pull.hpp"

namespace pm::plan {
namespace {

std::vector<std::int64_t> key_of(Value v, const nest::Indices& at) {
    std::vector<std::int64_t> key{v.id};
    for (const nest::Index& i : at) {
        key.push_back(i.affine.base);
        std::size_t count = i.affine.coefficients.size();
        while (count > 0 && i.affine.coefficients[count - 1] == 0) --count;
        key.push_back(static_cast<std::int64_t>(count));
        key.insert(key.end(), i.affine.coefficients.begin(),
                   i.affine.coefficients.begin() + static_cast<std::ptrdiff_t>(count));
        key.push_back(i.computed.id);
    }
    return key;
}

} // namespace

bool same_indices(const nest::Indices& a, const nest::Indices& b) {
    return a.size() == b.size() && key_of({}, a) == key_of({}, b);
}

nest::Ref Pull::operator()(Value v, const nest::Indices& at) {
    auto key = key_of(v, at);
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    const std::optional<nest::Ref> leaf = leaf_(v, at);
    const nest::Ref made = leaf ? *leaf : expand(v, at);
    known_.emplace(std::move(key), made);
    return made;
}

nest::Ref Pull::expand(Value v, const nest::Indices& at) {
    const Inst* inst = facts_.definition(v);
    PM_CHECK(inst != nullptr, "a value in memory has no expression");
    std::vector<Type> operand_types;
    operand_types.reserve(inst->operands.size());
    for (const Value operand : inst->operands) operand_types.push_back(facts_.type(operand));
    const ops::Lower& lower = ops::rules(inst->op).lower;
    if (const auto* scalar = std::get_if<ops::LowerScalar>(&lower)) {
        std::vector<nest::Ref> operands;
        operands.reserve(inst->operands.size());
        for (const Value operand : inst->operands) operands.push_back((*this)(operand, at));
        return n_.op(scalar->op, facts_.type(v).dtype, std::move(operands));
    }
    const auto* element = std::get_if<ops::LowerElement>(&lower);
    PM_CHECK(element != nullptr, std::string(ir::info(inst->op).name));
    ops::ElementContext context{
        n_, *inst, operand_types, facts_.type(v),
        [&](std::size_t i, const nest::Indices& where) { return (*this)(inst->operands[i], where); }};
    return element->rule(context, at);
}

} // namespace pm::plan
