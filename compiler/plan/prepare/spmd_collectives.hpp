#pragma once
#include "compiler/ops/core/build.hpp"

namespace pm::plan {

/// A named axis of `slices` slices on `lanes` lanes, each of which works on `local` of them as one batch. `local_id`
/// names the part inside a lane; with local == 1 there is none. Where lanes * local is more, the last lane begins so
/// much earlier: its first `repeated()` slices are the last ones of the lane before, computed twice. So no lane needs
/// another shape than the others, and nothing is computed that is not computed anyway.
struct SplitAxis {
    std::int64_t id = 0;
    std::int64_t local_id = 0;
    std::int64_t lanes = 1;
    std::int64_t local = 1;
    std::int64_t slices = 1;
    std::int64_t repeated() const { return lanes * local - slices; }
};

/// `count` rows of axis 0 from row `at` on: the last ones when there are not as many.
ir::Value rows_from(ops::Build& b, ir::Value x, ir::Value at, std::int64_t count);
/// Of as many rows along axis 0 as lanes * local, one for each slice.
ir::Value without_repeated(ops::Build& b, ir::Value rows, const SplitAxis& axis);

/// Rewrites the collectives over `axis` in a block and its regions into those that lanes know (see spmd) and, over
/// local_id, ones that a batch takes away. Sums and prints leave repeated slices out.
ir::BlockPtr split_collectives(const ir::BlockPtr& block, const SplitAxis& axis);

/// Sums over the axis, of `slices` slices, are those of all slices' values, gathered, in the order of any sum along
/// axis 0: so that no bit depends on the lanes. Those over several axes
/// are left: what is within a lane is added up by the batch, and the rest is one over a single axis then.
ir::BlockPtr exact_sums(const ir::BlockPtr& block, std::int64_t axis, std::int64_t slices);

} // namespace pm::plan
