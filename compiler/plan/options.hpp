#pragma once
#include "compiler/ops/core/target_info.hpp"
#include "compiler/optimize/pass.hpp"

#include <string>

namespace pm::plan {

struct Options {
    int devices = 1;             ///< lanes available to pmap
    bool exact_sharding = false; ///< sums over devices have the same bits for every number of them
    bool deterministic = false;  ///< see Program::deterministic
    bool fuse = true;
    int workers = 1; ///< decides only which steps are worth being parallel, never the bits
    /// The precision (ir/precision.hpp) of products without one. Empty: the precision of all products is ignored,
    /// since no lower precision is faster on the device.
    std::string precision = {};
    const ops::TargetInfo* target = &ops::TargetInfo::none(); ///< convolutions that no library computes are expanded
    bool locals = true;            ///< small buffers may be Space::local; false where kernels of a device use them
    bool verify = false;           ///< verify the Program
    optimize::Options passes = {}; ///< of the passes before and in the plan
};

} // namespace pm::plan
