#pragma once
#include "compiler/codegen/gpu/persistent/persistent_kernel.hpp"
#include "runtime/gpu/device/device.hpp"

#include <cstdint>
#include <vector>

namespace pm::codegen {

/// What the kernel of a step does to each of its buffers. `all_lanes`: the step stands outside of lanes, and where a
/// buffer has a part for each it accesses all of them.
std::vector<runtime::MemoryAccess> accesses_of(const plan::Program& program, const plan::Step& step, bool all_lanes);
/// The same of the parameters of a kernel that is a whole control step: what any of its steps does in any iteration.
std::vector<runtime::MemoryAccess> accesses_of(const plan::Program& program, const PersistentKernel& resident);

/// As compiled code has them: the members of each, in order.
std::vector<std::int64_t> numbers_of(const std::vector<runtime::MemoryAccess>& accesses);

} // namespace pm::codegen
