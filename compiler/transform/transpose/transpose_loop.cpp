#include "compiler/transform/transpose/transposer.hpp"

#include <algorithm>

/// Transposition of loops: the iterations run in reverse order. If an iteration defines or uses the mask of a
/// cotangent, the mask is carried or stacked like the cotangent.
namespace pm::transform {

using ir::Attr;
using ir::Attrs;

/// The request for the transposed body of a loop, and a description of the body's results. The iterations of the
/// transposed loop run in reverse order.
struct BackwardScan {
    TransposeRequest asked;      ///< the request for the body
    BitMask whole;               ///< per linear whole operand: true if the body returns a cotangent for it
    BitMask carried;             ///< per carried value: true if it has a cotangent in some iteration
    BitMask sliced;              ///< per linear sliced operand: true if the body returns a cotangent for it
    Masks whole_masks;           ///< per linear whole operand
    Masks carried_masks;         ///< per carried value
    Masks sliced_masks;          ///< per linear sliced operand
    Masks output_masks;          ///< per given output
    BitMask output_by_iteration; ///< per given output: true if its mask has at least one element per iteration
};

/// Describes which results of a loop have a cotangent, and which masks these cotangents have.
struct GivenToLoop {
    BitMask given;        ///< per result: true if its cotangent is given
    Masks masks;          ///< per result
    BitMask by_iteration; ///< per output
    BitMask useful;       ///< per linear parameter of the body
    bool parts = false;
};

/// The carried values of a transposed loop: cotangents, masks of the cotangents, sums, masks of the sums.
struct CarriedBack {
    Values cotangents, masks, sums, sum_masks;
    Values all() const { return concat(concat(concat(cotangents, masks), sums), sum_masks); }
};

namespace {

/// If some iteration defines the cotangent or mask of a carried value, all iterations carry that cotangent or mask. A
/// tape has a mask only if every iteration defines a mask of the same kind for it. The set of carried cotangents and
/// masks is computed as a fixpoint, as in forward mode.
BackwardScan backward_scan(Transposer& transposer, const BlockPtr& body, const BitMask& params, const LoopRoles& roles,
                           const GivenToLoop& from) {
    const std::size_t whole = count(part(params, 1, 1 + roles.whole));
    const std::size_t linear = count(params);
    BackwardScan found;
    found.carried = part(from.given, 0, roles.carried);
    found.carried_masks = part(from.masks, 0, roles.carried);
    const BitMask outputs = part(from.given, roles.carried, from.given.size());
    found.output_masks = pick(part(from.masks, roles.carried, from.masks.size()), outputs);
    found.output_by_iteration = pick(from.by_iteration, outputs);
    const BitMask nothing(linear, false);
    const Values linear_params = pick(body->params, params);
    const auto tape = [&](std::size_t i) { return is_tape(body->type(linear_params[whole + i])); };
    for (;;) {
        found.asked = {params, concat(found.carried, outputs), nothing, nothing};
        found.asked.masked = concat(pick(found.carried_masks, found.carried), found.output_masks);
        if (!any(found.asked.masked)) found.asked.masked.clear();
        found.asked.useful = from.useful;
        for (std::size_t i = 0; i < roles.carried; ++i) // each iteration must return every mask that the loop carries
            if (found.carried_masks[i] != Mask::none) found.asked.useful[whole + i] = true;
        found.asked.parts = from.parts;
        const Transposed& made = transposer.block(body, found.asked);
        found.whole = part(made.has_cotangent, 0, whole);
        found.sliced = part(made.has_cotangent, whole + roles.carried, linear);
        found.whole_masks = part(made.masks, 0, whole);
        found.sliced_masks = part(made.masks, whole + roles.carried, linear);
        for (std::size_t i = 0; i < found.sliced_masks.size(); ++i) // tapes have no mask with one boolean per tape
            if (tape(roles.carried + i) && found.sliced_masks[i] == Mask::scalar) found.sliced_masks[i] = Mask::none;
        const BitMask next = joined(found.carried, part(made.has_cotangent, whole, whole + roles.carried));
        Masks masks = found.carried_masks;
        for (std::size_t i = 0; i < roles.carried; ++i) {
            const Mask mask = made.masks[whole + i];
            if (!tape(i) || !found.carried[i])
                masks[i] = std::max(masks[i], mask);
            else if (made.has_cotangent[whole + i] && mask != masks[i])
                masks[i] = Mask::none;
        }
        if (next == found.carried && masks == found.carried_masks) break;
        found.carried = next;
        found.carried_masks = std::move(masks);
    }
    found.asked.sums = concat(found.whole, BitMask(linear - whole, false));
    found.asked.want = concat(concat(found.whole, found.carried), found.sliced);
    return found;
}

/// Adds to the request for the body the masks that the scan carries or stacks. `summed`: per whole operand with a
/// cotangent, the kind of mask that the sum of its cotangents has.
void ask_masks(BackwardScan& scan, const Masks& summed) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < scan.whole.size(); ++i)
        scan.whole_masks[i] = scan.whole[i] ? summed[next++] : Mask::none;
    const std::size_t others = scan.carried.size() + scan.sliced.size();
    scan.asked.summed = concat(scan.whole_masks, Masks(others, Mask::none));
    if (!any(scan.asked.summed)) scan.asked.summed.clear();
    scan.asked.ask_masks(concat(concat(scan.whole_masks, scan.carried_masks), scan.sliced_masks));
}

