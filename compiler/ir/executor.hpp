#pragma once
#include "compiler/ir/ir.hpp"
#include "runtime/array.hpp"

#include <vector>

namespace pm::ir {

/// Whether a run may overwrite an argument.
enum class Donated : std::uint8_t {
    no,
    shared,     ///< only a copy of it: there are other references to the array
    owned,      ///< yes
    overwritten ///< it has been or may have been overwritten: run_donated sets this instead of `owned`
};

/// Runs a block on arrays. The stager runs all computations through it. api/ implements it with the compiler, evaluate/
/// with the evaluator.
class Executor {
  public:
    virtual ~Executor() = default;
    /// Arguments have the types of the block's parameters. Throws pm::Error if a check fails or the run is stopped.
    /// An executor keeps its compiled form of a block while the block lives.
    virtual std::vector<runtime::Array> run(const BlockPtr& block, std::vector<runtime::Array> arguments) = 0;
    /// The same with donated arguments: results may use their memory. `donated` is the same in all runs of a block, but
    /// for the difference of `shared` and `owned`.
    virtual std::vector<runtime::Array> run_donated(const BlockPtr& block, std::vector<runtime::Array> arguments,
                                                    std::vector<Donated>& donated) {
        static_cast<void>(donated);
        return run(block, std::move(arguments));
    }
};

} // namespace pm::ir
