#include "compiler/transform/batch/batcher.hpp"

/// Batching of `while`. If the condition is equal for all elements, the loop has the trip count of a single element.
/// Otherwise the loop runs until every element has finished, and finished elements do not change.
namespace pm::transform {

using ir::Attr;
using ir::Attrs;

/// Returns which operands are batched in the loop. Sets `condition` to true if the loop's condition is batched. The two
/// answers depend on each other, so they are computed as one fixpoint. If the condition is batched, the trip counts of
/// the elements differ. So every carried value that an iteration may change is batched in this case.
BitMask Batcher::loop_pattern(const Inst& inst, const Items& operands, bool& condition) {
    const LoopRoles roles = loop_roles(inst);
    const ir::Block& body = *inst.regions[1];
    BitMask batched = batched_of(operands);
    condition = false;
    for (;;) {
        BitMask next = batched;
        condition = condition || block(inst.regions[0], batched, {}, false).batched[0];
        const BitMask& of_body = block(inst.regions[1], batched, {}, false).batched;
        for (std::size_t i = 0; i < roles.carried; ++i) {
            const bool changed = body.results[i] != body.params[roles.whole + i];
            if (of_body[i] || (condition && changed)) next[roles.whole + i] = true;
        }
        if (next == batched) return batched;
        batched = std::move(next);
    }
}

Items Batcher::loop(Build& b, const Inst& inst, const Items& operands, const Masking& masking) {
    const bool changed = changes(*inst.regions[0]) || changes(*inst.regions[1]);
    if (!any(batched_of(operands)) && !masking.mask && !changed) return copy(b, inst, operands);
    bool condition = false;
    const BitMask batched = loop_pattern(inst, operands, condition);
    return condition ? frozen_loop(b, inst, operands, batched, masking)
                     : common_loop(b, inst, operands, batched, masking);
}

/// Appends the loop for a condition that is equal for all elements. If there is a mask, the loop iterates only while
/// the mask is true for some element. Otherwise it might not terminate, because the values outside of the mask are
/// arbitrary.
Items Batcher::common_loop(Build& b, const Inst& inst, const Items& operands, const BitMask& batched,
                           const Masking& masking) {
    const LoopRoles roles = loop_roles(inst);
    const bool masked = masking.mask.has_value();
    const BitMask want = part(batched, roles.whole, batched.size());
    BlockPtr condition = block(inst.regions[0], batched, {}, masked).block;
    BlockPtr body = block(inst.regions[1], batched, want, masked).block;
    Values values;
    for (std::size_t i = 0; i < operands.size(); ++i)
        values.push_back(batched[i] ? full(b, operands[i]) : operands[i].value);
    Attrs attrs = inst.attrs;
    if (masked) {
        attrs.set(Attr::counted, std::int64_t{0}); // the mask may stop the loop before n iterations
        Build with_mask(condition->name);
        const Values in = params_of(with_mask, condition->param_types());
        const Value more = with_mask.inline_block(*condition, in).at(0);
        condition =
            with_mask.finish({with_mask.binary(Op::and_, more, with_mask.reduce(Op::reduce_or, in.back(), {0}))});
        condition = with_last_at(*condition, roles.whole);
        body = with_last_at(*body, roles.whole);
        values.insert(values.begin() + static_cast<std::ptrdiff_t>(roles.whole), *masking.mask);
        attrs.set(Attr::whole, static_cast<std::int64_t>(roles.whole + 1));
    }
    return items_of(b.emit(Op::while_, values, attrs, {condition, body}), want);
}

/// Returns the body (whole, carried, active) -> (carried, active). `active` marks the elements that still iterate.
BlockPtr Batcher::frozen_body(const Inst& inst, const std::vector<Type>& types, const BitMask& batched) {
    const LoopRoles roles = loop_roles(inst);
    const ir::Block& iteration = *inst.regions[1];
    Build body(derived_name(iteration, "batch"));
    body.set_place(inst.place);
    Items in;
    for (std::size_t i = 0; i < types.size(); ++i) in.push_back({body.param(types[i]), batched[i]});
    const Value active = body.param({ir::DType::b1, {size_}});
    Masking masking{active, {}};
    BitMask in_place(roles.carried, false);
    for (std::size_t i = 0; i < roles.carried; ++i) {
        // If a carried value is an update chain, masking its updates is enough to freeze it.
        const auto chain = update_chain(iteration, iteration.results[i]);
        if (!chain || chain->param != roles.whole + i) continue;
        in_place[i] = true;
        masking.updates.insert(chain->updates.begin(), chain->updates.end());
    }
    Items next = run(body, iteration, in, masking);
    body.set_place(inst.place);
    for (std::size_t i = 0; i < roles.carried; ++i)
        if (!in_place[i]) next[i] = chosen(body, active, next[i], in[roles.whole + i]);
    for (std::size_t i = 0; i < roles.carried; ++i)
        if (batched[roles.whole + i]) next[i] = {full(body, next[i]), true};
    const Items more = run(body, *inst.regions[0], concat(part(in, 0, roles.whole), next), {active, {}});
    body.set_place(inst.place);
    Values results = values_of(next);
    results.push_back(body.binary(Op::and_, active, full(body, more[0])));
    return body.finish(std::move(results));
}

Items Batcher::frozen_loop(Build& b, const Inst& inst, const Items& operands, const BitMask& batched,
                           const Masking& masking) {
    const LoopRoles roles = loop_roles(inst);
    Items in;
    for (std::size_t i = 0; i < operands.size(); ++i)
        in.push_back(batched[i] ? Item{full(b, operands[i]), true} : operands[i]);
    const Value first = full(b, run(b, *inst.regions[0], in, {masking.mask, {}})[0]);
    b.set_place(inst.place);
    const Value active = masking.mask ? b.binary(Op::and_, *masking.mask, first) : first;

    Build condition(derived_name(*inst.regions[0], "batch"));
    condition.set_place(inst.place);
    std::vector<Type> types;
    for (const Item& item : in) {
        types.push_back(b.type(item.value));
        condition.param(types.back());
    }
    const Value still = condition.param({ir::DType::b1, {size_}});
    const BlockPtr go_on = condition.finish({condition.reduce(Op::reduce_or, still, {0})});
    Attrs attrs = inst.attrs;
    attrs.set(Attr::counted, std::int64_t{0});
    attrs.set(Attr::carried, static_cast<std::int64_t>(roles.carried + 1));
    Values values = values_of(in);
    values.push_back(active);
    Values made = b.emit(Op::while_, values, attrs, {go_on, frozen_body(inst, types, batched)});
    made.pop_back();
    return items_of(made, part(batched, roles.whole, batched.size()));
}

} // namespace pm::transform
