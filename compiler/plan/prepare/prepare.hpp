#pragma once
#include "compiler/plan/plan.hpp"

namespace pm::plan {

/// Runs the passes of optimize::in_plan, or of in_plan_of_pmap for a block with a pmap. Returns the block in the
/// planner's input form:
///  - calls are inlined, pmaps are fitted to the available lanes, composite operations are expanded;
///  - sort is along the last axis, scatter has its batch and indexed axes first;
///  - dead code is removed.
ir::BlockPtr prepare(const ir::BlockPtr& block, const Options& options);

} // namespace pm::plan
