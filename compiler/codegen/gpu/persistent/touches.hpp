#pragma once
#include "compiler/codegen/gpu/persistent/resident.hpp"
#include "runtime/gpu/device/device.hpp"

#include <cstdint>
#include <vector>

namespace pm::codegen {

/// What the kernel of a step does to each of its buffers. `all_lanes`: the step stands outside of lanes, and where a
/// buffer has a part for each it touches all of them.
std::vector<runtime::Touch> touches_of(const plan::Program& program, const plan::Step& step, bool all_lanes);
/// The same of the parameters of a kernel that is a whole control step: what any of its steps does in any turn.
std::vector<runtime::Touch> touches_of(const plan::Program& program, const Resident& resident);

/// As compiled code has them: the members of each, in order.
std::vector<std::int64_t> numbers_of(const std::vector<runtime::Touch>& touches);

} // namespace pm::codegen
