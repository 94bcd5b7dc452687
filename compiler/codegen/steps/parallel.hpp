#pragma once
#include "compiler/codegen/scalar/emit.hpp"

#include <functional>
#include <string>

namespace pm::codegen {

/// Emits a function fn, and calls fn(call, i, frame) for i in 0..n on the workers. The frame holds `values` (pointers
/// and i64). `body` emits the code of fn; the arguments of `body` are the call, the chunk number and the values loaded
/// from the frame.
void emit_parallel(Emit& e, const std::string& name, Value* call, Value* n, llvm::ArrayRef<Value*> values,
                   const std::function<void(Value* call, Value* chunk, llvm::ArrayRef<Value*> values)>& body);

} // namespace pm::codegen
