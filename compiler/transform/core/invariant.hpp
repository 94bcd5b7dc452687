#pragma once
#include "compiler/transform/core/bit_mask.hpp"

#include <map>
#include <utility>

namespace pm::transform {

/// What is the same in every iteration of a loop, given what of a body's parameters is: what operations without effects
/// make of them, within calls and branches too. A `while` need not end, so that it never counts: what is the same is
/// computed once, outside, also where no iteration would have come to it.
class Invariants {
  public:
    /// Per result of the instruction, given which of its operands are the same.
    BitMask results(const Inst& inst, const BitMask& operands);
    /// Per value of the block, given which of its parameters are the same.
    BitMask values(const ir::Block& block, const BitMask& params);
    /// Appends what makes those results of `inst` that are the same of the operands that are; gives them alone.
    Values make(Build& b, const Inst& inst, const BitMask& operands, const Values& same);

  private:
    struct Region {
        BitMask results;
        BlockPtr block; ///< (parameters that are the same) -> results that are
    };
    /// Remembered, so that calls of one function stay calls of one function.
    const Region& region(const BlockPtr& block, const BitMask& params);

    std::map<std::pair<BlockPtr, BitMask>, Region> regions_;
};

/// Makes values of a body that are the same in every turn outside of it.
class Outside {
  public:
    /// `same`: per value of the body. `params`: what each parameter that is the same stands for.
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
