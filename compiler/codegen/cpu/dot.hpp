#pragma once
#include "compiler/codegen/scalar/emit.hpp"
#include "compiler/plan/program/program.hpp"

namespace pm::codegen {

/// Whether the product has so few multiplications that its code is inlined, without packing or workers.
bool small_dot(const plan::Step& step, const plan::Program& program);

/// The approximate number of instructions that the step executes.
double dot_work(const plan::Step& step);

/// Emits the code of a dot step (see plan::DotStep) at the insertion point. ProductOrder defines the order of the sums.
/// The order does not depend on the tile, the packing or the number of workers.
void emit_dot(Emit& e, const plan::Step& step, const plan::Program& program, Value* call,
              llvm::ArrayRef<Value*> buffers, const std::string& name);

} // namespace pm::codegen
