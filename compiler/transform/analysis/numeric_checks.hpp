#pragma once
#include "compiler/ir/ir.hpp"

#include <cstdint>
#include <vector>

/// Checks of the numbers that operations compute. With `--check-nans`, the program stops at the first operation whose
/// result contains a NaN although its operands contain none. With `--check-overflow`, the program stops at the first
/// operation whose integer result wraps around.
///
/// The checks are ordinary `check` instructions after the operations. The checks are added as soon as a block is
/// staged, before any transformation. The primal part of a derivative contains the checks. Batching masks these checks
/// as it masks the checks of `assert`. The floating-point operations that a derivative adds have no checks at first.
/// Their checks are added after the transformation. So a floating-point operation without a check belongs to a
/// derivative, not to the program. A derivative adds no integer operation that can wrap around.
namespace pm::transform {

using ir::BlockPtr;

/// Whether a NaN of a value matters. `none`: no. `all`: yes, in every element. `masked`: in the elements where a mask
/// is true. `unknown`: the answer depends on conditions within a region.
enum class Need : std::uint8_t { none, all, masked, unknown };

/// Options of with_nan_checks. Existing checks remain. An operation that already has a check gets no second check.
struct NanChecks {
    bool derivative = false;        ///< true if the operations that have no check yet belong to a derivative
    std::vector<Need> results = {}; ///< per result: whether a NaN in the result matters; empty: a NaN in any result
                                    ///< matters
    /// If an operation has `Need::unknown`, one more check tests those results of the block whose index is at least
    /// `whole_from`. The check fails if these results contain a NaN, but the parameters and the earlier results contain
    /// none. The check finds NaNs of the operations with `Need::unknown`.
    std::size_t whole_from = static_cast<std::size_t>(-1);
};
/// Returns the block with checks for NaNs, or `block` itself if no check is missing.
BlockPtr with_nan_checks(const BlockPtr& block, const NanChecks& what);

/// Returns the block with checks that no integer result wraps around, or `block` itself if no check is missing.
BlockPtr with_overflow_checks(const BlockPtr& block);

/// Per parameter: whether a NaN in the parameter matters to the block.
std::vector<Need> needs_of_params(const ir::Block& block);

} // namespace pm::transform
