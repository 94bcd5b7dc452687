#pragma once
#include "compiler/ir/ir.hpp"
#include "compiler/ops/linear/convolution.hpp"
#include "compiler/plan/program/program.hpp"

namespace pm::plan {

struct Options {
    int devices = 1;             ///< lanes available to pmap
    bool exact_sharding = false; ///< sums over devices have the same bits for every number of them
    bool deterministic = false;  ///< Program
    bool fuse = true;
    int workers = 1; ///< only decides which steps are worth being parallel, never the bits
    /// What products have that say no precision (ir/precision.hpp); empty: nothing is faster for being less exact, and
    /// what they say does not count.
    std::string precision = {};
    ops::LibraryConvolutions convolutions = {}; ///< what is left of them is expanded
    bool locals = true;  ///< small buffers may be Space::local; not where kernels of a device use them
    bool verify = false; ///< what comes out of `prepare`, and the Program
};

/// Plans an optimised block that verifies. Handles every construct of the IR and refuses none; pmap becomes lanes steps
/// between collectives. Each parameter of the block is an argument of the program, each of its results a result.
/// `donated`, per parameter, empty for none: a result of its type may lie in its memory (Program::overwritten); it does
/// where that costs no copy.
Program plan(const ir::BlockPtr& block, const Options& options, const std::vector<bool>& donated = {});

} // namespace pm::plan
