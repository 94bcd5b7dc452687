#pragma once
#include "compiler/transform/core/bit_mask.hpp"

#include <map>
#include <utility>

namespace pm::transform {

/// Computes which results depend on marked parameters, through control flow and callees. The answers are cached per
/// block. So a transformation should use one object for all its blocks.
class Dependence {
  public:
    /// The results of `block` that depend on a marked parameter.
    const BitMask& results(const BlockPtr& block, const BitMask& params);
    /// The results of `inst` that depend on a marked operand.
    BitMask results(const Inst& inst, const BitMask& operands);
    /// The carried values of a `while` or `scan` that depend on a marked operand in some iteration or after the loop.
    BitMask carried(const Inst& inst, const BitMask& operands);

  private:
    BitMask find(const ir::Block& block, const BitMask& params);

    std::map<std::pair<BlockPtr, BitMask>, BitMask> known_;
};

} // namespace pm::transform
