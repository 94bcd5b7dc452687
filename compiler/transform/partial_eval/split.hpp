#pragma once
#include "compiler/transform/core/dependence.hpp"
#include "compiler/transform/core/invariant.hpp"
#include "compiler/transform/core/transform.hpp"

#include <functional>
#include <map>
#include <optional>
#include <tuple>

namespace pm::transform {

/// A block split by dependence on its unknown parameters.
///   known: known params -> known results, residuals
///   linear: residuals, unknown params -> unknown results
/// The residuals are the values of `known` that the linear part uses. Constants are recomputed in the linear part, and
/// so are values that only broadcast or move the elements of another value.
struct Split {
    BlockPtr known;
    BlockPtr linear;
    BitMask unknown;         ///< per param
    BitMask unknown_results; ///< per result of the block; includes the results in `force`
    std::size_t residuals = 0;
    BitMask same; ///< per value of `known`: whether it is loop-invariant; empty if no loop is around the block
};

/// Where the caller of a split block finds a residual.
struct Residual {
    enum class From : std::uint8_t { param, result, fresh, same };
    From from{};
    /// - param, result: the index of a parameter or result of the block that was split.
    /// - fresh: an index among the results that were added to `known`.
    /// - same: the id of a loop-invariant value in the `known` block of the split. The caller computes the value
    ///   itself.
    std::size_t index = 0;
};
/// A split whose `known` returns only those residuals that the caller does not have yet.
struct Trimmed {
    BlockPtr known;
    std::vector<Residual> residuals; ///< in the order of linear's parameters
};
Trimmed trim(const Split& split, const BitMask& reusable_results);

/// Applies partial evaluation to blocks, through control flow. The split of a block is cached for each combination of
/// bit masks.
class PartialEvaluator {
  public:
    explicit PartialEvaluator(WhileLoops loops) : loops_(loops) {}
    /// The linear part returns the results marked in `force` even if they are known. `same` marks the loop-invariant
    /// parameters. It is empty if no loop is around the block. If a `while` carries an unknown value and loops() is not
    /// WhileLoops::recorded, split() throws UncountedLoop.
    const Split& split(const BlockPtr& block, const BitMask& unknown, const BitMask& force, const BitMask& same = {});
    /// The split of a callee. Its known part returns only those residuals that the caller does not have yet. The result
    /// is cached, so that all callers share one known and one linear callee.
    const Trimmed& trimmed(const Split& split);
    /// The block with its calls inlined, for a call with a policy. The result is cached, so that the split of the
    /// inlined block is cached too.
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
    std::map<BlockPtr, BlockPtr> inlined_;
};

/// The split of one block. Known instructions are appended to `known_` at once. `steps_` build the linear part
/// afterwards, when all residuals are known.
class PartialEvaluation {
  public:
    PartialEvaluation(PartialEvaluator& splitter, const ir::Block& block)
        : splitter_(splitter), block_(block), live_(live_values(block)) {}
    Split run(const BitMask& unknown, const BitMask& force, const BitMask& same);

  private:
    void step(const Inst& inst);
    void flat(const Inst& inst);
    void all_unknown(const Inst& inst);
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

    /// Records that the linear part will read a value of `known_`.
    void need(Value known);
    /// The value of `linear`, the linear part under construction, that corresponds to a value of `known_`.
    Value fetch(Build& linear, Value known);
    Values fetch(Build& linear, const Values& known);
    bool remade(Value known) const;
    /// The value in the linear part for an operand, known or unknown.
    Value operand(Build& linear, Value v);
    Values unknown_operands(Build& linear, const Inst& inst);
    void set_linear(const Inst& inst, const BitMask& unknown_results, const Values& made);
    void need_unmarked(const Inst& inst, const BitMask& marked);

    BitMask operands_unknown(const Inst& inst) const;
    Values known_operands(const Inst& inst) const;
    Values known_values(const Values& values) const;
    Values linear_values(Build& linear, const Values& values);
    bool used(const Inst& inst, const BitMask& results) const;
    /// Returns the value in `known_` of each residual of a region. `params` are the values of the region's known
    /// parameters. Appends to `known_` the instructions for loop-invariant residuals.
    Values residual_values(const Inst& inst, const std::vector<Residual>& residuals, const Values& fresh,
                           const Split& region, const Values& params);
    /// True if the value `known` of `known_` is loop-invariant in the loop around the block.
    bool is_same(Value known);
    /// Per operand of the instruction: true if it is loop-invariant. Empty if no loop is around the block.
    BitMask operands_same(const Inst& inst);

    PartialEvaluator& splitter_;
    const ir::Block& block_;
    std::vector<bool> live_;
    Build known_;
    std::vector<bool> is_unknown_; ///< per value of the block
    Values in_known_;              ///< per value of the block
    Values in_linear_;             ///< per unknown value of the block
    bool in_loop_ = false;
    BitMask same_;                           ///< per value of `known_`: true if it is loop-invariant; is_same() extends
                                             ///< this vector
    std::vector<bool> needed_;               ///< per value of `known_`: true if the linear part reads it
    Values residuals_;                       ///< the values of `known_` that the linear part reads, in the order in
                                             ///< which they were first needed
    std::map<std::uint32_t, Value> fetched_; ///< value of known_ -> value of the linear block
    std::vector<std::function<void(Build&)>> steps_;
};

} // namespace pm::transform
