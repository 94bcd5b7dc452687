#pragma once
#include "compiler/ops/core/target_info.hpp"
#include "compiler/optimize/pass.hpp"

#include <string>

namespace pm::plan {

struct Options {
    int devices = 1;             ///< lanes available to pmap
    bool exact_sharding = false; ///< the bits of a sum over devices do not depend on the number of devices
    bool deterministic = false;  ///< see Program::deterministic
    bool fuse = true;
    int workers = 1; ///< affects only which steps are parallel, never the bits
    /// The default precision (ir/precision.hpp) of products. Empty: the precision of every product is ignored, since no
    /// lower precision is faster on the device.
    std::string precision = {};
    /// Convolutions that the libraries of the target do not compute are expanded.
    const ops::TargetInfo* target = &ops::TargetInfo::none();
    bool locals = true;            ///< small buffers may be Space::local; false if kernels of a device access them
    bool verify = false;           ///< verify the Program
    optimize::Options passes = {}; ///< options of the passes that run before and inside the plan
};

} // namespace pm::plan
