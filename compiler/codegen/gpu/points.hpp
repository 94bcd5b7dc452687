#pragma once
#include "compiler/codegen/gpu/kernel.hpp"

namespace pm::codegen {

/// Teams for so many points, as many blocks as keep the largest GPUs busy; further points are further iterations.
Mapping map_points(std::int64_t points, int team, int threads);
/// Calls `f` with the number of each point of this thread's team.
void each_point(Emit& e, Threads& threads, const Mapping& mapping, std::int64_t points,
                const std::function<void(Value*)>& f);
/// The indices of some loops, outermost first, at this iteration (i64) of all of them.
std::vector<Value*> digits(Emit& e, Value* number, const std::vector<std::int64_t>& extents);

} // namespace pm::codegen