/// Reorders the parameters and results of the transposed body for a scan.
///  - Old parameters: index, other whole operands, other slices, cotangents of carried values, cotangents of outputs,
///    masks of carried values, masks of outputs, sums, masks of sums.
///  - New parameters: index, other whole operands, masks of outputs that are equal in all iterations, cotangents of
///    carried values, masks of carried values, sums, masks of sums, other slices, cotangents of outputs, masks of
///    outputs that may differ between iterations.
///  - Old results: sums, cotangents of carried values, cotangents of slices, masks of sums, masks of carried values,
///    masks of slices.
///  - New results: cotangents of carried values, masks of carried values, sums, masks of sums, cotangents of slices,
///    masks of slices.
BlockPtr arranged(const Transposed& body, const BackwardScan& scan, std::size_t other_whole, std::size_t other_sliced) {
    const std::size_t carried = count(scan.carried);
    const std::size_t sums = count(scan.whole);
    const std::size_t sliced = count(scan.sliced);
    const std::size_t outputs = scan.output_masks.size();
    const std::size_t carried_masks = count(masked(scan.carried_masks));
    const std::size_t sum_masks = count(masked(scan.whole_masks));
    std::vector<std::size_t> order;
    const auto range = [&](std::size_t begin, std::size_t size) {
        for (std::size_t i = 0; i < size; ++i) order.push_back(begin + i);
    };
    const std::size_t cotangents = 1 + other_whole + other_sliced;
    const std::size_t masks = cotangents + carried + outputs;
    const std::size_t first_sum = masks + carried_masks + count(masked(scan.output_masks));
    const auto output_masks = [&](bool by_iteration) {
        std::size_t next = masks + carried_masks;
        for (std::size_t i = 0; i < outputs; ++i) {
            if (scan.output_masks[i] == Mask::none) continue;
            if (scan.output_by_iteration[i] == by_iteration) order.push_back(next);
            ++next;
        }
    };
    range(0, 1 + other_whole);
    output_masks(false);
    range(cotangents, carried);
    range(masks, carried_masks);
    range(first_sum, sums + sum_masks);
    range(1 + other_whole, other_sliced);
    range(cotangents + carried, outputs);
    output_masks(true);
    const BlockPtr made = with_params(*body.block, slots(order));
    order.clear();
    const std::size_t values = sums + carried + sliced;
    range(sums, carried);
    range(values + sum_masks, carried_masks);
    range(0, sums);
    range(values, sum_masks);
    range(sums + carried, sliced);
    range(values + sum_masks + carried_masks, count(masked(scan.sliced_masks)));
    return with_results(*made, permuted(made->results, order));
}

} // namespace

/// The cotangent of `v` with a mask of kind `mask`. `v` is the result of a loop for a carried value.
Cotangent TransposeBuilder::carried_cotangent(Value v, Mask mask) {
    const std::optional<Cotangent>& sum = sums_[v.id];
    if (mask == Mask::none) return {sum ? apply_mask(*sum) : b_.zeros(block_.type(v))};
    const Type type = mask_type(mask, block_.type(v));
    if (!sum) return {b_.zeros(block_.type(v)), logic_.never(type)};
    return {sum->value, sum->mask ? logic_.whole(*sum->mask, type.shape) : logic_.always(type)};
}

/// Returns the sums so far of the operands `operands`, and the masks of these sums. A loop that adds to the sums has
/// them as initial values. So they are removed from the table of sums. If `gated` is true, returns zeros instead, and
/// removes no sum.
TransposeBuilder::LoopSums TransposeBuilder::loop_sums(const Values& operands, const Masks& natural, bool gated) {
    LoopSums sums;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const Value v = operands[i];
        const Type& type = block_.type(v);
        const std::optional<Cotangent> before = gated ? std::nullopt : sums_[v.id];
        Mask mask = natural[i];
        const Mask known = before && before->mask ? logic_.kind(*before->mask) : Mask::none;
        if (before && (known == Mask::none || (is_tape(type) && known != mask))) mask = Mask::none;
        if (mask != Mask::none) mask = std::max(mask, known);
        const std::optional<Value> sum = gated ? std::nullopt : take(v);
        sums.values.push_back(sum ? *sum : b_.zeros(type));
        sums.masked.push_back(mask);
        if (mask == Mask::none) continue;
        const Type of_mask = mask_type(mask, type);
        sums.masks.push_back(before ? logic_.whole(*before->mask, of_mask.shape) : logic_.never(of_mask));
    }
    return sums;
}

