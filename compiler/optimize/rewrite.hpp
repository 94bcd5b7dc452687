#pragma once
#include "compiler/ir/ir.hpp"
#include "compiler/ops/core/build.hpp"

#include <functional>

namespace pm::optimize {

using ir::Block;
using ir::BlockPtr;
using ir::Inst;
using ir::Value;
using ir::Values;

/// Rewrites a block whose regions have already been rewritten. A rewrite must keep the types of parameters and results.
/// If there is nothing to change, it must return the same pointer.
using Rewrite = std::function<BlockPtr(const BlockPtr&)>;
/// Applies `rewrite` to the regions and callees of a block, innermost first, and then to the block. Each block is
/// rewritten once.
BlockPtr bottom_up(const BlockPtr& block, const Rewrite& rewrite);

/// True if neither the instruction nor its regions have an effect. Such an instruction may be removed, merged and
/// moved.
bool is_pure(const Inst& inst);

/// Per value of `block`: the number of its uses. A use is an operand of an instruction, or a result of the block.
std::vector<std::uint32_t> use_counts(const Block& block);

/// Builds a block from another block, instruction by instruction in order.
class Rebuild {
  public:
    /// Adds the parameters of `from`.
    explicit Rebuild(const Block& from);
    /// Adds no parameters. The caller adds the new parameters, and maps the old parameters to them with set().
    Rebuild(const Block& from, std::nullptr_t) : from_(from), b(from.name), now_(from.values.size()) {}

    /// The value of the new block that corresponds to the value `old` of the old block.
    Value operator()(Value old) const { return now_[old.id]; }
    Values operator()(const Values& old) const;
    void set(Value old, Value now) { now_[old.id] = now; }
    void set(const Inst& inst, const Values& results);

    /// Returns `inst` with its operands replaced by values of the new block, without appending it.
    Inst renamed(const Inst& inst) const;
    /// Appends `inst`, an instruction of the old block, with its operands replaced by values of the new block.
    void copy(const Inst& inst) { set(inst, append(renamed(inst), inst)); }
    /// Appends `made`. Its results have the types of the results of `like`, an instruction of the old block.
    Values append(Inst made, const Inst& like);
    BlockPtr finish() { return b.finish((*this)(from_.results)); }

  private:
    const Block& from_;

  public:
    ops::Build b;

  private:
    Values now_;
};

} // namespace pm::optimize
