#pragma once
#include "compiler/transform/core/pattern.hpp"

#include <map>
#include <utility>

namespace pm::transform {

/// Which results depend on which parameters, through control flow and callees. Remembers what it found for
/// each block, so one object serves a whole transformation.
class Dependence {
  public:
    /// The results of `block` that depend on a marked parameter.
    const Pattern& results(const BlockPtr& block, const Pattern& params);
    /// The results of `inst` that depend on a marked operand.
    Pattern results(const Inst& inst, const Pattern& operands);
    /// The carried values of a `while` or `scan` that depend on a marked operand after any number of turns.
    Pattern carried(const Inst& inst, const Pattern& operands);

  private:
    Pattern find(const ir::Block& block, const Pattern& params);

    std::map<std::pair<BlockPtr, Pattern>, Pattern> known_;
};

} // namespace pm::transform
