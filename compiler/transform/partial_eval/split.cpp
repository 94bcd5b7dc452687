#include "compiler/transform/partial_eval/split.hpp"

#include "compiler/transform/core/check_masks.hpp"
#include "compiler/transform/partial_eval/checkpoint.hpp"

namespace pm::transform {

const Split& PartialEvaluator::split(const BlockPtr& block, const BitMask& unknown, const BitMask& force,
                                     const BitMask& same) {
    const auto key = std::make_tuple(block, unknown, force, same);
    const auto found = made_.find(key);
    if (found != made_.end()) return found->second;
    return made_.emplace(key, PartialEvaluation(*this, *block).run(unknown, force, same)).first->second;
}

const Trimmed& PartialEvaluator::trimmed(const Split& split) {
    const auto found = trimmed_.find(&split);
    if (found != trimmed_.end()) return found->second;
    const std::size_t results = split.known->results.size() - split.residuals;
    return trimmed_.emplace(&split, trim(split, BitMask(results, true))).first->second;
}

const BlockPtr& PartialEvaluator::inlined(const BlockPtr& block) {
    const auto [at, fresh] = inlined_.try_emplace(block);
    if (fresh) at->second = transform::inlined(block);
    return at->second;
}

Trimmed trim(const Split& split, const BitMask& reusable_results) {
    const ir::Block& known = *split.known;
    std::vector<std::size_t> params; // per parameter of `known`: its index in the block that was split
    for (std::size_t i = 0; i < split.unknown.size(); ++i)
        if (!split.unknown[i]) params.push_back(i);
    std::vector<std::size_t> results;
    for (std::size_t i = 0; i < split.unknown_results.size(); ++i)
        if (!split.unknown_results[i]) results.push_back(i);

    // Per value of `known`: the parameter or result through which the caller already has the value. If there are
    // several, a parameter precedes a result, and a lower index precedes a higher index.
    std::vector<std::optional<Residual>> places(known.values.size());
    for (std::size_t i = results.size(); i-- > 0;)
        if (reusable_results[i]) places[known.results[i].id] = Residual{Residual::From::result, results[i]};
    for (std::size_t i = params.size(); i-- > 0;)
        places[known.params[i].id] = Residual{Residual::From::param, params[i]};

    Trimmed trimmed;
    Values kept = part(known.results, 0, results.size());
    for (std::size_t r = 0; r < split.residuals; ++r) {
        const Value v = known.results[results.size() + r];
        std::optional<Residual> place = places[v.id];
        if (!place && !split.same.empty() && split.same[v.id]) place = Residual{Residual::From::same, v.id};
        if (!place) {
            place = Residual{Residual::From::fresh, kept.size() - results.size()};
            kept.push_back(v);
        }
        trimmed.residuals.push_back(*place);
    }
    trimmed.known = kept.size() == known.results.size() ? split.known : with_results(known, std::move(kept));
    return trimmed;
}

Split PartialEvaluation::run(const BitMask& unknown, const BitMask& force, const BitMask& same) {
    PM_CHECK(unknown.size() == block_.params.size());
    in_loop_ = !same.empty();
    known_ = Build(derived_name(block_, "primal"));
    is_unknown_.assign(block_.values.size(), false);
    in_known_.resize(block_.values.size());
    in_linear_.resize(block_.values.size());
    for (std::size_t i = 0; i < unknown.size(); ++i) {
        const Value p = block_.params[i];
        is_unknown_[p.id] = unknown[i];
        if (unknown[i]) continue;
        in_known_[p.id] = known_.param(block_.type(p));
        if (in_loop_) same_.push_back(same[i]);
    }
    for (const Inst& inst : block_.insts) step(inst);

    Split made;
    made.unknown = unknown;
    for (const Value v : block_.results) made.unknown_results.push_back(is_unknown_[v.id]);
    made.unknown_results = joined(std::move(made.unknown_results), force);
    for (const Value v : pick(block_.results, made.unknown_results))
        if (!is_unknown_[v.id]) need(in_known_[v.id]);

    Build linear(derived_name(block_, "linear"));
    for (const Value r : residuals_) fetched_[r.id] = linear.param(known_.type(r));
    for (const Value p : pick(block_.params, unknown)) in_linear_[p.id] = linear.param(block_.type(p));
    for (const auto& step : steps_) step(linear);
    Values results;
    for (const Value v : pick(block_.results, made.unknown_results)) results.push_back(operand(linear, v));
    made.linear = linear.finish(std::move(results));

    Values known_results;
    for (const Value v : pick(block_.results, negated(made.unknown_results))) known_results.push_back(in_known_[v.id]);
    made.residuals = residuals_.size();
    if (in_loop_ && !residuals_.empty()) {
        for (const Value v : residuals_) is_same(v);
        made.same = same_;
    }
    made.known = known_.finish(concat(std::move(known_results), residuals_));
    return made;
}

void PartialEvaluation::step(const Inst& inst) {
    bool needed = ir::info(inst.op).has(ir::effect);
    for (const Value v : inst.results) needed = needed || live_[v.id];
    for (const BlockPtr& region : inst.regions) needed = needed || ir::has_effect(*region);
    if (!needed) return;
    known_.set_place(inst.place);
    if (!any(operands_unknown(inst))) {
        set_known(inst, BitMask(inst.results.size(), false), known_.copy(inst, known_operands(inst)));
        return;
    }
    switch (control_of(inst.op)) {
    case Control::flat:
    case Control::custom_linear: return flat(inst);
    case Control::call:
    case Control::custom: return call(inst);
    case Control::if_: return branch(inst);
    case Control::while_: return loop(inst);
    case Control::scan: return scan(inst);
    case Control::pmap: return mapped(inst);
    }
    PM_UNREACHABLE();
}

namespace {

/// The block without its effects, because only the primal has effects.
BlockPtr without_effects(const BlockPtr& block) {
    if (!ir::has_effect(*block)) return block;
    return rewritten(*block, [](Build& b, const Inst& inst, const Values& operands) -> Values {
        if (ir::info(inst.op).has(ir::effect)) return {};
        Inst quiet = inst;
        for (BlockPtr& region : quiet.regions) region = without_effects(region);
        return b.copy(quiet, operands);
    });
}

} // namespace

/// Only the primal has effects. An effect on an unknown value is dropped.
void PartialEvaluation::flat(const Inst& inst) {
    if (!ir::info(inst.op).has(ir::effect)) return all_unknown(inst);
    if (!guards_value(inst)) return;
    const Inst check = without_guarded(inst); // example: the checked divisor is known, but the guarded quotient is not
    if (!any(operands_unknown(check))) known_.copy(check, known_operands(check));
}

/// Lets the linear part run the whole instruction: all its results are unknown.
void PartialEvaluation::all_unknown(const Inst& inst) {
    const BitMask results(inst.results.size(), true);
    declare_unknown(inst, results);
    if (!used(inst, results)) return;
    need_unmarked(inst, operands_unknown(inst));
    steps_.push_back([this, &inst, results](Build& linear) {
        const Values operands = linear_values(linear, inst.operands);
        Inst whole = inst;
        for (BlockPtr& region : whole.regions) region = without_effects(region);
        linear.set_place(inst.place);
        set_linear(inst, results, linear.copy(whole, operands));
    });
}

// ---- values of the block

BitMask PartialEvaluation::operands_unknown(const Inst& inst) const {
    BitMask unknown;
    for (const Value v : inst.operands) unknown.push_back(is_unknown_[v.id]);
    return unknown;
}

Values PartialEvaluation::known_values(const Values& values) const {
    Values known;
    for (const Value v : values) known.push_back(in_known_[v.id]);
    return known;
}

Values PartialEvaluation::linear_values(Build& linear, const Values& values) {
    Values made;
    for (const Value v : values) made.push_back(operand(linear, v));
    return made;
}

Values PartialEvaluation::known_operands(const Inst& inst) const {
    return known_values(pick(inst.operands, negated(operands_unknown(inst))));
}

void PartialEvaluation::declare_unknown(const Inst& inst, const BitMask& results) {
    for (std::size_t i = 0; i < results.size(); ++i)
        if (results[i]) is_unknown_[inst.results[i].id] = true;
}

void PartialEvaluation::set_known(const Inst& inst, const BitMask& unknown_results, const Values& made) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < inst.results.size(); ++i)
        if (!unknown_results[i]) in_known_[inst.results[i].id] = made[next++];
}

