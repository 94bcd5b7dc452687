#pragma once
#include "compiler/ir/ir.hpp"
#include "compiler/ops/core/target_info.hpp"
#include "runtime/gpu/device/convolutions.hpp"

#include <span>

namespace pm::ops {

/// The arguments with which a device library computes the convolution `inst`. `operands` are the types of the
/// convolution's operands.
runtime::ConvolutionSpec convolution_spec(const ir::Inst& inst, std::span<const ir::Type> operands);

/// True if a device library computes the convolution `inst`.
bool convolves(const TargetInfo& target, const ir::Inst& inst, const ir::Block& block);

} // namespace pm::ops
