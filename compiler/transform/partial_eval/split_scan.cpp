#include "compiler/transform/partial_eval/split.hpp"

#include <algorithm>

/// A scan is split into a known scan and a linear scan. The known scan stacks its residuals. The stacked residuals
/// become sliced operands of the linear scan. Loop-invariant residuals are not stacked.
namespace pm::transform {

using ir::Attr;
using ir::Attrs;

namespace {

/// Describes through which operands the linear scan gets the residuals of the body.
struct ScanResiduals {
    static constexpr std::size_t index = static_cast<std::size_t>(-1); ///< the residual is the index of the iteration
    std::vector<std::size_t> place; ///< per residual: its index in `whole` or `sliced`, or the constant `index`
    std::vector<bool> is_whole;     ///< per residual: true if it is a whole operand
    Values whole;                   ///< values of the known block that become whole operands
    Values sliced; ///< values of the known block that become sliced operands; an entry listed in `stacked` is set when
                   ///< the known scan is emitted
    std::vector<std::pair<std::size_t, std::size_t>> stacked; ///< (index in `sliced`, output of the known scan)
    Values fresh; ///< values of the known body that become additional outputs of the known scan
};

/// The operands of the known scan, by role.
struct KnownScan {
    Values whole, carried, sliced;
};

ScanResiduals classify(Build& b, Invariants& invariants, const Split& body, const KnownScan& scan) {
    const ir::Block& known = *body.known;
    const std::size_t results = known.results.size() - body.residuals;
    Outside outside(b, known, invariants, body.same, concat(Values{{}}, scan.whole));
    ScanResiduals found;
    const auto add = [&](bool whole, Value v) {
        found.is_whole.push_back(whole);
        Values& list = whole ? found.whole : found.sliced;
        found.place.push_back(list.size());
        list.push_back(v);
    };
    for (std::size_t r = 0; r < body.residuals; ++r) {
        const Value v = known.results[results + r];
        const auto param = std::find(known.params.begin(), known.params.end(), v);
        const auto at = static_cast<std::size_t>(param - known.params.begin());
        if (at == 0) {
            found.is_whole.push_back(true);
            found.place.push_back(ScanResiduals::index);
        } else if (body.same[v.id]) {
            add(true, outside.make(v));
        } else if (param != known.params.end() && at > scan.whole.size() + scan.carried.size()) {
            add(false, scan.sliced[at - 1 - scan.whole.size() - scan.carried.size()]);
        } else {
            // A value that is already an output of the scan is not stacked twice.
            std::size_t output = scan.carried.size();
            while (output < results && known.results[output] != v) ++output;
            if (output == results) {
                output += found.fresh.size();
                found.fresh.push_back(v);
            }
            found.stacked.emplace_back(found.sliced.size(), output);
            add(false, Value{});
        }
    }
    return found;
}

/// The linear body as the body of a scan. The parameters of that body, in order: the index of the iteration, residuals
/// that are whole operands, unknown whole operands, unknown carried values, residuals that are sliced, unknown slices.
BlockPtr arranged(const Split& body, const ScanResiduals& residuals, std::size_t whole, std::size_t carried) {
    const std::size_t kept_whole = residuals.whole.size();
    const std::size_t unknown = body.linear->params.size() - body.residuals;
    std::vector<Slot> params;
    params.push_back({Slot::unused, Type{ir::DType::i32, {}}});
    params.resize(1 + kept_whole);
    std::size_t next = body.residuals;
    for (std::size_t i = 0; i < whole + carried; ++i) params.push_back(slot(next++));
    const std::size_t first_sliced = params.size();
    params.resize(first_sliced + residuals.sliced.size());
    for (std::size_t i = whole + carried; i < unknown; ++i) params.push_back(slot(next++));
    for (std::size_t r = 0; r < body.residuals; ++r) {
        const std::size_t place = residuals.place[r];
        params[place == ScanResiduals::index ? 0 : residuals.is_whole[r] ? 1 + place : first_sliced + place] = slot(r);
    }
    return with_params(*body.linear, params);
}

/// The operands of `inst` that `marked` marks. Entry 0 of `marked` is for operand `begin`.
Values marked_operands(const Inst& inst, std::size_t begin, const BitMask& marked) {
    return pick(part(inst.operands, begin, begin + marked.size()), marked);
}

} // namespace

void PartialEvaluation::scan(const Inst& inst) {
    const LoopRoles roles = loop_roles(inst);
    const BitMask operands = operands_unknown(inst);
    const BitMask carried = splitter_.dependence().carried(inst, operands);
    const BitMask whole = part(operands, 0, roles.whole);
    const BitMask sliced = part(operands, roles.whole + roles.carried, operands.size());
    const std::size_t outputs = inst.results.size() - roles.carried;
    BitMask same = concat(BitMask{false}, negated(whole));
    same.resize(inst.regions[0]->params.size(), false);
    const Split& body = splitter_.split(inst.regions[0], concat(concat(concat(BitMask{false}, whole), carried), sliced),
                                        concat(carried, BitMask(outputs, false)), same);
    const BitMask& results = body.unknown_results;
    const bool wanted = used(inst, results);

    const std::size_t first_sliced = roles.whole + roles.carried;
    const KnownScan known{known_values(marked_operands(inst, 0, negated(whole))),
                          known_values(marked_operands(inst, roles.whole, negated(carried))),
                          known_values(marked_operands(inst, first_sliced, negated(sliced)))};
    ScanResiduals residuals;
    if (wanted) residuals = classify(known_, splitter_.invariants(), body, known);

    const std::size_t known_results = results.size() - count(results);
    const BlockPtr known_body =
        with_results(*body.known, concat(part(body.known->results, 0, known_results), residuals.fresh));
    Values made;
    if (!known_body->results.empty() || ir::has_effect(*known_body)) {
        Attrs attrs = inst.attrs;
        attrs.set(Attr::whole, static_cast<std::int64_t>(known.whole.size()));
        attrs.set(Attr::carried, static_cast<std::int64_t>(known.carried.size()));
        made = known_.emit(Op::scan, concat(concat(known.whole, known.carried), known.sliced), attrs, {known_body});
    }
    set_known(inst, results, made);
    declare_unknown(inst, results);
    if (!wanted) return;
    for (const auto& [place, output] : residuals.stacked) residuals.sliced[place] = made[output];
    for (const Value v : residuals.whole) need(v);
    for (const Value v : residuals.sliced) need(v);
    // The initial value of a carried value may be known, although later values are unknown.
    for (std::size_t i = 0; i < roles.carried; ++i)
        if (carried[i] && !operands[roles.whole + i]) need(in_known_[inst.operands[roles.whole + i].id]);

    Attrs attrs = inst.attrs;
    attrs.set(Attr::whole, static_cast<std::int64_t>(residuals.whole.size() + count(whole)));
    attrs.set(Attr::carried, static_cast<std::int64_t>(count(carried)));
    const BlockPtr linear_body = arranged(body, residuals, count(whole), count(carried));
    const Values unknown[] = {marked_operands(inst, 0, whole), marked_operands(inst, roles.whole, carried),
                              marked_operands(inst, first_sliced, sliced)};
    steps_.push_back([=, this, &inst](Build& linear) {
        Values all = concat(fetch(linear, residuals.whole), linear_values(linear, unknown[0]));
        all = concat(std::move(all), linear_values(linear, unknown[1]));
        all = concat(std::move(all), fetch(linear, residuals.sliced));
        all = concat(std::move(all), linear_values(linear, unknown[2]));
        linear.set_place(inst.place);
        set_linear(inst, results, linear.emit(Op::scan, all, attrs, {linear_body}));
    });
}

} // namespace pm::transform
