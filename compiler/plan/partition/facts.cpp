#include "compiler/plan/partition/facts.hpp"

namespace pm::plan {

Kind kind_of(const Inst& inst) {
    if (ir::is_control(inst.op)) return Kind::control;
    const ir::OpInfo& info = ir::info(inst.op);
    if (info.has(ir::collective)) return Kind::collective;
    if (info.has(ir::effect)) return Kind::effect;
    if (inst.attrs.has(ir::Attr::library)) return Kind::matrices;
    const ops::Lower& lower = ops::rules(inst.op).lower;
    if (const auto* kernel = std::get_if<ops::LowerKernel>(&lower)) {
        switch (kernel->kernel) {
        case ops::Kernel::dot: return Kind::dot;
        case ops::Kernel::matrices: return Kind::matrices;
        case ops::Kernel::sort: return Kind::sort;
        case ops::Kernel::scatter: return Kind::scatter;
        case ops::Kernel::dynamic_update: return Kind::update;
        case ops::Kernel::cumulative: return Kind::cumulative;
        case ops::Kernel::tape: return Kind::tape;
        }
    }
    PM_CHECK(!std::holds_alternative<ops::LowerExpand>(lower) && !std::holds_alternative<ops::LowerElsewhere>(lower),
             std::string(info.name));
    return Kind::nest;
}

namespace {

bool reduces(const Inst& inst) { return std::holds_alternative<ops::LowerReduce>(ops::rules(inst.op).lower); }

} // namespace

bool is_reduction(const Inst& inst) { return kind_of(inst) == Kind::nest && reduces(inst); }
bool is_element(const Inst& inst) { return kind_of(inst) == Kind::nest && !reduces(inst); }

Facts::Facts(const ir::Block& from, const std::vector<Recipe>& recipes)
    : block(from), definitions_(from.values.size(), nullptr), positions_(from.values.size(), -1),
      uses_(from.values.size(), 0), kept_(recipes) {
    for (std::size_t i = 0; i < recipes.size(); ++i) definitions_[from.params[i].id] = recipes[i].get();
    for (std::size_t i = 0; i < from.insts.size(); ++i) {
        const Inst& inst = from.insts[i];
        for (const Value r : inst.results) {
            definitions_[r.id] = &inst;
            positions_[r.id] = static_cast<std::int32_t>(i);
        }
        for (const Value v : inst.operands) ++uses_[v.id];
    }
    for (const Value v : from.results) ++uses_[v.id];
}

bool Facts::is_table(Value v) const {
    const Inst* inst = definitions_[v.id];
    return inst != nullptr && inst->op == Op::constant && type(v).elements() > 1 &&
           inst->attrs.literal(ir::Attr::value).bytes.size() != runtime::size_of(type(v).dtype);
}

bool Facts::is_unread(Value v) const {
    const Inst* inst = definitions_[v.id];
    return inst != nullptr && inst->op == Op::constant && inst->attrs.integer(ir::Attr::unread, 0) != 0;
}

bool needs_several_lanes(const ir::Block& block) {
    return ir::any_inst(block,
                        [](const Inst& i) { return ir::info(i.op).has(ir::collective) && i.op != Op::axis_index; });
}

bool is_alias(const Inst& inst, const Facts& facts) {
    if (inst.operands.size() != 1) return false;
    const Type& from = facts.type(inst.operands[0]);
    const Type& to = facts.type(inst.results[0]);
    if (inst.op == Op::reshape || inst.op == Op::stop_gradient || inst.op == Op::barrier) return true;
    if (inst.op == Op::bitcast)
        return from.shape == to.shape && runtime::size_of(from.dtype) == runtime::size_of(to.dtype);
    if (inst.op != Op::transpose && inst.op != Op::broadcast) return false;
    // A move of axes of size 1 does not change the bytes.
    if (from.elements() != to.elements()) return false;
    std::vector<std::int64_t> wide;
    const auto& order = inst.attrs.integers(inst.op == Op::transpose ? ir::Attr::permutation : ir::Attr::dims);
    if (inst.op == Op::broadcast) return true; // `dims` is increasing, so the other axes keep their order
    for (const std::int64_t axis : order)
        if (from.shape[static_cast<std::size_t>(axis)] != 1) wide.push_back(axis);
    for (std::size_t i = 1; i < wide.size(); ++i)
        if (wide[i] < wide[i - 1]) return false;
    return true;
}

std::optional<std::int64_t> row_offset(const Inst& inst, const Facts& facts) {
    if (inst.op != Op::slice) return {};
    const Type& from = facts.type(inst.operands[0]);
    const auto& start = inst.attrs.integers(ir::Attr::start);
    const auto& limit = inst.attrs.integers(ir::Attr::limit);
    const ir::Integers ones(from.shape.size(), 1);
    const auto& stride = inst.attrs.has(ir::Attr::stride) ? inst.attrs.integers(ir::Attr::stride) : ones;
    // The slice is contiguous if it has one index of each leading axis, a range of the next axis, and all indices of
    // the other axes.
    std::int64_t offset = 0;
    std::int64_t inner = from.elements();
    bool part = false;
    for (std::size_t d = 0; d < from.shape.size(); ++d) {
        const std::int64_t size = from.shape[d];
        if (size == 0) return {};
        inner /= size;
        const bool whole = start[d] == 0 && limit[d] == size && stride[d] == 1;
        if (part && !whole) return {};
        const bool one = limit[d] - start[d] == 1 || (limit[d] - start[d] <= stride[d] && limit[d] > start[d]);
        if (!one && !whole && stride[d] != 1) return {};
        if (!one) part = true;
        offset += start[d] * inner;
    }
    return offset * static_cast<std::int64_t>(runtime::size_of(from.dtype));
}

} // namespace pm::plan
