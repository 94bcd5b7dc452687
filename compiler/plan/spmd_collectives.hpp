#pragma once
#include "compiler/ops/build.hpp"

namespace pm::plan {

/// A named axis of B = lanes * local slices. `local_id` names the part inside a lane; with local == 1 there is none.
struct SplitAxis {
    std::int64_t id = 0;
    std::int64_t local_id = 0;
    std::int64_t lanes = 1;
    std::int64_t local = 1;
    std::int64_t size() const { return lanes * local; }
};

/// Cuts axis `axis` of an array into so many slices, which go along a new axis 0. Tiled, a slice is a block of that
/// axis; otherwise it is one element of it, and the axis goes.
ir::Value with_slices_first(ops::Build& b, ir::Value v, std::int64_t axis, std::int64_t slices, bool tiled);
/// Undoes it: the slices along axis 0 go back along `axis`, merged with it when tiled.
ir::Value with_slices_back(ops::Build& b, ir::Value v, std::int64_t axis, bool tiled);

/// Rewrites the collectives over `axis` in a block and its regions into those that lanes know (see spmd) and, over
/// local_id, ones that a batch takes away.
ir::BlockPtr split_collectives(const ir::BlockPtr& block, const SplitAxis& axis);

} // namespace pm::plan
