#pragma once
#include "compiler/codegen/gpu/persistent/persistent_kernel.hpp"
#include "runtime/gpu/device/device.hpp"

#include <cstdint>
#include <vector>

namespace pm::codegen {

/// The access of a step's kernel to each of its buffers. If `all_lanes` is true, the step is outside of the lanes. Such
/// a step accesses the parts of all lanes in each buffer.
std::vector<runtime::MemoryAccess> accesses_of(const plan::Program& program, const plan::Step& step, bool all_lanes);
/// The access to each parameter of a persistent kernel. An access includes the accesses of all steps of the kernel in
/// all iterations.
std::vector<runtime::MemoryAccess> accesses_of(const plan::Program& program, const PersistentKernel& persistent);

/// The accesses as numbers for compiled code: the members of each access, in order.
std::vector<std::int64_t> numbers_of(const std::vector<runtime::MemoryAccess>& accesses);

} // namespace pm::codegen