void PartialEvaluation::set_linear(const Inst& inst, const BitMask& unknown_results, const Values& made) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < inst.results.size(); ++i)
        if (unknown_results[i]) in_linear_[inst.results[i].id] = made[next++];
}

bool PartialEvaluation::used(const Inst& inst, const BitMask& results) const {
    for (std::size_t i = 0; i < results.size(); ++i)
        if (results[i] && live_[inst.results[i].id]) return true;
    return false;
}

// ---- residuals

/// True if a value is cheaper to recompute than to keep. Its instruction has no operand, or only broadcasts or moves
/// the elements of an operand.
bool PartialEvaluation::remade(Value known) const {
    const Inst* inst = known_.definition(known);
    if (inst == nullptr) return false;
    switch (inst->op) {
    case Op::constant:
    case Op::iota:
    case Op::axis_index:
    case Op::broadcast:
    case Op::reshape:
    case Op::transpose: return true;
    default: return false;
    }
}

void PartialEvaluation::need(Value known) {
    if (needed_.size() <= known.id) needed_.resize(known.id + 1, false);
    if (needed_[known.id]) return;
    needed_[known.id] = true;
    if (!remade(known)) {
        residuals_.push_back(known);
        return;
    }
    const Values operands = known_.definition(known)->operands;
    for (const Value v : operands) need(v);
}

