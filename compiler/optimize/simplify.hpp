#pragma once
// The parts of the pass `simplify`: one engine and three families of rules.
#include "compiler/optimize/constants.hpp"
#include "compiler/optimize/rewrite.hpp"

#include <optional>
#include <unordered_map>

namespace pm::optimize {

/// The simplified form of each region and callee in one run of the pass. The map keeps new regions alive too, so that
/// no later block gets the address of an earlier one.
using Simplified = std::unordered_map<BlockPtr, BlockPtr>;

/// Appends instructions in their simplest form.
class Simplify {
  public:
    Simplify(ops::Build& builder, Simplified& done) : b(builder), done_(done) {}

    /// Simplifies an instruction on operands of this builder, or appends it. Returns its results.
    Values emit(Inst inst, const std::vector<ir::Type>& types);
    /// emit() for a flat instruction with one result. The rule of the operation defines the type of the result.
    Value make(ir::Op op, Values operands, ir::Attrs attrs = {});
    /// Emits the instructions of a block. Returns the new values of its results.
    Values replay(const Block& block, const Values& arguments);
    BlockPtr region(const BlockPtr& block);

    /// A copy of the instruction that defines `v`, if its operation is `op`. Empty otherwise.
    std::optional<Inst> made_by(Value v, ir::Op op) const;
    /// The end of each part of a concatenation along its axis. Empty if `v` is no concatenation.
    const ir::Integers& part_ends(Value v);
    std::optional<Constant> constant(Value v) const { return constant_of(b, v); }
    bool is(Value v, double value) const;

    ops::Build& b;
    bool changed = false; ///< a rule has been applied

  private:
    Simplified& done_;
    std::unordered_map<std::uint32_t, ir::Integers> part_ends_; ///< of concatenations, by value
};

/// The single result of the instruction after simplification. Empty if no rule applies.
std::optional<Value> simplify_arithmetic(Simplify& s, const Inst& inst);
std::optional<Value> simplify_shape(Simplify& s, const Inst& inst);
/// The results of a control instruction after simplification. Empty if the caller must append `inst`, which then has
/// simplified operands and regions.
std::optional<Values> simplify_control(Simplify& s, Inst& inst, const std::vector<ir::Type>& types);

} // namespace pm::optimize
