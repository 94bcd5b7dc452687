#include "compiler/transform/core/check_masks.hpp"

#include "compiler/ir/places.hpp"
#include "compiler/ops/core/axes.hpp"
#include "compiler/ops/effects/check_attributes.hpp"
#include "compiler/transform/core/dependence.hpp"
#include "compiler/transform/core/masks.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

namespace pm::transform {

using ir::Attr;

bool guards_value(const Inst& inst) { return inst.op == Op::check && ops::check_of(inst).guards; }

Inst without_guarded(Inst check) {
    check.operands.pop_back();
    ir::Attrs attrs;
    for (const auto& [key, value] : check.attrs.items())
        if (key != Attr::guards) attrs.set(key, value);
    check.attrs = std::move(attrs);
    return check;
}

namespace {

/// True if some instruction of the block may mask a check.
bool may_mask(const ir::Block& block) {
    return std::any_of(block.insts.begin(), block.insts.end(), [](const Inst& inst) {
        return inst.op == Op::select || inst.op == Op::if_ || inst.op == Op::scan || inst.op == Op::while_;
    });
}

/// True if the instruction has an effect even when none of its results is used. True for every effect except a check
/// that guards a value.
bool acts(const Inst& inst) { return ir::info(inst.op).has(ir::effect) && !guards_value(inst); }

bool any_region(const Inst& inst, bool (*test)(const Inst&)) {
    return std::any_of(inst.regions.begin(), inst.regions.end(),
                       [&](const BlockPtr& region) { return ir::any_inst(*region, test); });
}

/// The elements of a value that are used: none, those for which a mask is true, or all.
enum class CheckNeed : std::uint8_t { none, masked, all };
struct CheckAnswer {
    CheckNeed need = CheckNeed::none;
    std::size_t ready = 0; ///< the index of the first instruction before which the mask can be computed
};

CheckAnswer merged(const CheckAnswer& a, const CheckAnswer& b) {
    return {std::max(a.need, b.need), std::max(a.ready, b.ready)};
}

/// The use of a parameter by a region: none, only for the region's results, or for an effect.
enum class Use : std::uint8_t { none, value, effect };

/// The uses of the values of one block.
class Needs {
  public:
    explicit Needs(const ir::Block& block)
        : block_(block), uses_(block.values.size()), is_result_(block.values.size(), false),
          defined_(block.values.size(), 0) {
        for (std::size_t i = 0; i < block.insts.size(); ++i) {
            for (std::size_t o = 0; o < block.insts[i].operands.size(); ++o)
                uses_[block.insts[i].operands[o].id].push_back({i, o});
            for (const Value v : block.insts[i].results) defined_[v.id] = i + 1;
        }
        for (const Value v : block.results) is_result_[v.id] = true;
    }
    Needs(const Needs&) = delete;
    Needs& operator=(const Needs&) = delete;

    CheckAnswer of(Value v) {
        if (const auto known = answers_.find(v.id); known != answers_.end()) return known->second;
        CheckAnswer found;
        if (is_result_[v.id]) found.need = CheckNeed::all;
        for (const Place& use : uses_[v.id]) {
            if (found.need == CheckNeed::all) break;
            found = merged(found, of_use(use));
        }
        return answers_[v.id] = found;
    }
    CheckAnswer of(const Values& values) {
        CheckAnswer found;
        for (const Value v : values) found = merged(found, of(v));
        return found;
    }
    /// The mask of a value whose need is `masked`: one boolean, or one for each element. Nullopt if the mask is true
    /// everywhere. `now`: per value of the block, its value in the block under construction.
    std::optional<Value> mask(Build& b, MaskLogic& logic, const Values& now, Value v);
    /// One boolean: true if any of the values `values` is used. Nullopt if the boolean is always true.
    std::optional<Value> mask(Build& b, MaskLogic& logic, const Values& now, const Values& values);

