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

/// Rewrites the collectives over `axis` in a block and its regions into those that lanes know (see spmd) and, over
/// local_id, ones that a batch takes away.
ir::BlockPtr split_collectives(const ir::BlockPtr& block, const SplitAxis& axis);

} // namespace pm::plan
