#pragma once
#include "compiler/transform/core/dependence.hpp"
#include "compiler/transform/core/invariant.hpp"
#include "compiler/transform/core/transform.hpp"

#include <functional>
#include <map>
#include <optional>
#include <tuple>

namespace pm::transform {

/// A block cut in two by what depends on unknown parameters.
///   known:  known params -> results that are known, then the residuals: what the linear part needs of them
///   linear: residuals, unknown params -> results that are unknown
/// Constants, and what is only a constant or a smaller value spread out, are made again in the linear part
/// instead of kept.
struct Split {
    BlockPtr known;
    BlockPtr linear;
    BitMask unknown;         ///< per param
    BitMask unknown_results; ///< per result of the block; those that were forced among them
    std::size_t residuals = 0;
    BitMask same; ///< per value of `known`: no iteration of the loop around it changes it; empty where there is no loop
};

/// Where a residual of a callee's split is found by the caller.
struct Residual {
    enum class From : std::uint8_t { param, result, fresh, same };
    From from{};
    /// param or result: of the block that was split; fresh: among the results added to `known`; same: a value of the
    /// split's `known` that no iteration changes, which the caller makes itself.
    std::size_t index = 0;
};
/// A split whose `known` gives only the residuals that the caller does not have already.
struct Trimmed {
    BlockPtr known;
    std::vector<Residual> residuals; ///< in the order of linear's parameters
};
Trimmed trim(const Split& split, const BitMask& reusable_results);

/// Partial evaluation of blocks, through control flow. A block is cut once per pattern.
class PartialEvaluator {
  public:
    explicit PartialEvaluator(WhileLoops loops) : loops_(loops) {}
    /// Results marked in `force` are given by the linear part though they may be known. `same`: which parameters no
    /// iteration of the loop around the block changes; empty where there is no loop. Throws UncountedLoop for a `while`
    /// that carries an unknown value, where those are refused.
    const Split& split(const BlockPtr& block, const BitMask& unknown, const BitMask& force, const BitMask& same = {});
    /// The split of a callee, without what the caller has: remembered, so that all its callers share two
    /// callees.
    const Trimmed& trimmed(const Split& split);
    /// The block as a policy looks at it: remembered, so that it is cut once per pattern.
    const BlockPtr& inlined(const BlockPtr& block);
    Dependence& dependence() { return dependence_; }
    Invariants& invariants() { return invariants_; }
    WhileLoops loops() const { return loops_; }

  private:
    WhileLoops loops_;
    Dependence dependence_;
    Invariants invariants_;
    std::map<std::tuple<BlockPtr, BitMask, BitMask, BitMask>, Split> made_;
    std::map<const Split*, Trimmed> trimmed_;
    std::map<BlockPtr, BlockPtr> dissolved_;
};

/// One block while it is cut. Known instructions are appended to `known` at once; the linear part is made
/// afterwards by `steps`, when all its residuals are known.
class PartialEvaluation {
  public:
    PartialEvaluation(PartialEvaluator& splitter, const ir::Block& block)
        : splitter_(splitter), block_(block), live_(live_values(block)) {}
    Split run(const BitMask& unknown, const BitMask& force, const BitMask& same);

  private:
    void step(const Inst& inst);
    void flat(const Inst& inst);
    void undecided(const Inst& inst);
    void call(const Inst& inst);
    void checkpointed(const Inst& inst);
    void branch(const Inst& inst);
    void loop(const Inst& inst);
    void counted_loop(const Inst& inst, const BitMask& results);
    void recorded_loop(const Inst& inst, const BitMask& results);
    void scan(const Inst& inst);
    void mapped(const Inst& inst);
    void declare_unknown(const Inst& inst, const BitMask& results);
    void set_known(const Inst& inst, const BitMask& unknown_results, const Values& made);

    /// Announces that the linear part will read a value of `known_`.
    void need(Value known);
    /// That value in the linear part, which is being made.
    Value fetch(Build& linear, Value known);
    Values fetch(Build& linear, const Values& known);
    bool remade(Value known) const;
    /// An operand in the linear part, known or not.
    Value operand(Build& linear, Value v);
    Values unknown_operands(Build& linear, const Inst& inst);
    void set_linear(const Inst& inst, const BitMask& unknown_results, const Values& made);
    void need_unmarked(const Inst& inst, const BitMask& marked);

    BitMask operands_unknown(const Inst& inst) const;
    Values known_operands(const Inst& inst) const;
    Values known_values(const Values& values) const;
    Values linear_values(Build& linear, const Values& values);
    bool used(const Inst& inst, const BitMask& results) const;
    /// Where the residuals of a region with these parameters are in `known_`: those that no iteration changes are made
    /// here, before the instruction.
    Values residual_values(const Inst& inst, const std::vector<Residual>& residuals, const Values& fresh,
                           const Split& region, const Values& params);
    /// Whether no iteration of the loop around the block changes a value of `known_`.
    bool is_same(Value known);
    /// Per operand of the instruction; empty where there is no loop around the block.
    BitMask operands_same(const Inst& inst);

    PartialEvaluator& splitter_;
    const ir::Block& block_;
    std::vector<bool> live_;
    Build known_;
    std::vector<bool> is_unknown_; ///< per value of the block
    Values in_known_;              ///< per value of the block
    Values in_linear_;             ///< per value of the block, of unknown ones
    bool in_loop_ = false;
    BitMask same_;                           ///< per value of known_ that was asked for; parameters at first
    std::vector<bool> needed_;               ///< per value of known_
    Values residuals_;                       ///< of known_, in the order they were needed
    std::map<std::uint32_t, Value> fetched_; ///< value of known_ -> value of the linear block
    std::vector<std::function<void(Build&)>> steps_;
};

} // namespace pm::transform
