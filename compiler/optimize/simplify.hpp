#pragma once
// The parts of the pass `simplify`: one engine and three families of rules.
#include "compiler/optimize/constants.hpp"
#include "compiler/optimize/rewrite.hpp"

#include <optional>
#include <unordered_map>

namespace pm::optimize {

/// The simplified form of each region and callee in one run of the pass. The map also keeps new regions alive, so no
/// later block can have the address of an earlier one.
using Simplified = std::unordered_map<BlockPtr, BlockPtr>;

/// Appends instructions in their simplest form.
class Simplify {
  public:
    Simplify(ops::Build& builder, Simplified& done) : b(builder), done_(done) {}

    /// Simplifies an instruction whose operands are values of this builder. Appends it if it cannot be simplified.
    /// Returns its results.
    Values emit(Inst inst, const std::vector<ir::Type>& types);
    /// emit() for a flat instruction with one result. The rule of the operation defines the type of the result.
    Value make(ir::Op op, Values operands, ir::Attrs attrs = {});
    /// Emits the instructions of a block. Returns the new values of its results.
    Values replay(const Block& block, const Values& arguments);
    BlockPtr region(const BlockPtr& block);

    /// A copy of the instruction that defines `v`, if its operation is `op`. Empty otherwise.
    std::optional<Inst> made_by(Value v, ir::Op op) const;
    /// For each part of a concatenation: the index along the axis at which the part ends. Empty if `v` is no
    /// concatenation.
    const ir::Integers& part_ends(Value v);
    std::optional<Constant> constant(Value v) const { return constant_of(b, v); }
    bool is(Value v, double value) const;

    ops::Build& b;
    bool changed = false; ///< a rule has been applied

  private:
    Simplified& done_;
    std::unordered_map<std::uint32_t, ir::Integers> part_ends_; ///< of concatenations, by value
};

/// Simplifies an instruction with one result, and returns that result. Empty if no rule applies.
std::optional<Value> simplify_arithmetic(Simplify& s, const Inst& inst);
std::optional<Value> simplify_shape(Simplify& s, const Inst& inst);
/// Simplifies a control instruction and returns its results. If empty, the caller must append `inst`, whose operands
/// and regions may have been simplified in place.
std::optional<Values> simplify_control(Simplify& s, Inst& inst, const std::vector<ir::Type>& types);

} // namespace pm::optimize
