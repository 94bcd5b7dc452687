#pragma once
#include "compiler/ir/ir.hpp"
#include "runtime/array.hpp"

#include <vector>

namespace pm::ir {

/// How a run may overwrite an argument.
enum class Donated : std::uint8_t {
    no,
    shared,     ///< the run may overwrite a copy of the array, because the array has other references
    owned,      ///< the run may overwrite the array
    overwritten ///< run_donated replaces `owned` by this value if the run has overwritten the array, or may have
};

/// Runs a block on arrays. The stager runs all computations of a program through this interface. api/ implements it
/// with the compiler, evaluate/ with the evaluator.
class Executor {
  public:
    virtual ~Executor() = default;
    /// The arguments have the types of the block's parameters. Throws pm::Error if a check fails or the run is stopped.
    /// An executor keeps the compiled form of a block as long as the block exists.
    virtual std::vector<runtime::Array> run(const BlockPtr& block, std::vector<runtime::Array> arguments) = 0;
    /// Like run(), but the results may use the memory of donated arguments. All runs of a block must get the same
    /// `donated`. The only allowed difference is `shared` instead of `owned`, or the reverse.
    virtual std::vector<runtime::Array> run_donated(const BlockPtr& block, std::vector<runtime::Array> arguments,
                                                    std::vector<Donated>& donated) {
        static_cast<void>(donated);
        return run(block, std::move(arguments));
    }
};

} // namespace pm::ir
