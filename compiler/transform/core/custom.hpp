#pragma once
#include "compiler/transform/core/bit_mask.hpp"

/// Shared by the transformations for `custom` and `custom_linear` (ir/control.def): functions whose derivatives the
/// program defines.
namespace pm::transform {

/// The number of leading operands that have no derivative. For `custom`, these operands are the captured values of the
/// functions; for `custom_linear`, the residuals.
std::size_t leading_operands(const Inst& inst);

/// Per type: true if a value of the type can have a tangent.
BitMask differentiable(const std::vector<Type>& types);

/// True if result number `result` is known to be zero for all arguments, as for a block that returns `zeros_like(x)`.
bool gives_zero(const ir::Block& block, std::size_t result);

/// The block that a `custom_linear` runs. Null for other operations, and for a `custom_linear` that has only a backward
/// block.
BlockPtr forward_of(const Inst& inst);
/// The call of the forward block that replaces the `custom_linear`.
Inst call_of_forward(const Inst& custom_linear);

/// Raises Diag::forward_of_vjp, because forward mode reaches a function that has only fwd and bwd.
[[noreturn]] void refuse_forward(const Inst& custom_linear);

/// Converts the block to the form that can run. `custom` becomes a call of its primal, and `custom_linear` a call of
/// its forward block. The guarded operand of checks is removed. Raises Diag::forward_of_vjp if a result of a
/// `custom_linear` without a forward block is used.
BlockPtr inline_custom_rules(const BlockPtr& block);

} // namespace pm::transform
