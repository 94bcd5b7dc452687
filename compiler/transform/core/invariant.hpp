#pragma once
#include "compiler/transform/core/bit_mask.hpp"

#include <map>
#include <utility>

namespace pm::transform {

/// Finds the loop-invariant values of a body, given its loop-invariant parameters, also within calls and branches. A
/// loop-invariant value is computed once outside of the loop, even if no iteration would compute it. So effects,
/// collectives, in-place operations and `while`, which may not terminate, never count as loop-invariant.
class Invariants {
  public:
    /// Per result: whether it is loop-invariant if the marked operands are.
    BitMask results(const Inst& inst, const BitMask& operands);
    /// Per value of the block: whether it is loop-invariant if the marked parameters are.
    BitMask values(const ir::Block& block, const BitMask& params);
    /// Appends the instructions for the loop-invariant results of `inst` and returns those results. `operands` marks
    /// its loop-invariant operands, and `same` has their values.
    Values make(Build& b, const Inst& inst, const BitMask& operands, const Values& same);

  private:
    struct Region {
        BitMask results;
        BlockPtr block; ///< (loop-invariant parameters) -> loop-invariant results
    };
    /// Cached, so that the calls of one function still share one callee.
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
