#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace pm::codegen {

/// Moves negations after products, quotients, selects and moves of vector elements: -x * y becomes -(x * y). This
/// avoids a bug of LLVM's x86 back end: a negated operand of an fma makes it use a freed node. combineFMA (19.1.7)
/// first requests one operand without its negation. The request for the next operand can delete that node if it was
/// new, for example the splat of x for a splat of -x. The operand of an fneg itself is not new. Only the sign of a NaN
/// changes.
void negate_late(llvm::Module& module);

} // namespace pm::codegen
