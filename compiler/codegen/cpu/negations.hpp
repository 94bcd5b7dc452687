#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace pm::codegen {

/// Puts negations behind products, quotients, choices and what moves elements of vectors: -x * y becomes -(x * y).
/// Before an fma they make LLVM's x86 back end compute with an operand that it has freed: combineFMA (19.1.7) asks for
/// one operand without its negation, and while it asks for the next drops what it was given, if it was made for it, as
/// the splat of x is for a splat of -x. What a negation is directly of is not made anew. Changes no bit but the sign of
/// NaN.
void negate_late(llvm::Module& module);

} // namespace pm::codegen
