#pragma once
#include "compiler/ir/ir.hpp"
#include "runtime/gpu/device/convolutions.hpp"

#include <functional>
#include <span>
#include <string_view>

namespace pm::ops {

/// The arguments of a device's library for a convolution, from the instruction and the types of its operands.
runtime::ConvolutionSpec convolution_spec(const ir::Inst& inst, std::span<const ir::Type> operands);

/// Whether a device's library computes a convolution in a precision (ir/precision.hpp; empty: unspecified). An empty
/// function: there is no library.
using LibraryConvolutions = std::function<bool(const runtime::ConvolutionSpec& spec, std::string_view precision)>;
bool takes(const LibraryConvolutions& library, const ir::Inst& inst, const ir::Block& block);

} // namespace pm::ops