  private:
    struct Place {
        std::size_t inst;
        std::size_t operand;
    };
    /// The broadcast or reshape that defines `v`. Null if `v` is a parameter, or if another kind of instruction defines
    /// `v`.
    const Inst* arranges(Value v) const {
        const Inst* inst = defined_[v.id] == 0 ? nullptr : &block_.insts[defined_[v.id] - 1];
        return inst && (inst->op == Op::broadcast || inst->op == Op::reshape) ? inst : nullptr;
    }
    /// The index of the first instruction before which the condition `v` can be computed.
    std::size_t ready(Value v) const {
        const Inst* inst = arranges(v);
        return inst ? ready(inst->operands[0]) : defined_[v.id];
    }
    /// The value of the condition `v` in the block under construction. If the broadcasts and reshapes that define the
    /// condition have not been appended, appends them.
    Value made(Build& b, const Values& now, Value v) const {
        return now[v.id] ? now[v.id] : b.copy(*arranges(v), {made(b, now, arranges(v)->operands[0])}).at(0);
    }
    CheckAnswer of_use(const Place& use);
    CheckAnswer of_region_use(const Inst& inst, std::size_t operand);
    Use region_use(const BlockPtr& region, std::size_t param);
    std::optional<Value> mask_of_use(Build& b, MaskLogic& logic, const Values& now, const Place& use);
    std::optional<Value> mask_before(Build& b, MaskLogic& logic, const Place& use, Value after);

