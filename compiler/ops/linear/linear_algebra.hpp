#pragma once
#include "compiler/ir/ir.hpp"
#include "runtime/kernels/matrices.hpp"

#include <span>

namespace pm::ops {

/// The arguments with which a kernel computes the instruction `inst`. `operands` are the types of the instruction's
/// operands.
runtime::FactorizeSpec factorize_spec(const ir::Inst& inst, std::span<const ir::Type> operands);
runtime::TriangularSpec triangular_spec(const ir::Inst& inst, std::span<const ir::Type> operands);

} // namespace pm::ops
