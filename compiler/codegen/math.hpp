#pragma once
#include "compiler/codegen/emit.hpp"
#include "compiler/nest/nest.hpp"

namespace pm::codegen {

/// A floating-point function of one or two operands of `float` or `double` in any number of lanes (only those of
/// scalar.def that are not plain instructions). The value of a lane does not depend on how many there are. Errors, in
/// units in the last place: f32 exp 1, log 1, sin cos 2, tanh 2, erf 2, others 1; f64 exp log sin cos tanh 2, others
/// what libm gives.
Value* emit_math(Emit& e, nest::ScalarOp op, llvm::ArrayRef<Value*> operands);

/// The functions that LLVM itself may call for instructions which the processor lacks, for the linker of the JIT:
/// emitted code calls nothing but the runtime.
struct LibmSymbol {
    const char* name;
    void* address;
};
llvm::ArrayRef<LibmSymbol> libm_symbols();

} // namespace pm::codegen
