#pragma once
#include "compiler/ir/ir.hpp"
#include "compiler/plan/options.hpp"

namespace pm::plan {

/// Divides the slices of every pmap of a block among lanes. There are at most options.devices lanes. If a pmap lists
/// devices, the length of its list replaces `devices` in all rules below. Let a pmap have B slices.
///  - A lane has k = ceil(B / devices) slices, and there are ceil(B / k) lanes. Uneven lanes may not be faster for the
///    body (repeats() in spmd.cpp). Then the number of lanes is instead the largest divisor of B up to `devices`. A
///    pmap with one lane becomes a batch (vmap) in place.
///  - If k > 1, a lane runs its k slices as one batch. The number of a slice is lane * k + its index in the batch. Each
///    collective becomes a local operation over the batch and a collective over the lanes.
///  - If lanes * k > B, the last lane runs the last k slices. The first of these slices are repeated: the previous lane
///    also runs them (SplitAxis). Sums, results and prints ignore the repeated slices.
///  - A pmap inside a pmap becomes a batch inside its lane.
///  - Mapped axes become axis 0. For this, operands and results are transposed outside of the pmap. The blocks of a
///    tiled pmap become slices of a new axis.
///  - The remaining collectives are psum, pmax, pmin, ppermute and axis_index, and all_gather and all_to_all along a
///    new axis 0.
/// If options.exact_sharding is true, the bits of sums do not depend on the number of devices.
ir::BlockPtr spmd(const ir::BlockPtr& block, const Options& options);

} // namespace pm::plan
