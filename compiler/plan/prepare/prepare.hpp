#pragma once
#include "compiler/plan/plan.hpp"

namespace pm::plan {

/// The block in the form that plan/ takes: pmaps fitted to the lanes there are, operations that are made of others
/// expanded, calls inlined, sort along the last axis, scatter with its batch and indexed axes first, nothing left that
/// is not used.
ir::BlockPtr prepare(const ir::BlockPtr& block, const Options& options);

} // namespace pm::plan
