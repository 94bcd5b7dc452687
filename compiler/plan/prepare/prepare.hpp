#pragma once
#include "compiler/plan/plan.hpp"

namespace pm::plan {

/// Runs the passes of optimize::in_plan. For a block with a pmap, runs those of in_plan_of_pmap instead. Returns a
/// block in the form that the planner expects:
///  - calls are inlined, pmaps are fitted to the available lanes, composite operations are expanded;
///  - a sort is along the last axis, and the batch axes and indexed axes of a scatter come first;
///  - dead code is removed.
ir::BlockPtr prepare(const ir::BlockPtr& block, const Options& options);

} // namespace pm::plan
