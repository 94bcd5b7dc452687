#pragma once
#include "compiler/ir/ir.hpp"

#include <cstdint>
#include <vector>

/// `--check-nans`: the first operation that makes a NaN from operands without one stops the program.
///
/// The checks are ordinary `check` instructions after the operations. They are added as soon as a block is staged,
/// before any transformation. A derivative keeps them in its primal, and a batch masks them, as it does with those of
/// `assert`. The operations that a derivative adds have no checks at first and get them after it. So it is known of
/// each operation whether the program or a derivative made it.
namespace pm::transform {

using ir::BlockPtr;

/// Whether a NaN of a value matters. `none`: it does not. `all`: it matters to all that follows. `masked`: it matters
/// where a mask is true. `unknown`: this depends on conditions within a region.
enum class Need : std::uint8_t { none, all, masked, unknown };

/// The kind of block that gets checks. Existing checks stay, and no operation gets a second one.
struct NanChecks {
    bool derivative = false;        ///< a derivative made the operations that have no check yet
    std::vector<Need> results = {}; ///< whether a NaN of each result matters; empty: all matter
    /// The results of a derivative from this one on are checked as a whole too, against the parameters and the
    /// results before them. This is for NaNs of operations with `Need::unknown`.
    std::size_t whole_from = static_cast<std::size_t>(-1);
};
/// The block with checks; the block itself if none is missing.
BlockPtr with_nan_checks(const BlockPtr& block, const NanChecks& what);

/// Per parameter: whether a NaN of it matters to the block.
std::vector<Need> needs_of_params(const ir::Block& block);

} // namespace pm::transform
