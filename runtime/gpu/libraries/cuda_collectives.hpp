#pragma once
#include "runtime/gpu/device/collectives.hpp"
#include "runtime/gpu/libraries/libraries.hpp"

#include <memory>
#include <vector>

namespace pm::runtime::cuda {

/// A GPU that takes part in reductions.
struct Member {
    Workplace place;
    int number; ///< device number in CUDA
};

/// Opens NCCL, which reduces arrays of several GPUs. Returns null if the system does not have NCCL, or if NCCL does not
/// work with these GPUs.
std::unique_ptr<DeviceCollectives> open_collectives(std::vector<Member> members);

} // namespace pm::runtime::cuda
