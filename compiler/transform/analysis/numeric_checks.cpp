#include "compiler/transform/analysis/numeric_checks.hpp"

#include "compiler/base/diagnostic.hpp"
#include "compiler/ops/core/display_name.hpp"
#include "compiler/ops/core/nans.hpp"
#include "compiler/ops/core/overflow.hpp"
#include "compiler/ops/effects/check_attributes.hpp"
#include "compiler/transform/analysis/numeric_needs.hpp"
#include "compiler/transform/core/masks.hpp"
#include "runtime/dtype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace pm::transform {

bool is_numeric_check(const Inst& inst) {
    if (inst.op != Op::check) return false;
    const Diag diagnostic = ops::check_of(inst).diagnostic;
    return diagnostic == Diag::made_nan || diagnostic == Diag::wrapped_around;
}

namespace {

/// Per value of the block: true if it has a check. The last operand of a check is the checked value, or the checked
/// value broadcast along a batch axis.
std::vector<bool> checked_values(const ir::Block& block) {
    std::vector<bool> checked(block.values.size(), false);
    for (auto inst = block.insts.rbegin(); inst != block.insts.rend(); ++inst) {
        if (is_numeric_check(*inst)) checked[inst->operands.back().id] = true;
        if (inst->op == Op::broadcast && checked[inst->results[0].id]) checked[inst->operands[0].id] = true;
    }
    return checked;
}

/// A kind of faulty result that the checks find: a NaN, or an integer that wrapped around.
class Fault {
  public:
    Fault() = default;
    Fault(const Fault&) = delete;
    Fault& operator=(const Fault&) = delete;
    virtual ~Fault() = default;

    virtual Diag diagnostic() const = 0;
    /// True if the result `v` of an instruction can be faulty.
    virtual bool possible(const ir::Block& block, const Inst& inst, Value v) const = 0;
    /// Returns one boolean per element. It is true if the instruction has not made a faulty result in this element.
    virtual Value absent(ops::Build& b, const Inst& inst, const Values& operands, const Values& results) const = 0;
    /// The part of the message after the name of the operation.
    virtual std::string_view verb() const = 0;
    /// The end of the message for an operation whose operands are not shown.
    virtual std::string_view ending() const { return ""; }
    virtual std::string repair(const Inst& inst, ir::DType result) const = 0;
};

class MadeNan : public Fault {
  public:
    explicit MadeNan(bool derivative) : derivative_(derivative) {}
    Diag diagnostic() const override { return Diag::made_nan; }
    bool possible(const ir::Block& block, const Inst& inst, Value v) const override {
        return ops::may_make_nan(inst, block.type(v).dtype);
    }
    Value absent(ops::Build& b, const Inst& inst, const Values& operands, const Values& results) const override {
        const Value ok = b.unary(Op::not_, ops::nan_made(b, inst, operands, results));
        const auto given = ops::nan_given(b, inst, operands);
        return given ? b.binary(Op::or_, ok, *given) : ok;
    }
    std::string_view verb() const override {
        return derivative_ ? "in the derivative of this makes a NaN" : "makes a NaN";
    }
    std::string_view ending() const override { return ", of values without one"; }
    std::string repair(const Inst& inst, ir::DType) const override {
        return derivative_ ? ops::nan_slope_repair() : ops::nan_repair(inst.op);
    }

  private:
    bool derivative_;
};

class WrappedAround : public Fault {
  public:
    Diag diagnostic() const override { return Diag::wrapped_around; }
    bool possible(const ir::Block& block, const Inst& inst, Value) const override { return ops::may_wrap(block, inst); }
    Value absent(ops::Build& b, const Inst& inst, const Values& operands, const Values& results) const override {
        return ops::has_not_wrapped(b, inst, operands, results.at(0));
    }
    std::string_view verb() const override { return "wraps around"; }
    std::string repair(const Inst& inst, ir::DType result) const override {
        return ops::overflow_repair(inst.op, result);
    }
};

class Checks {
  public:
    Checks(const Fault& fault, bool derivative) : fault_(fault), derivative_(derivative) {}

    BlockPtr block(const BlockPtr& block, const std::vector<Need>& results, std::size_t whole_from);

  private:
    class Insertion;

