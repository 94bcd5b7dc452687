#include "compiler/ops/core/rules.hpp"
#include "compiler/transform/batch/batcher.hpp"
#include "compiler/transform/core/transform.hpp"

#include <memory>
#include <numeric>

namespace pm::transform {

using ir::Attr;

BitMask batched_of(const Items& items) {
    BitMask batched;
    for (const Item& item : items) batched.push_back(item.batched);
    return batched;
}

Values values_of(const Items& items) {
    Values values;
    for (const Item& item : items) values.push_back(item.value);
    return values;
}

Items items_of(const Values& values, const BitMask& batched) {
    Items items;
    for (std::size_t i = 0; i < values.size(); ++i) items.push_back({values[i], batched[i]});
    return items;
}

const BatchedBlock& Batcher::block(const BlockPtr& block, const BitMask& batched, const BitMask& want, bool masked,
                                   const BitMask& in_place) {
    const auto key = std::make_tuple(block, batched, want, masked, in_place);
    const auto found = made_.find(key);
    if (found != made_.end()) return found->second;
    PM_CHECK(batched.size() == block->params.size());
    Build b(derived_name(*block, "batch"));
    Items params;
    for (std::size_t i = 0; i < batched.size(); ++i) {
        const Type& type = block->type(block->params[i]);
        params.push_back({b.param(batched[i] ? batched_type(type) : type), batched[i]});
    }
    Masking masking;
    if (masked) masking.mask = b.param({ir::DType::b1, {size_}});
    for (std::size_t i = 0; i < in_place.size(); ++i)
        if (in_place[i]) masking.updates.merge(update_chain(*block, block->results[i]).value().updates);
    Items results = run(b, *block, params, masking);
    for (std::size_t i = 0; i < want.size(); ++i)
        if (want[i]) results[i] = {full(b, results[i]), true};
    const BitMask results_batched = batched_of(results);
    return made_.emplace(key, BatchedBlock{b.finish(values_of(results)), results_batched}).first->second;
}

Items Batcher::run(Build& b, const ir::Block& block, const Items& params, const Masking& masking) {
    Items now(block.values.size());
    for (std::size_t i = 0; i < params.size(); ++i) now[block.params[i].id] = params[i];
    for (const Inst& inst : block.insts) {
        Items operands;
        for (const Value v : inst.operands) operands.push_back(now[v.id]);
        b.set_place(inst.place);
        const Items results = step(b, inst, operands, masking);
        for (std::size_t i = 0; i < results.size(); ++i) now[inst.results[i].id] = results[i];
    }
    Items results;
    for (const Value v : block.results) results.push_back(now[v.id]);
    return results;
}

Items Batcher::step(Build& b, const Inst& inst, const Items& operands, const Masking& masking) {
    const bool batched = any(batched_of(operands));
    switch (control_of(inst.op)) {
    case Control::flat: break;
    case Control::call: return call(b, inst, operands, masking);
    case Control::if_: return branch(b, inst, operands, masking);
    case Control::while_: return loop(b, inst, operands, masking);
    case Control::scan: return scan(b, inst, operands, masking);
    case Control::pmap: return mapped(b, inst, operands, masking);
    case Control::custom: return custom(b, inst, operands, masking);
    case Control::custom_linear: return custom_linear(b, inst, operands, masking);
    }
    if (inst.op == Op::check) {
        check(b, inst, operands, masking.mask);
        return {};
    }
    if (inst.op == Op::print) {
        print(b, inst, operands, masking.mask);
        return {};
    }
    if (ir::info(inst.op).has(ir::collective)) return collective(b, inst, operands);
    if (masking.updates.contains(&inst)) return {masked_update(b, inst, operands, *masking.mask)};
    if (!batched) return copy(b, inst, operands);
    return flat(b, inst, masking.mask ? away_from_pole(b, inst, operands, *masking.mask) : operands);
}

Items Batcher::copy(Build& b, const Inst& inst, const Items& operands) const {
    const Values made = b.copy(inst, values_of(operands));
    return items_of(made, BitMask(made.size(), false));
}

Items Batcher::flat(Build& b, const Inst& inst, const Items& operands) const {
    if (!any(batched_of(operands))) return copy(b, inst, operands);
    const auto rule = ops::rules(inst.op).batch;
    PM_CHECK(static_cast<bool>(rule), std::string(ir::info(inst.op).name) + " has no batching rule");
    const Values values = values_of(operands);
    const auto batched = std::make_unique<bool[]>(operands.size());
    for (std::size_t i = 0; i < operands.size(); ++i) batched[i] = operands[i].batched;
    ops::BatchContext context{b, inst, size_, values, std::span<const bool>(batched.get(), operands.size())};
    const Values made = rule.fn(context);
    return items_of(made, BitMask(made.size(), true));
}

/// Appends the batched form of `op` on the items `operands`. `attrs` are the attributes of the operation on a single
/// element.
Item Batcher::apply(Build& b, Op op, const Items& operands, ir::Attrs attrs) const {
    Inst inst;
    inst.op = op;
    inst.operands = values_of(operands);
    inst.attrs = std::move(attrs);
    inst.place.span = b.span();
    return flat(b, inst, operands).at(0);
}

Type Batcher::batched_type(Type type) const {
    type.shape.insert(type.shape.begin(), size_);
    return type;
}

Value Batcher::full(Build& b, const Item& item) const {
    if (item.batched) return item.value;
    ir::Integers dims(static_cast<std::size_t>(b.rank(item.value)));
    std::iota(dims.begin(), dims.end(), 1);
    return b.broadcast(item.value, batched_type(b.type(item.value)).shape, std::move(dims));
}

/// Selects, per element of the batch, `yes` where the mask is true, otherwise `no`. Appends nothing if `yes` and `no`
/// are the same item.
Item Batcher::chosen(Build& b, Value mask, const Item& yes, const Item& no) const {
    if (yes == no) return yes;
    const Value a = full(b, yes);
    return {b.select(b.broadcast(mask, b.shape(a), {0}), a, full(b, no)), true};
}

Batched batch(const BlockPtr& block, const std::vector<bool>& batched, std::int64_t size, std::int64_t axis) {
    const BatchedBlock made = Batcher(size, axis).block(block, batched, {}, false);
    return {made.block, made.batched};
}

} // namespace pm::transform
