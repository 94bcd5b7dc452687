#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace pm::codegen {

/// Moves negations from the operands to the results of products, quotients, selects and moves of vector elements: -x *
/// y becomes -(x * y). Only the sign of a NaN changes. This avoids a bug of LLVM's x86 back end: if an operand of an
/// fma is negated, the back end can use a freed node. combineFMA (19.1.7) first requests one operand without its
/// negation. If the returned node was created for this request, for example a splat of x for a splat of -x, the request
/// for the next operand can delete the node. For a plain fneg of x the returned node is x, which is not new.
void negate_late(llvm::Module& module);

} // namespace pm::codegen