    const Fault& fault_;
    bool derivative_;
    bool has_unknown_need_ = false; ///< true if some operation has `Need::unknown`; the check of such an operation
                                    ///< never fails
    /// The blocks are cached, so that several calls of one function still share one callee.
    std::map<std::pair<BlockPtr, std::vector<Need>>, BlockPtr> made_;
};

/// Inserts the checks of one block.
class Checks::Insertion {
  public:
    Insertion(Checks& all, BlockPtr block, const std::vector<Need>& results)
        : all_(all), old_(std::move(block)), needs_(*old_, results, !all.derivative_), checked_(checked_values(*old_)),
          now_(old_->values.size()), due_(old_->insts.size() + 1) {}

    BlockPtr run(std::size_t whole_from) {
        b_.emplace(old_->name);
        for (const Value p : old_->params) now_[p.id] = b_->param(old_->type(p));
        for (std::size_t i = 0; i < old_->insts.size(); ++i) {
            make_due(i);
            const Inst& inst = old_->insts[i];
            b_->set_place(inst.place);
            const std::vector<BlockPtr> regions = regions_of(inst, i);
            changed_ = changed_ || regions != inst.regions;
            const Values made = b_->emit(inst.op, renamed(inst.operands), inst.attrs, regions);
            for (std::size_t r = 0; r < made.size(); ++r) now_[inst.results[r].id] = made[r];
            plan(inst, i);
        }
        make_due(old_->insts.size());
        check_whole(whole_from);
        return changed_ ? b_->finish(renamed(old_->results)) : old_;
    }

  private:
    struct Due {
        const Inst* inst;
        Need need;
    };

    Values renamed(const Values& old) const {
        Values values;
        for (const Value v : old) values.push_back(now_[v.id]);
        return values;
    }

    std::vector<BlockPtr> regions_of(const Inst& inst, std::size_t at) {
        // A callee has been staged, or its derivative has been computed, as a separate block. Its checks were added at
        // that time.
        const bool called = inst.op == Op::call || inst.op == Op::custom || inst.op == Op::custom_linear;
        if (called && !all_.derivative_) return inst.regions;
        std::vector<BlockPtr> regions;
        for (std::size_t r = 0; r < inst.regions.size(); ++r)
            regions.push_back(all_.block(inst.regions[r], needs_inside(inst, at, r), inst.regions[r]->results.size()));
        return regions;
    }

    /// Per result of region number `region`: its need. If the list is empty, a NaN matters in all results.
    std::vector<Need> needs_inside(const Inst& inst, std::size_t at, std::size_t region) {
        const bool condition = inst.op == Op::while_ && region == 0;
        const bool custom = inst.op == Op::custom || inst.op == Op::custom_linear;
        if (!all_.derivative_ || condition || custom) return {};
        return needs_.inside(at);
    }

    /// If the instruction needs a check, plans this check.
    void plan(const Inst& inst, std::size_t at) {
        if (ir::is_control(inst.op)) return;
        NumericNeeds::Answer all;
        bool makes = false;
        for (const Value v : inst.results) {
            if (!all_.fault_.possible(*old_, inst, v)) continue;
            if (checked_[v.id]) return;
            makes = true;
            const NumericNeeds::Answer one = needs_.of(v, at);
            // An instruction with several results would need several masks. So all elements of its results are checked.
            if (all.need == Need::none) all = one;
            if (all.need != one.need || (one.need == Need::masked && inst.results.size() > 1)) all.need = Need::all;
        }
        if (!makes || all.need == Need::none) return;
        all_.has_unknown_need_ = all_.has_unknown_need_ || all.need == Need::unknown;
        due_[all.need == Need::masked ? all.ready : at + 1].push_back({&inst, all.need});
    }

    void make_due(std::size_t at) {
        for (const Due& due : due_[at]) check(*due.inst, due.need);
    }

    /// The condition of the check, per element: true unless the instruction has made a faulty result that matters.
    Value holds(const Inst& inst, const Values& operands, const Values& results, Need need) {
        ops::Build& b = *b_;
        if (need == Need::unknown)
            return b.constant(ir::DType::b1, 1); // this check only marks the operation as checked, so that outer blocks
                                                 // skip it
        const Value ok = all_.fault_.absent(b, inst, operands, results);
        if (need != Need::masked) return ok;
        needs_.of(inst.results[0], static_cast<std::size_t>(&inst - old_->insts.data()));
        return b.binary(Op::or_, ok, b.unary(Op::not_, needs_.mask(b, now_, inst.results[0])));
    }

