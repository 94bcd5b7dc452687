#pragma once
#include "compiler/codegen/scalar/emit.hpp"
#include "compiler/nest/nest.hpp"

namespace pm::codegen {

/// Emits a floating-point function of one or two operands of `float` or `double` in any number of lanes. Handles the
/// operations of scalar.def that are not plain instructions. The code has only arithmetic, fma, selections and bit
/// operations, so results have the same bits in any number of lanes and on any device. Largest errors, measured against
/// results with 113 bits, in units in the last place:
///   f32: exp log 1; sin cos tanh erf 2; others 1
///   f64: cbrt 0.501; cosh pow 0.8; asin acos 0.7; atan atan2 0.85; expm1 log1p asinh acosh atanh 0.9;
///        exp log sin cos tan sinh 1; erf 1.1; lgamma 1.8; tanh logistic 2; erfc erf_inv 3
/// lgamma(x) for x < -2: 2 units in the last place of lgamma(|x|), so the last digits are lost near the zeros of lgamma
///   digamma above 0: 15; below 0, near the zeros, an absolute error of 4e-15
///   rem is exact
Value* emit_math(Emit& e, nest::ScalarOp op, llvm::ArrayRef<Value*> operands);

/// The functions that LLVM may call for instructions that the processor lacks. The linker of the JIT resolves them. All
/// other functions that are called by emitted code belong to the runtime.
struct LibmSymbol {
    const char* name;
    void* address;
};
llvm::ArrayRef<LibmSymbol> libm_symbols();

} // namespace pm::codegen
