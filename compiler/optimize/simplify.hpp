#pragma once
// The parts of the pass `simplify`: one engine and three families of rules.
#include "compiler/optimize/constants.hpp"
#include "compiler/optimize/rewrite.hpp"

#include <optional>
#include <unordered_map>

namespace pm::optimize {

/// Simplified regions and callees: each block once per run of the pass. It owns new regions too, so that no later block
/// gets the address of an earlier one.
using Simplified = std::unordered_map<BlockPtr, BlockPtr>;

/// Appends instructions in their simplest form.
class Simplify {
  public:
    Simplify(ops::Build& builder, Simplified& done) : b(builder), done_(done) {}

    /// Simplifies an instruction on operands of this builder, or appends it. Returns its results.
    Values emit(Inst inst, const std::vector<ir::Type>& types);
    /// The same for a flat instruction with one result, whose type follows from the rule of the operation.
    Value make(ir::Op op, Values operands, ir::Attrs attrs = {});
    /// Emits the instructions of a block. Returns the new values of its results.
    Values replay(const Block& block, const Values& arguments);
    BlockPtr region(const BlockPtr& block);

    /// A copy of the instruction that defines a value, if it has this operation. Empty otherwise.
    std::optional<Inst> made_by(Value v, ir::Op op) const;
    /// The end of each part of a concatenation along its axis. Empty if `v` is none.
    const ir::Integers& part_ends(Value v);
    std::optional<Constant> constant(Value v) const { return constant_of(b, v); }
    bool is(Value v, double value) const;

    ops::Build& b;
    bool changed = false; ///< a rule has been applied

  private:
    Simplified& done_;
    std::unordered_map<std::uint32_t, ir::Integers> part_ends_; ///< of concatenations, by value
};

/// The single result of an instruction, after a rule. Empty if no rule applies.
std::optional<Value> simplify_arithmetic(Simplify& s, const Inst& inst);
std::optional<Value> simplify_shape(Simplify& s, const Inst& inst);
/// The results of a control instruction, after a rule. Empty if the instruction is to be appended: `inst` then has
/// simplified operands and regions.
std::optional<Values> simplify_control(Simplify& s, Inst& inst, const std::vector<ir::Type>& types);

} // namespace pm::optimize