    void check(const Inst& inst, Need need) {
        ops::Build& b = *b_;
        b.set_place(inst.place);
        const Values operands = renamed(inst.operands);
        const Values results = renamed(inst.results);
        const Value ok = holds(inst, operands, results, need);
        Values in{ok};
        std::string text = message(inst, operands, ok, in);
        const ir::DType result = b.dtype(results.at(0));
        in.insert(in.end(), results.begin(), results.end());
        // Inexact results come last, because checked_values() looks for the checked value in the last operand.
        std::stable_partition(in.end() - static_cast<std::ptrdiff_t>(results.size()), in.end(),
                              [&](Value v) { return !runtime::is_inexact(b.dtype(v)); });
        emit(in, std::move(text), all_.fault_.repair(inst, result));
    }

    void emit(const Values& in, std::string text, std::string repair) {
        b_->emit(Op::check, in,
                 ops::check_attributes(
                     {.diagnostic = all_.fault_.diagnostic(), .text = std::move(text), .help = std::move(repair)}));
        changed_ = true;
    }

    /// "`log` makes a NaN at [2]: log(-1)". Appends the values that the message shows to `in`.
    std::string message(const Inst& inst, const Values& operands, Value ok, Values& in) {
        ops::Build& b = *b_;
        std::string text = fmt::format("`{}` {}", ops::name_in_programs(inst), all_.fault_.verb());
        const ir::Shape shape = b.shape(ok);
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            text += axis == 0 ? " at [{}" : ", {}";
            in.push_back(b.iota(shape, static_cast<int>(axis), ir::DType::i32));
        }
        if (!shape.empty()) text += "]";
        if (ops::is_by_element(inst)) {
            std::vector<std::string> places;
            for (const Value v : operands) places.emplace_back(runtime::is_complex(b.dtype(v)) ? "({})" : "{}");
            text += ": " + ops::as_written(inst, places);
            in.insert(in.end(), operands.begin(), operands.end());
        } else {
            text += all_.fault_.ending();
        }
        return text;
    }

    /// If some operation has `Need::unknown`, appends one check of all results whose index is at least `from`.
    void check_whole(std::size_t from) {
        if (!all_.has_unknown_need_ || from >= old_->results.size()) return;
        ops::Build& b = *b_;
        Values in{*none_of(part(old_->results, from, old_->results.size()), false)};
        if (const auto given = none_of(concat(part(old_->results, 0, from), old_->params), true))
            in[0] = b.binary(Op::or_, in[0], *given);
        emit(in, "the derivative has a NaN, of values without one", ops::nan_slope_repair());
    }

    /// If `some` is true, the result is a scalar: true if some value contains a NaN. Otherwise: true if no value
    /// contains a NaN. Nullopt if no value has an inexact type.
    std::optional<Value> none_of(const Values& values, bool some) {
        ops::Build& b = *b_;
        std::optional<Value> found;
        for (const Value v : renamed(values)) {
            if (!runtime::is_inexact(b.dtype(v))) continue;
            const Value one = MaskLogic(b).anywhere(ops::is_nan(b, v));
            found = found ? b.binary(Op::or_, *found, one) : one;
        }
        if (found && !some) found = b.unary(Op::not_, *found);
        return found;
    }

    Checks& all_;
    BlockPtr old_;
    NumericNeeds needs_;
    std::vector<bool> checked_;
    std::optional<ops::Build> b_;
    Values now_;
    std::vector<std::vector<Due>> due_; ///< per instruction: the checks that precede it
    bool changed_ = false;
};

BlockPtr Checks::block(const BlockPtr& block, const std::vector<Need>& results, std::size_t whole_from) {
    const auto key = std::pair(block, results);
    if (const auto known = made_.find(key); known != made_.end()) return known->second;
    return made_[key] = Insertion(*this, block, results).run(whole_from);
}

} // namespace

BlockPtr with_nan_checks(const BlockPtr& block, const NanChecks& what) {
    return Checks(MadeNan(what.derivative), what.derivative).block(block, what.results, what.whole_from);
}

BlockPtr with_overflow_checks(const BlockPtr& block) {
    return Checks(WrappedAround(), false).block(block, {}, static_cast<std::size_t>(-1));
}

} // namespace pm::transform
