#include "compiler/optimize/constants.hpp"

#include "compiler/ops/core/rules.hpp"
#include "runtime/element.hpp"

#include <algorithm>
#include <cstring>

namespace pm::optimize {
namespace {

using ir::Attr;
using ir::Inst;
using ir::Op;
using ir::Type;
using ir::Values;

bool is_one_of(Op op, std::initializer_list<Op> ops) { return std::find(ops.begin(), ops.end(), op) != ops.end(); }

/// True if IEEE 754 defines every bit of the result, or if the operation does not round.
bool exact_on_floats(Op op) {
    return ir::info(op).has(ir::shape_only) || ir::info(op).has(ir::boolean) ||
           is_one_of(op, {Op::neg,    Op::abs,        Op::sign,          Op::floor,   Op::ceil,          Op::round,
                          Op::trunc,  Op::sqrt,       Op::convert,       Op::bitcast, Op::stop_gradient, Op::barrier,
                          Op::add,    Op::sub,        Op::mul,           Op::div,     Op::max,           Op::min,
                          Op::select, Op::reduce_max, Op::reduce_min,    Op::argmax,  Op::argmin,        Op::cummax,
                          Op::cummin, Op::sort,       Op::dynamic_update});
}

bool foldable(const Inst& inst, const std::vector<Type>& types, const std::vector<Constant>& operands) {
    const ir::OpInfo& info = ir::info(inst.op);
    if (info.has(ir::effect) || info.has(ir::collective) || info.has(ir::creation) || info.has(ir::in_place))
        return false;
    bool inexact = false;
    for (const Type& type : types) inexact = inexact || runtime::is_inexact(type.dtype);
    for (const Constant& operand : operands) inexact = inexact || runtime::is_inexact(operand.type.dtype);
    return !inexact || exact_on_floats(inst.op);
}

std::vector<runtime::Array> evaluate(const Inst& inst, const std::vector<Type>& types,
                                     const std::vector<runtime::Array>& in) {
    const std::shared_ptr<runtime::Allocator> allocator;
    ops::EvalContext context{inst, in, types, allocator};
    return ops::rules(inst.op).eval.fn(context);
}

/// Folds an elementwise instruction by computing one element. All elements of each operand must be equal.
Values fold_elementwise(ops::Build& b, const Inst& inst, const Type& type, const std::vector<Constant>& operands) {
    std::vector<runtime::Array> in;
    for (const Constant& operand : operands) in.push_back(Constant{{operand.type.dtype, {}}, operand.literal}.array());
    const auto out = evaluate(inst, {{type.dtype, {}}}, in);
    return {b.literal(type, literal_of(out.at(0)))};
}

bool same_elements(const std::vector<Constant>& operands) {
    return std::all_of(operands.begin(), operands.end(),
                       [&](const Constant& c) { return c.splat() && c.literal == operands[0].literal; });
}

} // namespace

bool Constant::is(double value) const {
    if (!splat() || type.dtype == ir::DType::key) return false;
    std::vector<std::uint8_t> bytes(literal.bytes.size());
    runtime::write_f64(type.dtype, bytes.data(), 0, value);
    return bytes == literal.bytes;
}

runtime::Array Constant::array() const {
    runtime::Array made = runtime::Array::empty(type.dtype, type.shape, account());
    auto* const to = static_cast<std::uint8_t*>(made.mutable_data());
    const std::size_t width = runtime::size_of(type.dtype);
    const auto n = static_cast<std::size_t>(made.elements());
    if (splat())
        for (std::size_t i = 0; i < n; ++i) std::memcpy(to + i * width, literal.bytes.data(), width);
    else if (n != 0)
        std::memcpy(to, literal.bytes.data(), n * width);
    return made;
}

std::optional<Constant> constant_of(const ops::Build& b, ir::Value v) {
    const Inst* const made = b.definition(v);
    if (made == nullptr || made->op != Op::constant) return std::nullopt;
    return Constant{b.type(v), made->attrs.literal(Attr::value)};
}

ir::Literal literal_of(const runtime::Array& array) {
    const auto* const from = static_cast<const std::uint8_t*>(array.data());
    const std::size_t width = runtime::size_of(array.dtype());
    const auto bytes = static_cast<std::size_t>(array.bytes());
    if (bytes == 0) return {std::vector<std::uint8_t>(width, 0)};
    // All elements are equal if each is equal to the element before it.
    const bool splat = std::memcmp(from, from + width, bytes - width) == 0;
    return {std::vector<std::uint8_t>(from, from + (splat ? width : bytes))};
}

std::optional<Values> fold_flat(ops::Build& b, const Inst& inst, const std::vector<Type>& types) {
    if (inst.operands.empty() || ir::is_control(inst.op)) return std::nullopt;
    if (inst.op == Op::select)
        if (const auto condition = constant_of(b, inst.operands[0]); condition && condition->splat())
            return Values{inst.operands[condition->is(0) ? 2 : 1]};
    if (inst.op == Op::check)
        if (const auto ok = constant_of(b, inst.operands[0]); ok && ok->splat() && !ok->is(0)) return Values{};
    std::vector<Constant> operands;
    for (const ir::Value v : inst.operands) {
        auto known = constant_of(b, v);
        if (!known) return std::nullopt;
        operands.push_back(std::move(*known));
    }
    if (!foldable(inst, types, operands)) return std::nullopt;
    const bool splats = std::all_of(operands.begin(), operands.end(), [](const Constant& c) { return c.splat(); });
    if (ir::info(inst.op).has(ir::elementwise) && splats) return fold_elementwise(b, inst, types.at(0), operands);
    if (is_one_of(inst.op, {Op::broadcast, Op::reshape, Op::transpose, Op::slice, Op::reverse, Op::dynamic_slice}) &&
        operands[0].splat())
        return Values{b.literal(types.at(0), operands[0].literal)};
    if (is_one_of(inst.op, {Op::pad, Op::concatenate}) && same_elements(operands))
        return Values{b.literal(types.at(0), operands[0].literal)};
    const auto small = [](const Type& type) { return type.elements() <= most_folded; };
    for (const Constant& operand : operands)
        if (!small(operand.type)) return std::nullopt;
    if (!std::all_of(types.begin(), types.end(), small)) return std::nullopt;
    std::vector<runtime::Array> in;
    for (const Constant& operand : operands) in.push_back(operand.array());
    const std::vector<runtime::Array> out = evaluate(inst, types, in);
    Values results;
    for (std::size_t i = 0; i < types.size(); ++i) results.push_back(b.literal(types[i], literal_of(out.at(i))));
    return results;
}

std::optional<FoldedControl> fold_control(ops::Build& b, const Inst& inst, const std::vector<Type>& types) {
    if (inst.op == Op::if_) {
        const auto condition = constant_of(b, inst.operands[0]);
        if (!condition) return std::nullopt;
        return FoldedControl{inst.regions[condition->is(0) ? 1 : 0], {inst.operands.begin() + 1, inst.operands.end()}};
    }
    if (inst.op == Op::scan && inst.attrs.integer(Attr::length) == 0) {
        const auto whole = inst.attrs.integer(Attr::whole);
        const auto carried = inst.attrs.integer(Attr::carried);
        Values results(inst.operands.begin() + whole, inst.operands.begin() + whole + carried);
        for (std::size_t i = results.size(); i < types.size(); ++i) results.push_back(b.zeros(types[i]));
        return FoldedControl{nullptr, std::move(results)};
    }
    if (inst.op == Op::while_) {
        // The loop has no iterations if its condition is the constant false. The condition must have no effect.
        const ir::Block& condition = *inst.regions[0];
        if (ir::has_effect(condition)) return std::nullopt;
        for (const Inst& made : condition.insts)
            if (made.op == Op::constant && made.results[0] == condition.results[0] &&
                made.attrs.literal(Attr::value) == ir::Literal{{0}})
                return FoldedControl{nullptr,
                                     {inst.operands.begin() + inst.attrs.integer(Attr::whole), inst.operands.end()}};
    }
    return std::nullopt;
}

} // namespace pm::optimize
