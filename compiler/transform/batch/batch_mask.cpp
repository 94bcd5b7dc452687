#include "compiler/ops/core/rules.hpp"
#include "compiler/transform/batch/batcher.hpp"
#include "runtime/dtype.hpp"

#include <algorithm>
#include <functional>
#include <limits>

/// Applies a mask to checks, prints, operations with poles, and updates. Elements outside of the mask must not change,
/// fail a check or be printed.
namespace pm::transform {

using ir::Attr;

namespace {

/// The pole that the instruction has for the dtype of its operand. Null if the instruction has no pole for this dtype.
const ops::Pole* pole_of(const Inst& inst, const std::function<ir::DType(std::size_t operand)>& dtype_of) {
    if (ir::is_control(inst.op) || !ops::rules(inst.op).pole) return nullptr;
    const ops::Pole& pole = *ops::rules(inst.op).pole;
    const ir::DType dtype = dtype_of(pole.operand);
    const bool applies = runtime::is_complex(dtype) || (runtime::is_float(dtype) && !pole.complex_only);
    return applies ? &pole : nullptr;
}

} // namespace

bool takes_mask(const ir::Block& block) {
    return ir::any_inst(block, [](const ir::Block& in, const Inst& inst) {
        return inst.op == Op::while_ || ir::info(inst.op).has(ir::effect) ||
               pole_of(inst, [&](std::size_t i) { return in.type(inst.operands[i]).dtype; }) != nullptr;
    });
}

/// The operation also runs for elements outside of the mask, whose values are arbitrary. Each of these values is
/// replaced by a value at which the result and the slope are finite. Otherwise an infinite slope times a zero cotangent
/// would be NaN.
Items Batcher::away_from_pole(Build& b, const Inst& inst, Items operands, Value mask) const {
    const ops::Pole* pole = pole_of(inst, [&](std::size_t i) { return b.dtype(operands[i].value); });
    if (pole == nullptr || !operands[pole->operand].batched) return operands;
    Value& v = operands[pole->operand].value;
    v = b.select(b.broadcast(mask, b.shape(v), {0}), v, b.like(v, pole->away));
    return operands;
}

std::optional<UpdateChain> update_chain(const ir::Block& block, Value result) {
    UpdateChain chain;
    auto inst = block.insts.rbegin();
    for (Value v = result;;) {
        for (std::size_t i = 0; i < block.params.size(); ++i) {
            if (block.params[i] != v) continue;
            chain.param = i;
            return chain;
        }
        // A value is defined before its uses. So the search continues backwards from the instruction that was found
        // last.
        std::size_t result_index = 0;
        const auto defines = [&](const Inst& i) {
            const auto at = std::find(i.results.begin(), i.results.end(), v);
            result_index = static_cast<std::size_t>(at - i.results.begin());
            return at != i.results.end();
        };
        while (inst != block.insts.rend() && !defines(*inst)) ++inst;
        if (inst == block.insts.rend()) return std::nullopt;
        chain.updates.insert(&*inst);
        if (inst->op == Op::dynamic_update || inst->op == Op::scatter || ir::info(inst->op).has(ir::in_place)) {
            v = inst->operands[0];
            continue;
        }
        const auto sides = inst->op == Op::if_ ? branch_chain(*inst, result_index) : std::nullopt;
        if (!sides) return std::nullopt;
        v = inst->operands[1 + sides->then.param];
    }
}

namespace {

std::optional<BranchChain> both_sides(const Inst& inst, std::size_t i) {
    const ir::Block& first = *inst.regions[0];
    const ir::Block& second = *inst.regions[1];
    const auto then = update_chain(first, first.results[i]);
    if (!then) return std::nullopt;
    const auto otherwise = update_chain(second, second.results[i]);
    if (!otherwise || inst.operands[1 + then->param] != inst.operands[1 + otherwise->param]) return std::nullopt;
    return BranchChain{*then, *otherwise};
}

} // namespace

std::optional<BranchChain> branch_chain(const Inst& inst, std::size_t i) {
    std::optional<BranchChain> chain = both_sides(inst, i);
    // If several results of the `if` update one operand, only the first of them is a chain. The other results are
    // copies, and need a select.
    for (std::size_t other = 0; chain && other < i; ++other)
        if (const auto earlier = both_sides(inst, other);
            earlier && inst.operands[1 + earlier->then.param] == inst.operands[1 + chain->then.param])
            chain.reset();
    return chain;
}

/// Makes an update leave the elements outside of the mask unchanged. Outside of the mask, a dynamic_update writes the
/// old content of its window. The index of a scatter, tape_set or tape_add becomes an index out of range, so the update
/// is dropped. A tape_sum adds zeros. The cost is proportional to the size of the update. The cost of a select would be
/// proportional to the whole array.
Item Batcher::masked_update(Build& b, const Inst& inst, const Items& operands, Value mask) const {
    const Item where{mask, true};
    Items masked = operands;
    const auto spread = [&](const ir::Shape& shape) {
        return apply(b, Op::broadcast, {where}, {{Attr::shape, shape}, {Attr::dims, ir::Integers{}}});
    };
    const auto shape_of = [&](const Item& item) {
        ir::Shape shape = b.shape(item.value);
        if (item.batched) shape.erase(shape.begin());
        return shape;
    };
    if (inst.op == Op::dynamic_update) {
        const ir::Shape window = shape_of(operands[1]);
        Items read = operands;
        read.erase(read.begin() + 1);
        const Item old = apply(b, Op::dynamic_slice, read, {{Attr::sizes, window}});
        masked[1] = apply(b, Op::select, {spread(window), operands[1], old});
    } else if (inst.op == Op::tape_sum) {
        const ir::Shape shape = shape_of(operands[1]);
        masked[1] = apply(b, Op::select, {spread(shape), operands[1], {b.zeros({ir::DType::tape, shape}), false}});
    } else {
        PM_CHECK(operands.size() > 2);
        const ir::Shape shape = shape_of(operands[2]);
        const ir::DType dtype = b.dtype(operands[2].value);
        const std::int64_t beyond = inst.op != Op::scatter    ? -1 // a tape has no upper bound for indices
                                    : dtype == ir::DType::i64 ? std::numeric_limits<std::int64_t>::max()
                                                              : std::numeric_limits<std::int32_t>::max();
        masked[2] = apply(b, Op::select, {spread(shape), operands[2], {b.constant_i(dtype, beyond, shape), false}});
    }
    return flat(b, inst, masked).at(0);
}

/// check(ok | !mask). A value may have leading axes that are the axes of ok. Then the message shows the part of the
/// value at the failing element. So batched values with other leading axes are broadcast along the axes of ok.
void Batcher::check(Build& b, const Inst& inst, const Items& operands, const std::optional<Value>& mask) const {
    if (!mask && !any(batched_of(operands))) {
        b.copy(inst, values_of(operands));
        return;
    }
    const ir::Shape one = [&] {
        ir::Shape shape = b.shape(operands[0].value);
        if (operands[0].batched) shape.erase(shape.begin());
        return shape;
    }();
    Values all = {full(b, operands[0])};
    if (mask) all[0] = b.binary(Op::or_, all[0], b.broadcast(b.unary(Op::not_, *mask), b.shape(all[0]), {0}));
    for (std::size_t i = 1; i < operands.size(); ++i) {
        ir::Shape shape = b.shape(operands[i].value);
        if (operands[i].batched) shape.erase(shape.begin());
        const bool lined_up = shape.size() >= one.size() && std::equal(one.begin(), one.end(), shape.begin());
        if (lined_up) {
            all.push_back(full(b, operands[i]));
        } else if (!operands[i].batched) {
            all.push_back(operands[i].value);
        } else {
            ir::Shape spread = b.shape(all[0]);
            ir::Integers dims = {0};
            for (const std::int64_t size : shape) {
                dims.push_back(static_cast<std::int64_t>(spread.size()));
                spread.push_back(size);
            }
            all.push_back(b.broadcast(operands[i].value, std::move(spread), std::move(dims)));
        }
    }
    ir::Attrs attrs = inst.attrs;
    attrs.set(ir::Attr::batch, attrs.integer(ir::Attr::batch, 0) + 1);
    b.emit(Op::check, std::move(all), std::move(attrs));
}

/// Appends a loop over the batch. Its body prints the values of one element, if the mask is true for that element.
void Batcher::print(Build& b, const Inst& inst, const Items& operands, const std::optional<Value>& mask) const {
    Values whole, sliced;
    for (const Item& item : operands) (item.batched ? sliced : whole).push_back(item.value);
    const auto whole_count = static_cast<std::int64_t>(whole.size());
    if (mask) sliced.push_back(*mask);

    Build body;
    body.set_place(inst.place);
    body.param({ir::DType::i32, {}});
    Values whole_params, slices;
    for (const Value v : whole) whole_params.push_back(body.param(b.type(v)));
    for (const Value v : sliced) {
        Type type = b.type(v);
        type.shape.erase(type.shape.begin());
        slices.push_back(body.param(std::move(type)));
    }
    Values printed;
    std::size_t next_whole = 0, next_slice = 0;
    for (const Item& item : operands)
        printed.push_back(item.batched ? slices[next_slice++] : whole_params[next_whole++]);
    if (!mask) {
        body.copy(inst, printed);
    } else {
        Build then, otherwise;
        then.set_place(inst.place);
        Values in;
        for (const Value v : printed) {
            in.push_back(then.param(body.type(v)));
            otherwise.param(body.type(v));
        }
        then.copy(inst, in);
        body.emit(Op::if_, concat(Values{slices.back()}, printed), {}, {then.finish({}), otherwise.finish({})});
    }
    b.emit(Op::scan, concat(std::move(whole), sliced),
           {{Attr::whole, whole_count},
            {Attr::carried, std::int64_t{0}},
            {Attr::length, size_},
            {Attr::reverse, std::int64_t{0}}},
           {body.finish({})});
}

} // namespace pm::transform
