#pragma once
#include "compiler/ops/core/build.hpp"

namespace pm::plan {

/// A named axis of `slices` slices, divided among `lanes` lanes. Each lane runs `local` slices as one batch. `local_id`
/// is the id of the axis of this batch. `local_id` is unused if local == 1. If lanes * local > slices, the last lane
/// starts earlier, so that all lanes have the same shapes. The first `repeated()` slices of the last lane then also
/// belong to the previous lane, as its last slices.
struct SplitAxis {
    std::int64_t id = 0;
    std::int64_t local_id = 0;
    std::int64_t lanes = 1;
    std::int64_t local = 1;
    std::int64_t slices = 1;
    int processes = 1; ///< among which the lanes are divided
    std::int64_t repeated() const { return lanes * local - slices; }
};

/// Takes `count` rows of `x` along axis 0, beginning with row `at`. If fewer rows are left, takes the last `count`
/// rows.
ir::Value rows_from(ops::Build& b, ir::Value x, ir::Value at, std::int64_t count);
/// `rows` has lanes * local rows along axis 0. Returns one row per slice, without the repeated rows.
ir::Value without_repeated(ops::Build& b, ir::Value rows, const SplitAxis& axis);

/// Rewrites the collectives over `axis` in a block and its regions. The result has collectives over lanes (see spmd)
/// and collectives over local_id. Batching removes the collectives over local_id. Sums and prints ignore repeated
/// slices.
ir::BlockPtr split_collectives(const ir::BlockPtr& block, const SplitAxis& axis);

/// Rewrites each sum over `axis`, which has `slices` slices, to an all_gather and a sum along axis 0. Then the bits of
/// the sum do not depend on the number of lanes. A sum over several axes need not be rewritten here. Batching first
/// sums over the axes that are within a lane, and the remaining sum is over a single axis.
ir::BlockPtr exact_sums(const ir::BlockPtr& block, std::int64_t axis, std::int64_t slices);

} // namespace pm::plan
