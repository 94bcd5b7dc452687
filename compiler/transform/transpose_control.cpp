#include "compiler/transform/transposer.hpp"

#include "compiler/base/diagnostic.hpp"
#include "compiler/ir/places.hpp"
#include "compiler/transform/custom.hpp"

/// How operations with regions are transposed. Sums of cotangents go through regions as operands, so that a
/// read of a part costs what the part costs, however deep it stands.
namespace pm::transform {

using ir::Attr;
using ir::Attrs;

void Reversal::call(const Inst& inst) {
    const Pattern linear = linear_operands(inst);
    const Values operands = pick(inst.operands, linear);
    const std::optional<Value> gate = this->gate(inst);
    const Given given = take_masked(inst, gate.has_value());
    Values in = concat(concat(others(inst), given.values), given.masks);
    const Sums sums = take_sums(operands, gate.has_value());
    Backward asked{linear, this->given(inst), sums.there, Pattern(operands.size(), false), given.masked};
    const Transposed& callee = ir::placed_at(inst, [&]() -> const Transposed& {
        const Transposed& plain = transposer_.block(inst.regions[0], asked);
        asked.masks = both(plain.decided, negated(sums.there));
        return any(asked.masks) ? transposer_.block(inst.regions[0], asked) : plain;
    });
    if (!any(callee.gives)) return;
    Attrs attrs;
    attrs.set(Attr::text, callee.block->name);
    if (inst.attrs.has(Attr::policy)) attrs.set(Attr::policy, inst.attrs.text(Attr::policy));
    const Values made = b_.emit(Op::call, concat(std::move(in), sums.values), attrs, {callee.block});
    add_given(operands, callee.gives, asked.masks, made, gate);
}

/// What is given back is what the program's own function makes of all cotangents at once: zeros where there is none.
void Reversal::custom_linear(const Inst& inst) {
    const std::size_t residuals = leading_operands(inst);
    if (any(part(linear_operands(inst), 0, residuals)))
        raise(diagnose(Diag::not_linear, inst.span, inst.attrs.text(Attr::text)));
    const std::optional<Value> gate = this->gate(inst);
    Values in;
    for (const Value v : part(inst.operands, 0, residuals)) in.push_back(now_[v.id]);
    for (const Value r : inst.results) in.push_back(sums_[r.id] ? settled(*sums_[r.id]) : b_.zeros(block_.type(r)));
    const BlockPtr& bwd = inst.regions[0];
    Attrs attrs;
    attrs.set(Attr::text, bwd->name);
    const Values made = b_.emit(Op::call, std::move(in), attrs, {bwd});
    for (std::size_t i = 0; i < made.size(); ++i) {
        const Value v = inst.operands[residuals + i];
        if (is_linear(v) && !gives_zero(*bwd, i)) add(v, gated(gate, v, made[i]));
    }
}

/// Both branches give a cotangent for what either gives one for. What only one of them uses has a cotangent only where
/// that one is taken: without the mask its zeros elsewhere could meet an infinite slope before the `if`.
void Reversal::branch(const Inst& inst) {
    const Pattern linear = linear_operands(inst);
    PM_CHECK(!linear[0], "a linear condition");
    const Values operands = pick(inst.operands, linear);
    const std::optional<Value> gate = this->gate(inst);
    const Given given = take_masked(inst, gate.has_value());
    Values in = concat(concat(others(inst), given.values), given.masks);
    const Sums sums = take_sums(operands, gate.has_value());
    Backward asked{part(linear, 1, linear.size()), this->given(inst), sums.there, Pattern(operands.size(), false),
                   given.masked};
    {
        const Transposed& then = transposer_.block(inst.regions[0], asked);
        const Transposed& otherwise = transposer_.block(inst.regions[1], asked);
        asked.want = joined(then.gives, otherwise.gives);
        if (!any(asked.want)) return;
        const Pattern always =
            both(both(then.gives, negated(then.decided)), both(otherwise.gives, negated(otherwise.decided)));
        asked.masks = both(both(asked.want, negated(always)), negated(sums.there));
    }
    const Transposed& then = transposer_.block(inst.regions[0], asked);
    const Transposed& otherwise = transposer_.block(inst.regions[1], asked);
    const Values made = b_.emit(Op::if_, concat(std::move(in), sums.values), inst.attrs, {then.block, otherwise.block});
    add_given(operands, asked.want, asked.masks, made, gate);
}

// ---- scan

namespace {

/// What the body of a scan is asked for when the turns run backwards.
struct BackwardScan {
    Backward asked;  ///< of the body
    Pattern whole;   ///< per linear whole operand: gets a cotangent
    Pattern carried; ///< per carried value: has a cotangent in some turn
    Pattern sliced;  ///< per linear sliced operand: gets a cotangent
};

/// A carried cotangent that some turn makes is there in all turns: a fixpoint, like that of forward mode.
BackwardScan backward_scan(Transposer& transposer, const BlockPtr& body, const Pattern& params, const LoopRoles& roles,
                           const Pattern& given) {
    const std::size_t whole = count(part(params, 1, 1 + roles.whole));
    const std::size_t linear = count(params);
    BackwardScan found;
    found.carried = part(given, 0, roles.carried);
    const Pattern outputs = part(given, roles.carried, given.size());
    const Pattern nothing(linear, false);
    for (;;) {
        found.asked = {params, concat(found.carried, outputs), nothing, nothing};
        const Pattern& gives = transposer.block(body, found.asked).gives;
        found.whole = part(gives, 0, whole);
        found.sliced = part(gives, whole + roles.carried, linear);
        Pattern next = joined(found.carried, part(gives, whole, whole + roles.carried));
        if (next == found.carried) break;
        found.carried = std::move(next);
    }
    found.asked.sums = concat(found.whole, Pattern(linear - whole, false));
    found.asked.want = concat(concat(found.whole, found.carried), found.sliced);
    return found;
}

/// The transposed body takes (index, other whole, other slices, cotangents of carried, of outputs, sums) and
/// gives (sums, cotangents of carried, of slices). As the body of a scan it takes (index, whole, carried
/// cotangents, sums, slices, cotangents of outputs).
BlockPtr arranged(const Transposed& body, const BackwardScan& scan, std::size_t other_whole, std::size_t other_sliced) {
    const std::size_t carried = count(scan.carried);
    const std::size_t sums = count(scan.whole);
    const std::size_t outputs = count(scan.asked.given) - carried;
    std::vector<std::size_t> order;
    const auto range = [&](std::size_t begin, std::size_t size) {
        for (std::size_t i = 0; i < size; ++i) order.push_back(begin + i);
    };
    const std::size_t cotangents = 1 + other_whole + other_sliced;
    range(0, 1 + other_whole);
    range(cotangents, carried);
    range(cotangents + carried + outputs, sums);
    range(1 + other_whole, other_sliced);
    range(cotangents + carried, outputs);
    const BlockPtr made = with_params(*body.block, slots(order));
    order.clear();
    range(sums, carried);
    range(0, sums);
    range(sums + carried, count(scan.sliced));
    return with_results(*made, permuted(made->results, order));
}

} // namespace

/// Cotangents of the marked ones of a loop's carried values as they leave it.
Values Reversal::carried_cotangents(const Values& results, const Pattern& carried) {
    Values cotangents;
    for (const Value v : pick(results, carried))
        cotangents.push_back(sums_[v.id] ? settled(*sums_[v.id]) : b_.zeros(block_.type(v)));
    return cotangents;
}

/// What the sums of these operands are before a loop that adds to them; behind a gate they start anew.
Values Reversal::sums_or_zeros(const Values& operands, bool gated) {
    Values sums;
    for (const Value v : operands) {
        const std::optional<Value> sum = gated ? std::nullopt : take(v);
        sums.push_back(sum ? *sum : b_.zeros(block_.type(v)));
    }
    return sums;
}

/// The turns run the other way. Cotangents of carried values are carried, those of whole operands are summed
/// up in carried values, those of slices are stacked.
void Reversal::scan(const Inst& inst) {
    const LoopRoles roles = loop_roles(inst);
    const Pattern linear = linear_operands(inst);
    const std::size_t first_sliced = roles.whole + roles.carried;
    const Pattern whole = part(linear, 0, roles.whole);
    const Pattern sliced = part(linear, first_sliced, linear.size());
    const Pattern given = this->given(inst);
    const Pattern params = concat(concat(concat(Pattern{false}, whole), Pattern(roles.carried, true)), sliced);
    const BackwardScan back = backward_scan(transposer_, inst.regions[0], params, roles, given);
    if (!any(back.asked.want)) return;

    const std::optional<Value> gate = this->gate(inst);
    const auto fixed = [&](std::size_t begin, const Pattern& marked) {
        Values values;
        for (std::size_t i = 0; i < marked.size(); ++i)
            if (!marked[i]) values.push_back(now_[inst.operands[begin + i].id]);
        return values;
    };
    Values operands = fixed(0, whole);
    const std::size_t other_whole = operands.size();
    operands = concat(std::move(operands), carried_cotangents(part(inst.results, 0, roles.carried), back.carried));
    const Values summed = pick(pick(part(inst.operands, 0, roles.whole), whole), back.whole);
    operands = concat(std::move(operands), sums_or_zeros(summed, gate.has_value()));
    const Values other_slices = fixed(first_sliced, sliced);
    operands = concat(std::move(operands), other_slices);
    for (std::size_t i = roles.carried; i < given.size(); ++i)
        if (given[i]) operands.push_back(settled(*sums_[inst.results[i].id]));

    Attrs attrs = inst.attrs;
    attrs.set(Attr::whole, static_cast<std::int64_t>(other_whole));
    attrs.set(Attr::carried, static_cast<std::int64_t>(count(back.carried) + summed.size()));
    attrs.set(Attr::reverse, 1 - attrs.integer(Attr::reverse, 0));
    const BlockPtr body =
        arranged(transposer_.block(inst.regions[0], back.asked), back, other_whole, other_slices.size());
    const Values made = b_.emit(Op::scan, operands, attrs, {body});
    Values given_to = pick(part(inst.operands, roles.whole, first_sliced), back.carried);
    given_to = concat(std::move(given_to), summed);
    given_to = concat(std::move(given_to),
                      pick(pick(part(inst.operands, first_sliced, inst.operands.size()), sliced), back.sliced));
    PM_CHECK(made.size() == given_to.size());
    for (std::size_t i = 0; i < made.size(); ++i) add(given_to[i], gated(gate, given_to[i], made[i]));
}

// ---- while

namespace {

/// The body of a counted loop as that of a scan: (number of the turn, whole, carried) -> carried, without the number.
BlockPtr turn_of(const Inst& inst, const LoopRoles& roles) {
    const ir::Block& body = *inst.regions[1];
    std::vector<std::size_t> order = {roles.whole};
    for (std::size_t i = 0; i < body.params.size(); ++i)
        if (i != roles.whole) order.push_back(i);
    return with_results(*with_params(body, slots(order)), part(body.results, 1, body.results.size()));
}

/// (n, other whole, i, carried cotangents and sums) with the turns from n - 1 on: what `body` gives for turn n - 1 - i.
BlockPtr backwards(const ir::Block& body, const std::vector<Type>& params, std::size_t whole) {
    Build b(body.name);
    const Values in = params_of(b, params);
    const Value one = b.constant_i(ir::DType::i64, 1);
    const Value next = b.add(in[whole], one);
    Values arguments = {b.binary(Op::sub, in[0], next)};
    for (std::size_t i = 0; i < in.size(); ++i)
        if (i != whole) arguments.push_back(in[i]);
    return b.finish(concat(Values{next}, b.inline_block(body, arguments)));
}

} // namespace

/// As of a scan without slices: Splitter makes no other linear `while`.
void Reversal::counted_loop(const Inst& inst) {
    PM_CHECK(inst.attrs.integer(Attr::counted, 0) != 0, "a linear `while`");
    const LoopRoles all = loop_roles(inst);
    const LoopRoles roles{all.whole, all.carried - 1, 0};
    const Pattern linear = linear_operands(inst);
    const Pattern whole = part(linear, 0, roles.whole);
    const BlockPtr turn = turn_of(inst, all);
    const Pattern params = concat(concat(Pattern{false}, whole), Pattern(roles.carried, true));
    const Pattern given = part(this->given(inst), 1, all.carried);
    const BackwardScan back = backward_scan(transposer_, turn, params, roles, given);
    if (!any(back.asked.want)) return;

    const std::optional<Value> gate = this->gate(inst);
    Values operands;
    for (std::size_t i = 0; i < roles.whole; ++i)
        if (!whole[i]) operands.push_back(now_[inst.operands[i].id]);
    const std::size_t other_whole = operands.size();
    operands.push_back(b_.constant_i(ir::DType::i64, 0));
    operands = concat(std::move(operands), carried_cotangents(part(inst.results, 1, all.carried), back.carried));
    const Values summed = pick(pick(part(inst.operands, 0, roles.whole), whole), back.whole);
    operands = concat(std::move(operands), sums_or_zeros(summed, gate.has_value()));

    const std::vector<Type> types = types_of(b_, operands);
    const BlockPtr body = arranged(transposer_.block(turn, back.asked), back, other_whole, 0);
    Attrs attrs = inst.attrs;
    attrs.set(Attr::whole, static_cast<std::int64_t>(other_whole));
    attrs.set(Attr::carried, static_cast<std::int64_t>(operands.size() - other_whole));
    const Values made =
        b_.emit(Op::while_, operands, attrs, {below_count(types, other_whole), backwards(*body, types, other_whole)});
    const Values given_to =
        concat(pick(part(inst.operands, roles.whole + 1, inst.operands.size()), back.carried), summed);
    PM_CHECK(made.size() == given_to.size() + 1);
    for (std::size_t i = 0; i < given_to.size(); ++i) add(given_to[i], gated(gate, given_to[i], made[i + 1]));
}

// ---- pmap

namespace {

/// The transposed body of a pmap, with cotangents of operands that every device had whole summed over the
/// devices.
BlockPtr with_sums(const ir::Block& body, const Attrs& attrs, const ir::Integers& axes) {
    Build b(body.name);
    Values out = b.inline_block(body, params_of(b, body.param_types()));
    const ir::Integers over = {attrs.integer(Attr::axis_id)};
    for (std::size_t i = 0; i < out.size(); ++i)
        if (axes[i] < 0)
            out[i] =
                b.emit1(Op::psum, {out[i]}, {{Attr::axes, over}, {Attr::axis_size, attrs.integer(Attr::axis_size)}});
    return b.finish(std::move(out));
}

} // namespace

/// As in JAX: at the border `in_axes none` becomes a psum of the cotangent, and `out_axes none` divides it by
/// the size of the axis.
void Reversal::mapped(const Inst& inst) {
    const Pattern linear = linear_operands(inst);
    const Values operands = pick(inst.operands, linear);
    const Pattern given = this->given(inst);
    const Pattern nothing(operands.size(), false);
    const Transposed& body = transposer_.block(inst.regions[0], {linear, given, nothing, nothing});
    if (!any(body.gives)) return;
    const ir::Integers& in_axes = inst.attrs.integers(Attr::in_axes);
    const ir::Integers& out_axes = inst.attrs.integers(Attr::out_axes);
    const std::optional<Value> gate = this->gate(inst);
    Values cotangents = take_given(inst);
    const ir::Integers given_axes = pick(out_axes, given);
    for (std::size_t i = 0; i < cotangents.size(); ++i)
        if (given_axes[i] < 0)
            cotangents[i] = b_.scale(cotangents[i], 1.0 / static_cast<double>(inst.attrs.integer(Attr::axis_size)));
    const ir::Integers result_axes = pick(pick(in_axes, linear), body.gives);
    Attrs attrs = inst.attrs;
    attrs.set(Attr::in_axes, concat(pick(in_axes, negated(linear)), given_axes));
    attrs.set(Attr::out_axes, result_axes);
    const Values made =
        b_.emit(Op::pmap, concat(others(inst), cotangents), attrs, {with_sums(*body.block, inst.attrs, result_axes)});
    const Values given_to = pick(operands, body.gives);
    for (std::size_t i = 0; i < made.size(); ++i) add(given_to[i], gated(gate, given_to[i], made[i]));
}

} // namespace pm::transform
