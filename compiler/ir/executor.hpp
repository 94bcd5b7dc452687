#pragma once
#include "compiler/ir/ir.hpp"
#include "runtime/array.hpp"

#include <vector>

namespace pm::ir {

/// Runs a function on arrays: the only way the stager runs anything. api/ implements it by compiling, evaluate/ by
/// evaluating.
class Executor {
  public:
    virtual ~Executor() = default;
    /// Arguments have the types of the block's parameters. Throws pm::Error when a check fails or the run is stopped.
    /// An executor keeps what it makes of a block while the block lives.
    virtual std::vector<runtime::Array> run(const BlockPtr& block, std::vector<runtime::Array> arguments) = 0;
};

} // namespace pm::ir