    const ir::Block& block_;
    std::vector<std::vector<Place>> uses_;
    BitMask is_result_;
    std::vector<std::size_t> defined_; ///< per value: the index of the first instruction after its definition
    std::unordered_map<std::uint32_t, CheckAnswer> answers_;
    std::unordered_map<std::uint32_t, std::optional<Value>> masks_;
    std::map<std::pair<BlockPtr, std::size_t>, Use> region_uses_;
    Dependence dependence_;
};

CheckAnswer Needs::of_use(const Place& use) {
    const Inst& inst = block_.insts[use.inst];
    if (guards_value(inst)) return {};
    if (acts(inst)) return {CheckNeed::all, 0};
    if (!inst.regions.empty()) return of_region_use(inst, use.operand);
    CheckAnswer of_results = of(inst.results);
    if (inst.op == Op::select && use.operand > 0) // the need is `masked` for any need of the result
        return {CheckNeed::masked, std::max(of_results.ready, ready(inst.operands[0]))};
    return of_results;
}

CheckAnswer Needs::of_region_use(const Inst& inst, std::size_t operand) {
    const CheckAnswer of_results = of(inst.results);
    if (inst.op != Op::if_) {
        Use most = Use::none;
        const std::size_t param = operand + (inst.op == Op::scan ? 1 : 0);
        for (const BlockPtr& region : inst.regions) {
            // Only the primal of a `custom` runs.
            if (&region != &inst.regions[0] && inst.op != Op::while_) break;
            if (inst.op != Op::custom_linear) most = std::max(most, region_use(region, param));
        }
        if (inst.op == Op::custom_linear) most = Use::value;
        if (most == Use::effect) return {CheckNeed::all, 0};
        return most == Use::none ? CheckAnswer{} : of_results;
    }
    if (operand == 0) return any_region(inst, acts) ? CheckAnswer{CheckNeed::all, 0} : of_results;
    const Use then = region_use(inst.regions[0], operand - 1);
    const Use otherwise = region_use(inst.regions[1], operand - 1);
    if (then != Use::none && otherwise != Use::none)
        return std::max(then, otherwise) == Use::effect ? CheckAnswer{CheckNeed::all, 0} : of_results;
    const Use one = std::max(then, otherwise);
    if (one == Use::none) return {};
    return {CheckNeed::masked, std::max(one == Use::value ? of_results.ready : 0, ready(inst.operands[0]))};
}

Use Needs::region_use(const BlockPtr& region, std::size_t param) {
    const auto [at, fresh] = region_uses_.try_emplace({region, param}, Use::none);
    if (!fresh) return at->second;
    BitMask marked(region->values.size(), false);
    marked[region->params.at(param).id] = true;
    for (const Inst& inst : region->insts) {
        BitMask operands;
        for (const Value v : inst.operands) operands.push_back(marked[v.id]);
        if (!any(operands) || guards_value(inst)) continue;
        if (acts(inst) || any_region(inst, acts)) return region_uses_[{region, param}] = Use::effect;
        const BitMask results = dependence_.results(inst, operands);
        for (std::size_t i = 0; i < results.size(); ++i)
            if (results[i]) marked[inst.results[i].id] = true;
    }
    for (const Value v : region->results)
        if (marked[v.id]) return region_uses_[{region, param}] = Use::value;
    return Use::none;
}

std::optional<Value> Needs::mask(Build& b, MaskLogic& logic, const Values& now, Value v) {
    if (const auto known = masks_.find(v.id); known != masks_.end()) return known->second;
    std::optional<Value> all;
    bool first = true;
    for (const Place& use : uses_[v.id]) {
        if (of_use(use).need != CheckNeed::masked) continue;
        const std::optional<Value> one = mask_of_use(b, logic, now, use);
        all = first ? one : all && one ? logic.either(*all, *one) : std::nullopt;
        first = false;
        if (!all) break;
    }
    return masks_[v.id] = all;
}

std::optional<Value> Needs::mask(Build& b, MaskLogic& logic, const Values& now, const Values& values) {
    std::optional<Value> all;
    bool first = true;
    for (const Value v : values) {
        if (of(v).need == CheckNeed::none) continue;
        std::optional<Value> one = mask(b, logic, now, v);
        if (one) one = logic.anywhere(*one);
        all = first ? one : all && one ? logic.either(*all, *one) : std::nullopt;
        first = false;
    }
    return all;
}

std::optional<Value> Needs::mask_of_use(Build& b, MaskLogic& logic, const Values& now, const Place& use) {
    const Inst& inst = block_.insts[use.inst];
    const bool chooses = (inst.op == Op::select || inst.op == Op::if_) && use.operand > 0;
    std::optional<Value> side;
    bool with_results = true;
    if (chooses) {
        const Value condition = made(b, now, inst.operands[0]);
        const Use then = inst.op == Op::if_ ? region_use(inst.regions[0], use.operand - 1) : Use::value;
        const Use otherwise = inst.op == Op::if_ ? region_use(inst.regions[1], use.operand - 1) : Use::value;
        const bool first = inst.op == Op::if_ ? then != Use::none : use.operand == 1;
        const bool both = inst.op == Op::if_ && then != Use::none && otherwise != Use::none;
        if (!both) side = first ? logic.narrow(condition) : logic.opposite(logic.narrow(condition));
        with_results = std::max(then, otherwise) == Use::value; // an effect takes place even if no result is used
    }
    if (!with_results || of(inst.results).need != CheckNeed::masked) return side;
    const bool one = inst.results.size() == 1 && inst.regions.empty();
    std::optional<Value> after = one ? mask(b, logic, now, inst.results[0]) : mask(b, logic, now, inst.results);
    if (after && one && !(inst.op == Op::select && use.operand > 0)) after = mask_before(b, logic, use, *after);
    if (!after) return side;
    return side ? logic.both(*side, *after) : after;
}

/// Computes the mask of an operand from the mask of the result.
std::optional<Value> Needs::mask_before(Build& b, MaskLogic& logic, const Place& use, Value after) {
    const Inst& inst = block_.insts[use.inst];
    if (logic.kind(after) == Mask::scalar || ir::info(inst.op).has(ir::elementwise)) return after;
    const ir::Shape& shape = block_.type(inst.operands[use.operand]).shape;
    switch (inst.op) {
    case Op::reshape: return b.reshape(after, shape);
    case Op::transpose: return b.transpose(after, ops::inverse(inst.attrs.integers(Attr::permutation)));
    case Op::reverse: return b.reverse(after, inst.attrs.integers(Attr::axes));
    case Op::broadcast:
        return b.reduce(Op::reduce_or, after, ops::other_axes(b.shape(after).size(), inst.attrs.integers(Attr::dims)));
    case Op::reduce_sum:
        return b.broadcast(after, shape, ops::other_axes(shape.size(), inst.attrs.integers(Attr::axes)));
    case Op::slice: {
        const ir::Integers& low = inst.attrs.integers(Attr::start);
        const ir::Integers& stride = inst.attrs.integers(Attr::stride);
        ir::Integers high, between;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            const std::int64_t size = b.shape(after)[d];
            const std::int64_t end = size == 0 ? low[d] : low[d] + (size - 1) * stride[d] + 1;
            high.push_back(shape[d] - end);
            between.push_back(stride[d] - 1);
        }
        return b.pad(after, b.zeros({ir::DType::b1, {}}), low, high, between);
    }
    case Op::concatenate: {
        const auto axis = static_cast<std::size_t>(inst.attrs.integer(Attr::axis));
        std::int64_t begin = 0;
        for (std::size_t o = 0; o < use.operand; ++o) begin += block_.type(inst.operands[o]).shape[axis];
        return b.slice_axis(after, static_cast<int>(axis), begin, begin + shape[axis]);
    }
    case Op::gather: {
        // The first axes of the result are the axes of the index arrays.
        if (use.operand == 0) break;
        ir::Integers rest;
        for (std::size_t axis = shape.size(); axis < b.shape(after).size(); ++axis)
            rest.push_back(static_cast<std::int64_t>(axis));
        return rest.empty() ? after : b.reduce(Op::reduce_or, after, std::move(rest));
    }
    default: break;
    }
    return logic.anywhere(after);
}

// ---- the block

/// The block after inlining. Some callees contain checks that guard values. If the results of a call of such a callee
/// are used under a mask, the call is inlined, because the checks need the mask. `own`: per instruction, true if the
/// block contained it before inlining.
struct Flat {
    BlockPtr block;
    BitMask own;
};

bool takes_mask(const Inst& inst, Needs& needs) {
    return needs.of(inst.results).need == CheckNeed::masked && any_region(inst, guards_value);
}

/// True if `inst` is a call that is inlined.
bool is_inlined_here(const Inst& inst, Needs& needs) {
    return inst.op == Op::call && !inst.attrs.has(Attr::policy) && takes_mask(inst, needs);
}

Flat flattened(BlockPtr block) {
    Flat made{std::move(block), {}};
    made.own.resize(made.block->insts.size(), true);
    for (;;) {
        Needs needs(*made.block);
        const auto calls = [&](const Inst& inst) { return is_inlined_here(inst, needs); };
        if (std::none_of(made.block->insts.begin(), made.block->insts.end(), calls)) return made;
        Flat next;
        std::size_t at = 0;
        next.block = rewritten(*made.block, [&](Build& b, const Inst& inst, const Values& operands) {
            const bool call = is_inlined_here(inst, needs);
            const bool own = made.own[at++] && !call;
            Values results = call ? b.inline_call(inst, operands) : b.copy(inst, operands);
            next.own.resize(b.raw().block().insts.size(), own);
            return results;
        });
        made = std::move(next);
    }
}

class CheckMasking {
  public:
    BlockPtr block(const BlockPtr& block);

