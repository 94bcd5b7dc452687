#pragma once
#include "compiler/ir/ir.hpp"

namespace pm::plan {

/// Fits every pmap of a block to `devices` lanes, or to as many as it names devices, the number of slices B being
/// known:
///  - a lane has k = ceil(B / devices) slices, and there are as many lanes as it takes; or there are as many lanes as
///  the largest divisor of B, where more would not pay; with one lane the pmap becomes a batch (vmap) in place;
///  - a lane that has k > 1 slices runs them as one batch: slice number = lane * k + place in the batch, and each
///  collective becomes a local
///    operation over the batch and one over the lanes;
///  - where lanes * k > B the last lane takes the last k slices (SplitAxis): what it has twice is left out of sums,
///    results and prints;
///  - a pmap inside a pmap becomes a batch inside its lane;
///  - mapped axes are axis 0 (others are transposed outside), blocks of a tiled pmap are slices of an axis of their
///  own;
///  - collectives that are left are psum, pmax, pmin, all_gather and all_to_all along a new axis 0, ppermute,
///  axis_index.
/// With `exact` sums have the same bits for all numbers of devices.
ir::BlockPtr spmd(const ir::BlockPtr& block, int devices, bool exact);

} // namespace pm::plan
