#pragma once
// The parts of the pass `simplify`: one engine and three families of rules.
#include "compiler/optimize/constants.hpp"
#include "compiler/optimize/rewrite.hpp"

#include <optional>
#include <unordered_map>

namespace pm::optimize {

/// The simplified form of each region and callee, for one run of the pass. The map also keeps new regions alive. So no
/// later block can have the address of an earlier block.
using Simplified = std::unordered_map<BlockPtr, BlockPtr>;

/// Appends instructions in their simplest form.
class Simplify {
  public:
    Simplify(ops::Build& builder, Simplified& done) : b(builder), done_(done) {}

    /// Simplifies an instruction whose operands are values of this builder. If the instruction cannot be simplified,
    /// appends it. Returns its results.
    Values emit(Inst inst, const std::vector<ir::Type>& types);
    /// The same as emit(), for an instruction without regions that has one result. The rule of the operation defines
    /// the type of the result.
    Value make(ir::Op op, Values operands, ir::Attrs attrs = {});
    /// Emits the instructions of `block`, with `arguments` as its parameters. Returns the new values of its results.
    Values replay(const Block& block, const Values& arguments);
    BlockPtr region(const BlockPtr& block);

    /// A copy of the instruction that defines `v`, if its operation is `op`. Empty if another operation defines `v`.
    std::optional<Inst> made_by(Value v, ir::Op op) const;
    /// The end of each part of the concatenation `v`, as an index along its axis. Empty if `v` is not a concatenation.
    const ir::Integers& part_ends(Value v);
    std::optional<Constant> constant(Value v) const { return constant_of(b, v); }
    bool is(Value v, double value) const;

    ops::Build& b;
    bool changed = false; ///< true if a rule has been applied

  private:
    Simplified& done_;
    std::unordered_map<std::uint32_t, ir::Integers> part_ends_; ///< per concatenation: the result of part_ends()
};

/// Simplifies an instruction with one result, and returns that result. Empty if no rule applies.
std::optional<Value> simplify_arithmetic(Simplify& s, const Inst& inst);
std::optional<Value> simplify_shape(Simplify& s, const Inst& inst);
/// Simplifies a control instruction and returns its results. If the function returns nullopt, the caller must append
/// `inst`. Even then, the operands and regions of `inst` may have been simplified in place.
std::optional<Values> simplify_control(Simplify& s, Inst& inst, const std::vector<ir::Type>& types);

} // namespace pm::optimize