  private:
    class OneBlock;
    std::unordered_map<BlockPtr, BlockPtr> made_;
};

class CheckMasking::OneBlock {
  public:
    OneBlock(CheckMasking& all, Flat flat)
        : all_(all), flat_(std::move(flat)), old_(*flat_.block), needs_(old_), now_(old_.values.size()),
          due_(old_.insts.size() + 1), b_(old_.name), logic_(b_) {}

    BlockPtr run() {
        for (const Value p : old_.params) now_[p.id] = b_.param(old_.type(p));
        for (std::size_t i = 0; i < old_.insts.size(); ++i) {
            for (const Inst* check : due_[i]) emit_check(*check);
            step(i);
        }
        for (const Inst* check : due_.back()) emit_check(*check);
        return b_.finish(renamed(old_.results));
    }

  private:
    Values renamed(const Values& old) const {
        Values values;
        for (const Value v : old) values.push_back(now_[v.id]);
        return values;
    }

    void step(std::size_t at) {
        const Inst& inst = old_.insts[at];
        b_.set_place(inst.place);
        if (guards_value(inst)) {
            const CheckAnswer answer = needs_.of(inst.operands.back());
            if (answer.need == CheckNeed::none && !flat_.own[at])
                return; // the check is from an inlined call, and the value that it guards is not used
            if (answer.need == CheckNeed::masked && answer.ready > at)
                due_[answer.ready].push_back(&inst);
            else
                emit_check(inst);
            return;
        }
        Inst made = inst;
        // `call` is not in this list: the checks of a callee were masked when the callee was staged as a separate
        // block.
        const bool region = inst.op == Op::if_ || inst.op == Op::while_ || inst.op == Op::scan;
        if (region && flat_.own[at])
            for (BlockPtr& r : made.regions) r = all_.block(r);
        const Values results = takes_mask(inst, needs_) ? masked(made, at) : b_.copy(made, renamed(inst.operands));
        for (std::size_t r = 0; r < results.size(); ++r) now_[inst.results[r].id] = results[r];
    }

