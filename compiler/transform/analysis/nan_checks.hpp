#pragma once
#include "compiler/ir/ir.hpp"

#include <cstdint>
#include <vector>

/// `--check-nans`: the first operation that makes a NaN of what holds none stops the program.
///
/// Checks are ordinary `check` instructions behind the operations, put in as soon as a block is staged, before any
/// transformation: a derivative keeps them in its primal and a batch masks them, as it does with those of `assert`.
/// What a derivative adds has none yet, and gets its own when it is made. So every operation knows which of the two it
/// is.
namespace pm::transform {

using ir::BlockPtr;

/// Whether a NaN of a value matters: to nothing, to all that follows, where a mask is true, or nobody can say, because
/// it depends on conditions within a region.
enum class Need : std::uint8_t { none, all, masked, unknown };

/// What a block that gets checks is. Checks that are there stay, and there are no second ones.
struct NanChecks {
    bool derivative = false;        ///< what has no check yet was made by a derivative
    std::vector<Need> results = {}; ///< what a NaN of each result matters; empty: all
    /// A derivative's results from this one on are checked as a whole too, against the parameters and the results
    /// before them: for NaNs of operations of which nobody can say whether they matter.
    std::size_t whole_from = static_cast<std::size_t>(-1);
};
/// The block with checks; the block itself where none is missing.
BlockPtr with_nan_checks(const BlockPtr& block, const NanChecks& what);

/// Per parameter what a NaN of it matters to the block.
std::vector<Need> needs_of_params(const ir::Block& block);

} // namespace pm::transform
