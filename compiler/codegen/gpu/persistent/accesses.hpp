#pragma once
#include "compiler/codegen/gpu/persistent/persistent_kernel.hpp"
#include "runtime/gpu/device/device.hpp"

#include <cstdint>
#include <vector>

namespace pm::codegen {

/// The access of a step's kernel to each of its buffers. `all_lanes`: the step is outside of the lanes, so in each
/// buffer it accesses the parts of all lanes.
std::vector<runtime::MemoryAccess> accesses_of(const plan::Program& program, const plan::Step& step, bool all_lanes);
/// The access to each parameter of a persistent kernel, by any step of the kernel in any iteration.
std::vector<runtime::MemoryAccess> accesses_of(const plan::Program& program, const PersistentKernel& persistent);

/// The accesses as numbers for compiled code: the members of each access, in order.
std::vector<std::int64_t> numbers_of(const std::vector<runtime::MemoryAccess>& accesses);

} // namespace pm::codegen
