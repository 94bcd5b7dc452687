#pragma once
#include "compiler/ir/ir.hpp"
#include "runtime/gpu/device/convolutions.hpp"

#include <functional>
#include <span>
#include <string_view>

namespace pm::ops {

/// What a device's library is told, from a convolution and the types of its operands.
runtime::ConvolutionSpec convolution_spec(const ir::Inst& inst, std::span<const ir::Type> operands);

/// Whether a device's library computes it, of a precision (ir/precision.hpp; empty: none is said). None: there is none.
using LibraryConvolutions = std::function<bool(const runtime::ConvolutionSpec& spec, std::string_view precision)>;
bool takes(const LibraryConvolutions& library, const ir::Inst& inst, const ir::Block& block);

} // namespace pm::ops