    void emit_check(const Inst& check) {
        b_.set_place(check.place);
        Values operands = renamed(check.operands);
        const Value guarded = check.operands.back();
        std::optional<Value> mask;
        if (needs_.of(guarded).need == CheckNeed::masked) mask = needs_.mask(b_, logic_, now_, guarded);
        if (mask) {
            const ir::Shape& shape = b_.shape(operands[0]);
            if (b_.shape(*mask) != shape) mask = logic_.anywhere(*mask);
            operands[0] = b_.binary(Op::or_, operands[0], b_.broadcast_to(logic_.opposite(*mask), shape));
        }
        b_.copy(check, std::move(operands));
    }

    /// Puts a loop, branch or call that contains checks into an `if`. So the instruction runs only if its results are
    /// used.
    Values masked(const Inst& inst, std::size_t at) {
        const Values operands = renamed(inst.operands);
        const auto is_other = [&](Value v) {
            const ir::DType dtype = old_.type(v).dtype;
            return dtype == ir::DType::key || dtype == ir::DType::tape;
        };
        const bool moves = any_region(inst, acts) || inst.op == Op::pmap ||
                           any_region(inst, [](const Inst& one) { return ir::info(one.op).has(ir::collective); }) ||
                           std::any_of(inst.results.begin(), inst.results.end(), is_other);
        if (moves || needs_.of(inst.results).ready > at) return b_.copy(inst, operands);
        const std::optional<Value> mask = needs_.mask(b_, logic_, now_, inst.results);
        if (!mask) return b_.copy(inst, operands);
        Build then(old_.name), otherwise(old_.name);
        Values in, none;
        for (const Value v : operands) {
            in.push_back(then.param(b_.type(v)));
            otherwise.param(b_.type(v));
        }
        for (const Value v : inst.results) none.push_back(otherwise.zeros(old_.type(v)));
        then.set_place(inst.place);
        Values made = then.copy(inst, in);
        return b_.emit(Op::if_, concat(Values{*mask}, operands), {},
                       {then.finish(std::move(made)), otherwise.finish(std::move(none))});
    }

    CheckMasking& all_;
    Flat flat_;
    const ir::Block& old_;
    Needs needs_;
    Values now_;
    std::vector<std::vector<const Inst*>> due_; ///< per instruction: the checks that precede it
    Build b_;
    MaskLogic logic_;
};

BlockPtr CheckMasking::block(const BlockPtr& block) {
    if (!may_mask(*block) || !ir::any_inst(*block, guards_value)) return block;
    const auto known = made_.find(block);
    if (known != made_.end()) return known->second;
    return made_[block] = OneBlock(*this, flattened(block)).run();
}

} // namespace

BlockPtr with_masked_checks(const BlockPtr& block) { return CheckMasking().block(block); }

} // namespace pm::transform
