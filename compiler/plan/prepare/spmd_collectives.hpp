#pragma once
#include "compiler/ops/core/build.hpp"

namespace pm::plan {

/// A named axis of `slices` slices on `lanes` lanes. Each lane runs `local` slices as one batch. `local_id` is the id
/// of the axis of this batch, and is unused if local == 1. If lanes * local > slices, the last lane starts earlier, so
/// all lanes have the same shapes. The first `repeated()` slices of the last lane are also the last slices of the
/// previous lane.
struct SplitAxis {
    std::int64_t id = 0;
    std::int64_t local_id = 0;
    std::int64_t lanes = 1;
    std::int64_t local = 1;
    std::int64_t slices = 1;
    std::int64_t repeated() const { return lanes * local - slices; }
};

/// `count` rows along axis 0, from row `at` on. If fewer rows are left, the last `count` rows.
ir::Value rows_from(ops::Build& b, ir::Value x, ir::Value at, std::int64_t count);
/// Takes lanes * local rows along axis 0 and returns one row per slice, without the repeated rows.
ir::Value without_repeated(ops::Build& b, ir::Value rows, const SplitAxis& axis);

/// Rewrites the collectives over `axis` in a block and its regions. The result has collectives over lanes (see spmd)
/// and collectives over local_id, which batching removes. Sums and prints ignore repeated slices.
ir::BlockPtr split_collectives(const ir::BlockPtr& block, const SplitAxis& axis);

/// Rewrites each sum over `axis`, which has `slices` slices, to an all_gather and a sum along axis 0. The bits then do
/// not depend on the number of lanes. A sum over several axes is not rewritten: batching first sums over the axes
/// within a lane, and the remaining sum is over a single axis.
ir::BlockPtr exact_sums(const ir::BlockPtr& block, std::int64_t axis, std::int64_t slices);

} // namespace pm::plan
