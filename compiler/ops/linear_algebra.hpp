#pragma once
#include "compiler/ir/ir.hpp"
#include "runtime/matrices.hpp"

namespace pm::ops {

/// What the kernel is told, from an instruction and the types of its operands.
runtime::FactorizeSpec factorize_spec(const ir::Inst& inst, const ir::Type& a);
runtime::TriangularSpec triangular_spec(const ir::Inst& inst, const ir::Type& t, const ir::Type& b);

} // namespace pm::ops
