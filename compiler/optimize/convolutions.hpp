#pragma once
#include "compiler/ir/ir.hpp"
#include "compiler/ops/linear/convolution.hpp"

namespace pm::optimize {

/// Expands the convolutions that no library computes to sums of products. It runs before the passes, which simplify
/// them further. plan/prepare/prepare.cpp checks the others again after spmd, when their sizes are final.
ir::BlockPtr with_sums(const ir::BlockPtr& block, const ops::TargetInfo& target);

} // namespace pm::optimize
