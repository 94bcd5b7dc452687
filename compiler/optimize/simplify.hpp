#pragma once
// Inside of the pass `simplify`: one engine and three families of rules.
#include "compiler/optimize/constants.hpp"
#include "compiler/optimize/rewrite.hpp"

#include <optional>
#include <unordered_map>

namespace pm::optimize {

/// Simplified regions and callees: each block once per run of the pass. Regions made on the way are held, so that an
/// address is never that of another one.
using Simplified = std::unordered_map<BlockPtr, BlockPtr>;

/// Appends instructions in their simplest form.
class Simplify {
  public:
    Simplify(ops::Build& builder, Simplified& done) : b(builder), done_(done) {}

    /// Appends an instruction on operands of this builder, or finds what its results are.
    Values emit(Inst inst, const std::vector<ir::Type>& types);
    /// The same for a flat instruction with one result, its type by the operation's rule.
    Value make(ir::Op op, Values operands, ir::Attrs attrs = {});
    /// Appends the instructions of a block; returns what its results became.
    Values replay(const Block& block, const Values& arguments);
    BlockPtr region(const BlockPtr& block);

    /// What defines a value, if it is an instruction of this kind: its operand and attributes, as a copy.
    std::optional<Inst> made_by(Value v, ir::Op op) const;
    std::optional<Constant> constant(Value v) const { return constant_of(b, v); }
    bool is(Value v, double value) const;

    ops::Build& b;
    bool changed = false; ///< a rule applied

  private:
    Simplified& done_;
};

/// What the single result of an instruction is; nothing when no rule applies.
std::optional<Value> simplify_arithmetic(Simplify& s, const Inst& inst);
std::optional<Value> simplify_shape(Simplify& s, const Inst& inst);
/// The results of a control instruction. Its regions are simplified on the way, in `inst` itself when nothing else can
/// be done.
std::optional<Values> simplify_control(Simplify& s, Inst& inst, const std::vector<ir::Type>& types);

} // namespace pm::optimize
