#pragma once
#include "compiler/ir/ir.hpp"

namespace pm::plan {

/// Fits every pmap of a block to `devices` lanes, or to the number of devices that the pmap lists. A pmap has B slices.
///  - A lane has k = ceil(B / devices) slices, and there are ceil(B / k) lanes. If uneven lanes are not faster for this
///    body (repeats() in spmd.cpp), the number of lanes is instead the largest divisor of B up to `devices`. A pmap
///    with one lane becomes a batch (vmap) in place.
///  - A lane with k > 1 slices runs them as one batch: slice number = lane * k + index in the batch. Each collective
///    becomes a local operation over the batch and a collective over the lanes.
///  - If lanes * k > B, the last lane runs the last k slices, of which some are repeated (SplitAxis). Sums, results and
///    prints ignore the repeated slices.
///  - A pmap inside a pmap becomes a batch inside its lane.
///  - Mapped axes are axis 0 (other axes are transposed outside of the pmap). Blocks of a tiled pmap are slices of a
///    new axis.
///  - The remaining collectives are psum, pmax, pmin, all_gather and all_to_all along a new axis 0, ppermute and
///    axis_index.
/// With `exact`, the bits of sums do not depend on the number of devices.
ir::BlockPtr spmd(const ir::BlockPtr& block, int devices, bool exact);

} // namespace pm::plan