/// `results`: the carried results, then the outputs.
GivenToLoop TransposeBuilder::given_to_loop(const Inst& inst, const LoopOperands& operands, const Values& results,
                                            bool gated) {
    GivenToLoop from;
    from.parts = parts_;
    const bool slopes = transposer_.has_slopes(inst, constant_);
    for (std::size_t i = 0; i < results.size(); ++i) {
        const std::optional<Cotangent>& ct = sums_[results[i].id];
        const Mask mask = gated ? Mask::none : mask_of(inst, ct);
        const bool output = i >= operands.carried.size();
        const bool by_iteration = output && mask == Mask::elements;
        from.given.push_back(ct.has_value());
        if (output) from.by_iteration.push_back(by_iteration);
        from.masks.push_back(by_iteration && block_.type(results[i]).rank() == 1 && !is_tape(block_.type(results[i]))
                                 ? Mask::scalar
                                 : mask);
    }
    from.useful = useful(operands.whole);
    for (const bool one : useful(operands.carried)) from.useful.push_back(one || slopes);
    from.useful = concat(std::move(from.useful), useful(operands.sliced));
    return from;
}

/// The initial carried values of the transposed loop. Also adds the masks of these values to the request for the body.
CarriedBack TransposeBuilder::carried_back(BackwardScan& back, const LoopOperands& operands, const Values& results,
                                           bool gated) {
    CarriedBack carried;
    for (std::size_t i = 0; i < operands.carried.size(); ++i) {
        if (!back.carried[i]) continue;
        const Cotangent ct = carried_cotangent(results[i], back.carried_masks[i]);
        carried.cotangents.push_back(ct.value);
        if (ct.mask) carried.masks.push_back(*ct.mask);
    }
    const LoopSums sums = loop_sums(pick(operands.whole, back.whole), pick(back.whole_masks, back.whole), gated);
    carried.sums = sums.values;
    carried.sum_masks = sums.masks;
    ask_masks(back, sums.masked);
    return carried;
}

/// Adds the results of a transposed loop to the cotangents of the operands. These results are the values of `made` with
/// index `next` and greater.
void TransposeBuilder::add_back(const BackwardScan& back, const LoopOperands& operands, const Values& made,
                                std::size_t next, const std::optional<Value>& gate) {
    const auto group = [&](const Values& all, const BitMask& marked, const Masks& masks, bool clean) {
        const Values to = pick(all, marked);
        const Masks with = pick(masks, marked);
        std::size_t mask = next + to.size();
        for (std::size_t i = 0; i < to.size(); ++i) {
            Cotangent part{made[next++]};
            if (with[i] != Mask::none) {
                // A mask with one boolean per iteration is broadcast to the shape of the stacked slices.
                const Value given = made[mask++];
                const bool spread = b_.rank(given) == 1 && with[i] == Mask::scalar && b_.rank(part.value) > 1;
                part.mask = spread ? b_.broadcast(given, b_.shape(part.value), {0}) : given;
                part.clean = clean;
            }
            add(to[i], gated(gate, part));
        }
        next = mask;
    };
    group(operands.carried, back.carried, back.carried_masks, false);
    group(operands.whole, back.whole, back.whole_masks, true);
    group(operands.sliced, back.sliced, back.sliced_masks, false);
    PM_CHECK(next == made.size());
}

