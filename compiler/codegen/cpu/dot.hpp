#pragma once
#include "compiler/codegen/scalar/emit.hpp"
#include "compiler/plan/program/program.hpp"

namespace pm::codegen {

/// Few enough products that the code stands in place, without packing or workers.
bool small_dot(const plan::Step& step, const plan::Program& program);

/// About how many instructions it takes.
double dot_work(const plan::Step& step);

/// The code of a dot step (see plan::Step) at the builder's place. Every element is summed in its
/// ProductOrder, whatever the tile, the packing or the number of workers.
void emit_dot(Emit& e, const plan::Step& step, const plan::Program& program, Value* call,
              llvm::ArrayRef<Value*> buffers, const std::string& name);

} // namespace pm::codegen
