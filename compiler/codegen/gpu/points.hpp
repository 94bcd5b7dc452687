#pragma once
#include "compiler/codegen/gpu/kernel.hpp"

namespace pm::codegen {

/// A mapping that runs `points` points by teams of `team` threads. The number of thread blocks is limited to the number
/// that keeps the largest GPUs busy. If there are more points than teams, a team iterates over several points.
Mapping map_points(std::int64_t points, int team, int threads);
/// Calls `f` with the number of each point of this thread's team.
void each_point(Emit& e, Threads& threads, const Mapping& mapping, std::int64_t points,
                const std::function<void(Value*)>& f);
/// The indices of nested loops, outermost first, at iteration `number` (i64) of one loop that combines them.
std::vector<Value*> digits(Emit& e, Value* number, const std::vector<std::int64_t>& extents);

} // namespace pm::codegen
