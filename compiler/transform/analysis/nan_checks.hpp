#pragma once
#include "compiler/ir/ir.hpp"

#include <cstdint>
#include <vector>

/// `--check-nans`: the first operation that makes a NaN from operands without one stops the program.
///
/// The checks are ordinary `check` instructions after the operations. They are added as soon as a block is staged,
/// before any transformation. A derivative keeps them in its primal, and a batch masks them, like the checks of
/// `assert`. The operations that a derivative adds have no checks at first and get them after the transformation. This
/// separates the operations of the program from the operations of a derivative.
namespace pm::transform {

using ir::BlockPtr;

/// Whether a NaN of a value matters. `none`: no. `all`: yes, in every element. `masked`: where a mask is true.
/// `unknown`: it depends on conditions within a region.
enum class Need : std::uint8_t { none, all, masked, unknown };

/// Options of with_nan_checks. Existing checks remain, and no operation gets a second one.
struct NanChecks {
    bool derivative = false;        ///< the operations without a check belong to a derivative
    std::vector<Need> results = {}; ///< per result: whether a NaN in it matters; empty: all matter
    /// One more check tests all results of a derivative from this index on. It fails if they have a NaN and neither the
    /// parameters nor the earlier results have one. This finds NaNs of operations with `Need::unknown`.
    std::size_t whole_from = static_cast<std::size_t>(-1);
};
/// The block with checks; the block itself if none is missing.
BlockPtr with_nan_checks(const BlockPtr& block, const NanChecks& what);

/// Per parameter: whether a NaN in it matters to the block.
std::vector<Need> needs_of_params(const ir::Block& block);

} // namespace pm::transform
