#pragma once
#include "compiler/ir/ir.hpp"
#include "runtime/array.hpp"

#include <vector>

namespace pm::ir {

/// Whether a run may overwrite an argument.
enum class Donated : std::uint8_t {
    no,
    shared,     ///< it may overwrite a copy: the array has other references
    owned,      ///< it may overwrite the array
    overwritten ///< the array was, or may have been, overwritten: run_donated sets this instead of `owned`
};

/// Runs a block on arrays. The stager runs all computations through it. api/ implements it with the compiler, evaluate/
/// with the evaluator.
class Executor {
  public:
    virtual ~Executor() = default;
    /// Arguments have the types of the block's parameters. Throws pm::Error if a check fails or the run is stopped.
    /// An executor keeps its compiled form of a block while the block lives.
    virtual std::vector<runtime::Array> run(const BlockPtr& block, std::vector<runtime::Array> arguments) = 0;
    /// Like run(), but results may use the memory of donated arguments. All runs of a block have the same `donated`,
    /// except that `shared` and `owned` may be exchanged.
    virtual std::vector<runtime::Array> run_donated(const BlockPtr& block, std::vector<runtime::Array> arguments,
                                                    std::vector<Donated>& donated) {
        static_cast<void>(donated);
        return run(block, std::move(arguments));
    }
};

} // namespace pm::ir
