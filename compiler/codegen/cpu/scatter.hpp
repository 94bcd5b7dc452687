#pragma once
#include "compiler/codegen/scalar/emit.hpp"
#include "compiler/plan/program/program.hpp"

namespace pm::codegen {

/// Emits the code of a scatter step (see plan::ScatterStep) at the insertion point.
void emit_scatter(Emit& e, const plan::Step& step, const plan::Program& program, llvm::ArrayRef<Value*> buffers);

} // namespace pm::codegen