Value PartialEvaluation::fetch(Build& linear, Value known) {
    const auto found = fetched_.find(known.id);
    if (found != fetched_.end()) return found->second;
    PM_CHECK(remade(known), "a value that was not announced");
    const Inst& inst = *known_.definition(known);
    Values operands;
    for (const Value v : inst.operands) operands.push_back(fetch(linear, v));
    linear.set_place(inst.place);
    return fetched_[known.id] = linear.copy(inst, operands).at(0);
}

Values PartialEvaluation::fetch(Build& linear, const Values& known) {
    Values values;
    for (const Value v : known) values.push_back(fetch(linear, v));
    return values;
}

Value PartialEvaluation::operand(Build& linear, Value v) {
    return is_unknown_[v.id] ? in_linear_[v.id] : fetch(linear, in_known_[v.id]);
}

Values PartialEvaluation::unknown_operands(Build& linear, const Inst& inst) {
    return linear_values(linear, pick(inst.operands, operands_unknown(inst)));
}

void PartialEvaluation::need_unmarked(const Inst& inst, const BitMask& marked) {
    for (std::size_t i = 0; i < marked.size(); ++i)
        if (!marked[i]) need(in_known_[inst.operands[i].id]);
}

bool PartialEvaluation::is_same(Value known) {
    if (!in_loop_) return false;
    while (same_.size() <= known.id) {
        const Inst& inst = *known_.definition({static_cast<std::uint32_t>(same_.size())});
        BitMask operands;
        for (const Value v : inst.operands) operands.push_back(same_[v.id]);
        for (const bool same : splitter_.invariants().results(inst, operands)) same_.push_back(same);
    }
    return same_[known.id];
}

BitMask PartialEvaluation::operands_same(const Inst& inst) {
    BitMask same;
    if (!in_loop_) return same;
    for (const Value v : inst.operands) same.push_back(!is_unknown_[v.id] && is_same(in_known_[v.id]));
    return same;
}

Values PartialEvaluation::residual_values(const Inst& inst, const std::vector<Residual>& residuals, const Values& fresh,
                                          const Split& region, const Values& params) {
    std::optional<Outside> outside;
    const auto made_here = [&](std::size_t value) {
        if (!outside) outside.emplace(known_, *region.known, splitter_.invariants(), region.same, params);
        return outside->make({static_cast<std::uint32_t>(value)});
    };
    const std::size_t first = inst.operands.size() - region.unknown.size(); // the condition of an `if` is not a
                                                                            // parameter of its branches
    Values values;
    for (const Residual& r : residuals) {
        switch (r.from) {
        case Residual::From::param: values.push_back(in_known_[inst.operands[first + r.index].id]); break;
        case Residual::From::result: values.push_back(in_known_[inst.results[r.index].id]); break;
        case Residual::From::fresh: values.push_back(fresh[r.index]); break;
        case Residual::From::same: values.push_back(made_here(r.index)); break;
        }
    }
    return values;
}

} // namespace pm::transform
