#pragma once
#include "compiler/codegen/scalar/emit.hpp"

#include <functional>
#include <string>

namespace pm::codegen {

/// Emits the code of a chunk; its arguments are the call, the chunk number and the values loaded from the frame.
using ChunkBody = std::function<void(Value* call, Value* chunk, llvm::ArrayRef<Value*> values)>;
struct Chunk {
    Value* function = nullptr; ///< a PmChunk (runtime/abi.h)
    Value* frame = nullptr;    ///< holds the values
};
/// Emits the function of a chunk, and a frame with `values` (pointers and i64).
Chunk emit_chunk(Emit& e, const std::string& name, llvm::ArrayRef<Value*> values, const ChunkBody& body);

/// Emits a chunk, and calls it for the chunk numbers 0..n on the workers.
void emit_parallel(Emit& e, const std::string& name, Value* call, Value* n, llvm::ArrayRef<Value*> values,
                   const ChunkBody& body);

} // namespace pm::codegen