/// The iterations run in reverse order. Cotangents of carried values are carried values. Cotangents of whole operands
/// are added to carried values. Cotangents of slices are stacked.
void TransposeBuilder::scan(const Inst& inst) {
    const LoopRoles roles = loop_roles(inst);
    const BitMask linear = linear_operands(inst);
    const std::size_t first_sliced = roles.whole + roles.carried;
    const BitMask whole = part(linear, 0, roles.whole);
    const BitMask sliced = part(linear, first_sliced, linear.size());
    const BitMask params = concat(concat(concat(BitMask{false}, whole), BitMask(roles.carried, true)), sliced);
    const LoopOperands to{pick(part(inst.operands, 0, roles.whole), whole),
                          part(inst.operands, roles.whole, first_sliced),
                          pick(part(inst.operands, first_sliced, inst.operands.size()), sliced)};
    const std::optional<Value> gate = this->gate(inst);
    const GivenToLoop from = given_to_loop(inst, to, inst.results, gate.has_value());
    BackwardScan back = backward_scan(transposer_, inst.regions[0], params, roles, from);
    if (!any(back.asked.want)) return;

    const auto fixed = [&](std::size_t begin, const BitMask& marked) {
        Values values;
        for (std::size_t i = 0; i < marked.size(); ++i)
            if (!marked[i]) values.push_back(now_[inst.operands[begin + i].id]);
        return values;
    };
    Values operands = fixed(0, whole);
    const std::size_t other_whole = operands.size();
    Values slices = fixed(first_sliced, sliced);
    const std::size_t other_slices = slices.size();
    Values masks_by_iteration;
    for (std::size_t i = roles.carried; i < from.given.size(); ++i) {
        if (!from.given[i]) continue;
        const Cotangent& ct = *sums_[inst.results[i].id];
        const bool with_mask = from.masks[i] != Mask::none;
        slices.push_back(with_mask ? ct.value : apply_mask(ct));
        if (with_mask) (from.by_iteration[i - roles.carried] ? masks_by_iteration : operands).push_back(*ct.mask);
    }
    const std::size_t first_carried = operands.size();
    const Values carried = carried_back(back, to, inst.results, gate.has_value()).all();
    operands = concat(concat(concat(std::move(operands), carried), slices), masks_by_iteration);

    Attrs attrs = inst.attrs;
    attrs.set(Attr::whole, static_cast<std::int64_t>(first_carried));
    attrs.set(Attr::carried, static_cast<std::int64_t>(carried.size()));
    attrs.set(Attr::reverse, 1 - attrs.integer(Attr::reverse, 0));
    const BlockPtr body = arranged(transposer_.block(inst.regions[0], back.asked), back, other_whole, other_slices);
    add_back(back, to, b_.emit(Op::scan, operands, attrs, {body}), 0, gate);
}

// ---- while

namespace {

/// Returns the block (n, other whole operands, i, carried cotangents and sums) -> (i + 1, the results of `body` for
/// iteration n - 1 - i).
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

const BlockPtr& Transposer::iteration_of(const Inst& inst) {
    const std::size_t whole = loop_roles(inst).whole;
    const auto [at, fresh] = iterations_.try_emplace({inst.regions[1], whole});
    if (!fresh) return at->second;
    const ir::Block& body = *inst.regions[1];
    std::vector<std::size_t> order = {whole};
    for (std::size_t i = 0; i < body.params.size(); ++i)
        if (i != whole) order.push_back(i);
    return at->second = with_results(*with_params(body, slots(order)), part(body.results, 1, body.results.size()));
}

/// Transposes a counted loop like a scan without slices. Raises an error for a `while` that is not counted. The
/// condition of such a `while` depends on a linear value, because PartialEvaluator turns all other loops into counted
/// loops.
void TransposeBuilder::counted_loop(const Inst& inst) {
    const LoopRoles all = loop_roles(inst);
    const ir::Block& condition = *inst.regions[0];
    if (inst.attrs.integer(Attr::counted, 0) == 0 || is_linear(inst.operands[0]))
        refuse_condition(inst, condition, condition.results[0]);
    const LoopRoles roles{all.whole, all.carried - 1, 0};
    const BitMask whole = part(linear_operands(inst), 0, roles.whole);
    const BlockPtr& iteration = transposer_.iteration_of(inst);
    const BitMask params = concat(concat(BitMask{false}, whole), BitMask(roles.carried, true));
    const LoopOperands to{pick(part(inst.operands, 0, roles.whole), whole),
                          part(inst.operands, roles.whole + 1, inst.operands.size()),
                          {}};
    const Values results = part(inst.results, 1, all.carried);
    const std::optional<Value> gate = this->gate(inst);
    const GivenToLoop from = given_to_loop(inst, to, results, gate.has_value());
    BackwardScan back = backward_scan(transposer_, iteration, params, roles, from);
    if (!any(back.asked.want)) return;

    Values operands;
    for (std::size_t i = 0; i < roles.whole; ++i)
        if (!whole[i]) operands.push_back(now_[inst.operands[i].id]);
    const std::size_t other_whole = operands.size();
    operands.push_back(b_.constant_i(ir::DType::i64, 0));
    operands = concat(std::move(operands), carried_back(back, to, results, gate.has_value()).all());

    const std::vector<Type> types = types_of(b_, operands);
    const BlockPtr body = arranged(transposer_.block(iteration, back.asked), back, other_whole, 0);
    Attrs attrs = inst.attrs;
    attrs.set(Attr::whole, static_cast<std::int64_t>(other_whole));
    attrs.set(Attr::carried, static_cast<std::int64_t>(operands.size() - other_whole));
    const Values made =
        b_.emit(Op::while_, operands, attrs, {below_count(types, other_whole), backwards(*body, types, other_whole)});
    add_back(back, to, made, 1, gate);
}

} // namespace pm::transform
