#pragma once
#include "compiler/ir/ir.hpp"
#include "runtime/array.hpp"

#include <vector>

namespace pm::ir {

/// Whether a run may overwrite an argument.
enum class Donated : std::uint8_t {
    no,
    shared,     ///< a copy of it: others hold the array
    owned,      ///< yes, whoever holds it
    overwritten ///< it has been, or may have been: what run_donated makes of `owned`
};

/// Runs a function on arrays: the only way the stager runs anything. api/ implements it by compiling, evaluate/ by
/// evaluating.
class Executor {
  public:
    virtual ~Executor() = default;
    /// Arguments have the types of the block's parameters. Throws pm::Error when a check fails or the run is stopped.
    /// An executor keeps what it makes of a block while the block lives.
    virtual std::vector<runtime::Array> run(const BlockPtr& block, std::vector<runtime::Array> arguments) = 0;
    /// The same where some arguments may be used up: results may lie in their memory. `donated` is, but for who holds
    /// the arrays, the same in all runs of a block.
    virtual std::vector<runtime::Array> run_donated(const BlockPtr& block, std::vector<runtime::Array> arguments,
                                                    std::vector<Donated>& donated) {
        static_cast<void>(donated);
        return run(block, std::move(arguments));
    }
};

} // namespace pm::ir
