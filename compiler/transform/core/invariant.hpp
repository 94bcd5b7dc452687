#pragma once
#include "compiler/transform/core/bit_mask.hpp"

#include <map>
#include <utility>

namespace pm::transform {

/// Finds the loop-invariant values of a body, also within its calls and branches, from the marks of its loop-invariant
/// parameters. A loop-invariant value is computed once outside of the loop, even if no iteration would compute it. So
/// the results of effects, of collectives, of in-place operations and of `while`, which may not terminate, never count
/// as loop-invariant.
class Invariants {
  public:
    /// Per result: whether it is loop-invariant if the marked operands are.
    BitMask results(const Inst& inst, const BitMask& operands);
    /// Per value of the block: whether it is loop-invariant if the marked parameters are.
    BitMask values(const ir::Block& block, const BitMask& params);
    /// Appends the instructions for the loop-invariant results of `inst` and returns those results. `operands` marks
    /// the loop-invariant operands of `inst`, and `same` has the values of the marked operands.
    Values make(Build& b, const Inst& inst, const BitMask& operands, const Values& same);

  private:
    struct Region {
        BitMask results;
        BlockPtr block; ///< (loop-invariant parameters) -> loop-invariant results
    };
    /// Cached, so that several calls of one function still share one callee.
    const Region& region(const BlockPtr& block, const BitMask& params);

    std::map<std::pair<BlockPtr, BitMask>, Region> regions_;
};

/// Computes loop-invariant values of a body outside of the loop.
class Outside {
  public:
    /// `same`: per value of the body, whether it is loop-invariant. `params`: for each loop-invariant parameter, its
    /// value outside of the loop.
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
