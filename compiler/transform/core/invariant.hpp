#pragma once
#include "compiler/transform/core/bit_mask.hpp"

#include <map>
#include <utility>

namespace pm::transform {

/// Finds the loop-invariant values of a loop's body, also within its calls and branches. The caller marks the
/// loop-invariant parameters. A loop-invariant value is computed once outside of the loop, even if the loop would never
/// compute it. So results of effects, of collectives and of in-place operations never count as loop-invariant. The
/// results of a `while` do not count either, because a `while` may not terminate.
class Invariants {
  public:
    /// Per result of `inst`: true if it is loop-invariant when the operands marked in `operands` are.
    BitMask results(const Inst& inst, const BitMask& operands);
    /// Per value of the block: true if it is loop-invariant when the parameters marked in `params` are.
    BitMask values(const ir::Block& block, const BitMask& params);
    /// Appends the instructions that compute the loop-invariant results of `inst`, and returns those results.
    /// `operands` marks the loop-invariant operands of `inst`. `same` has the values of the marked operands.
    Values make(Build& b, const Inst& inst, const BitMask& operands, const Values& same);

  private:
    struct Region {
        BitMask results;
        BlockPtr block; ///< (loop-invariant parameters) -> loop-invariant results
    };
    /// The regions are cached, so that several calls of one function still share one callee.
    const Region& region(const BlockPtr& block, const BitMask& params);

    std::map<std::pair<BlockPtr, BitMask>, Region> regions_;
};

/// Computes loop-invariant values of a body outside of the loop.
class Outside {
  public:
    /// `same`: per value of the body, true if it is loop-invariant. `params`: per loop-invariant parameter of the body,
    /// its value outside of the loop.
    Outside(Build& b, const ir::Block& body, Invariants& invariants, BitMask same, const Values& params);
    Value make(Value v);

  private:
    Build& b_;
    Invariants& invariants_;
    BitMask same_;
    Values made_;
    std::vector<const Inst*> definitions_;
};

} // namespace pm::transform
