#pragma once
#include "compiler/transform/core/bit_mask.hpp"

/// What the transformations share about `custom` and `custom_linear` (ir/control.def): functions whose derivatives the
/// program gives itself.
namespace pm::transform {

/// How many operands come first that no derivative is taken by: what the functions close over, or the residuals.
std::size_t leading_operands(const Inst& inst);

/// One bit per type: it can have a tangent.
BitMask differentiable(const std::vector<Type>& types);

/// True when a result is zero whatever the parameters are, as `zeros_like(x)` is.
bool gives_zero(const ir::Block& block, std::size_t result);

/// What a `custom_linear` does when it is run; null where it cannot be.
BlockPtr forward_of(const Inst& inst);
/// The call of it that it is then.
Inst call_of_forward(const Inst& custom_linear);

/// Forward mode goes through a function that has only fwd and bwd.
[[noreturn]] void refuse_forward(const Inst& custom_linear);

/// The block for running: calls of primals in the place of `custom`, checks without what they guard. Raises
/// Diag::forward_of_vjp when the value of a `custom_linear` is used.
BlockPtr settled(const BlockPtr& block);

} // namespace pm::transform
