#pragma once
#include "compiler/ops/core/build.hpp"

namespace pm::plan {

/// A named axis of `slices` slices on `lanes` lanes. Each lane works on `local` slices as one batch. `local_id` names
/// the part of the axis inside a lane; with local == 1 it is not used. If lanes * local > slices, the last lane starts
/// earlier: its first `repeated()` slices are also the last ones of the lane before. So all lanes have the same shapes.
struct SplitAxis {
    std::int64_t id = 0;
    std::int64_t local_id = 0;
    std::int64_t lanes = 1;
    std::int64_t local = 1;
    std::int64_t slices = 1;
    std::int64_t repeated() const { return lanes * local - slices; }
};

/// `count` rows of axis 0 from row `at` on. The last `count` rows if there are fewer from there.
ir::Value rows_from(ops::Build& b, ir::Value x, ir::Value at, std::int64_t count);
/// Takes lanes * local rows along axis 0 and returns one row per slice.
ir::Value without_repeated(ops::Build& b, ir::Value rows, const SplitAxis& axis);

/// Rewrites the collectives over `axis` in a block and its regions. The new ones are those that lanes have (see spmd)
/// and, over local_id, some that batching removes. Sums and prints leave repeated slices out.
ir::BlockPtr split_collectives(const ir::BlockPtr& block, const SplitAxis& axis);

/// Rewrites each sum over the axis, of `slices` slices, to an all_gather and a sum along axis 0: no bit depends on the
/// lanes. A sum over several axes is left as it is. Batching sums over the axes within a lane, and the remaining sum is
/// over a single axis.
ir::BlockPtr exact_sums(const ir::BlockPtr& block, std::int64_t axis, std::int64_t slices);

} // namespace pm::plan
