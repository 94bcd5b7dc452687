#pragma once
#include "runtime/gpu/device/collectives.hpp"
#include "runtime/gpu/libraries/libraries.hpp"

#include <memory>
#include <vector>

namespace pm::runtime::cuda {

/// A GPU that takes part.
struct Member {
    Workplace place;
    int number; ///< of the device, as CUDA counts them
};

/// By NCCL; null where the system has it not, or it does not work with these GPUs.
std::unique_ptr<DeviceCollectives> open_collectives(std::vector<Member> members);

} // namespace pm::runtime::cuda
