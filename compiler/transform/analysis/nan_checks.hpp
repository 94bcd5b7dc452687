#pragma once
#include "compiler/ir/ir.hpp"

#include <cstdint>
#include <vector>

/// `--check-nans`: the program stops at the first operation whose result contains a NaN although its operands contain
/// none.
///
/// The checks are ordinary `check` instructions after the operations. They are added as soon as a block is staged,
/// before any transformation. A derivative contains the checks in its primal part, and batching masks the checks, like
/// those of `assert`. The operations that a derivative adds have no checks at first. Their checks are added after the
/// transformation. So an operation without a check belongs to a derivative, not to the program.
namespace pm::transform {

using ir::BlockPtr;

/// Whether a NaN of a value matters. `none`: no. `all`: yes, in every element. `masked`: where a mask is true.
/// `unknown`: it depends on conditions within a region.
enum class Need : std::uint8_t { none, all, masked, unknown };

/// Options of with_nan_checks. Existing checks remain. An operation that already has a check gets no second check.
struct NanChecks {
    bool derivative = false;        ///< true if the operations that have no check yet belong to a derivative
    std::vector<Need> results = {}; ///< per result: whether a NaN in it matters; empty: all matter
    /// One more check tests the results of a derivative that have this index or a greater one. The check fails if these
    /// results contain a NaN, but the parameters and the earlier results contain none. The check finds NaNs of
    /// operations whose results have `Need::unknown`.
    std::size_t whole_from = static_cast<std::size_t>(-1);
};
/// The block with checks; the block itself if no check is missing.
BlockPtr with_nan_checks(const BlockPtr& block, const NanChecks& what);

/// Per parameter: whether a NaN in the parameter matters to the block.
std::vector<Need> needs_of_params(const ir::Block& block);

} // namespace pm::transform
