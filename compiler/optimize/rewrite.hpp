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

/// Rewrites a block that has its regions rewritten already; must keep the types of parameters and results, and returns
/// the same pointer when there is nothing to do.
using Rewrite = std::function<BlockPtr(const BlockPtr&)>;
/// Applies `rewrite` to the regions and callees of a block, innermost first, and then to the block: each block once.
BlockPtr bottom_up(const BlockPtr& block, const Rewrite& rewrite);

/// No effect, in its regions either: it may be left out, merged and moved.
bool is_pure(const Inst& inst);

/// How often each value of a block is used, by instructions or as a result.
std::vector<std::uint32_t> use_counts(const Block& block);

/// A block made from another one, instruction by instruction in order.
class Rebuild {
  public:
    /// Makes the parameters.
    explicit Rebuild(const Block& from);
    /// Makes none: the caller adds parameters and says with set() what they stand for.
    Rebuild(const Block& from, std::nullptr_t) : from_(from), b(from.name), now_(from.values.size()) {}

    /// What a value of the old block is in the new one.
    Value operator()(Value old) const { return now_[old.id]; }
    Values operator()(const Values& old) const;
    void set(Value old, Value now) { now_[old.id] = now; }
    void set(const Inst& inst, const Values& results);

    /// The instruction on the new operands, not yet appended.
    Inst renamed(const Inst& inst) const;
    /// Appends an instruction of the old block, on what its operands are now.
    void copy(const Inst& inst) { set(inst, append(renamed(inst), inst)); }
    /// Appends `made` with the result types of `like`, an instruction of the old block.
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
