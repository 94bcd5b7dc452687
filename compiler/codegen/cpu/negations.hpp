#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace pm::codegen {

/// Moves negations from operands to results: -x * y becomes -(x * y). Applies to products, quotients, selects and moves
/// of vector elements. Only the sign of a NaN can change. The move avoids a bug of LLVM's x86 back end: if an operand
/// of an fma is negated, the back end can use a node that it has freed. Its function combineFMA (19.1.7) requests the
/// operands one by one, without their negations. The node for the first operand may have been created for this request,
/// for example a splat of x for a splat of -x. The request for the next operand can then delete this node. For a plain
/// fneg of x, the request returns the node of x, which is not new.
void negate_late(llvm::Module& module);

} // namespace pm::codegen
