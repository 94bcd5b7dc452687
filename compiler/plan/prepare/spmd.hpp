#pragma once
#include "compiler/ir/ir.hpp"

namespace pm::plan {

/// Fits every pmap of a block to `devices` lanes, or to the number of devices that it names. A pmap has B slices.
///  - A lane has k = ceil(B / devices) slices, and there are ceil(B / k) lanes. A body for which more lanes do not
///    pay (spmd.cpp) has as many lanes as the largest divisor of B up to `devices`. With one lane the pmap becomes a
///    batch (vmap) in place.
///  - A lane with k > 1 slices runs them as one batch: slice number = lane * k + index in the batch. Each collective
///    becomes a local operation over the batch and one over the lanes.
///  - If lanes * k > B, the last lane takes the last k slices (SplitAxis). Its repeated slices are left out of sums,
///    results and prints.
///  - A pmap inside a pmap becomes a batch inside its lane.
///  - Mapped axes are axis 0 (others are transposed outside). Blocks of a tiled pmap are slices of a new axis.
///  - The remaining collectives are psum, pmax, pmin, all_gather and all_to_all along a new axis 0, ppermute and
///    axis_index.
/// With `exact`, sums have the same bits for all numbers of devices.
ir::BlockPtr spmd(const ir::BlockPtr& block, int devices, bool exact);

} // namespace pm::plan
