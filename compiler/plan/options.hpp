#pragma once
#include "compiler/ops/core/target_info.hpp"
#include "compiler/optimize/pass.hpp"

#include <string>

namespace pm::plan {

struct Options {
    int devices = 1;             ///< the number of lanes that are available to a pmap
    int processes = 1;           ///< of the job; each has `devices` / `processes` devices, the first ones first
    bool exact_sharding = false; ///< if true, the bits of a sum over devices do not depend on the number of devices
    bool deterministic = false;  ///< see Program::deterministic
    bool fuse = true;
    int workers = 1; ///< the number of threads; it affects only which steps are parallel, never the bits of results
    /// The default precision (ir/precision.hpp) of products. If it is empty, the precision of every product is ignored,
    /// because a lower precision is not faster on the device.
    std::string precision = {};
    /// The libraries of the target. Convolutions that no library computes are expanded.
    const ops::TargetInfo* target = &ops::TargetInfo::none();
    bool locals = true;  ///< true if small buffers may be Space::local; false if kernels of a device access these
                         ///< buffers
    bool verify = false; ///< true: verify the program after planning
    optimize::Options passes = {}; ///< options of the passes that run before the plan and at its beginning
};

} // namespace pm::plan
