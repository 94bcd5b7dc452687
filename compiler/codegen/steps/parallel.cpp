#include "compiler/codegen/steps/parallel.hpp"

#include <algorithm>
#include <vector>

namespace pm::codegen {

Chunk emit_chunk(Emit& e, const std::string& name, llvm::ArrayRef<Value*> values, const ChunkBody& body) {
    auto* frame_type = llvm::ArrayType::get(e.i64(), std::max<std::size_t>(1, values.size()));
    Value* frame = e.slot(frame_type, "frame");
    for (std::size_t i = 0; i < values.size(); ++i)
        e.b.CreateStore(values[i], e.byte_offset(frame, static_cast<std::int64_t>(8 * i)));
    auto* type = llvm::FunctionType::get(e.b.getVoidTy(), {e.pointer(), e.i64(), e.pointer()}, false);
    const Emit::Place place = e.leave();
    llvm::Function* chunk = e.begin_function(name, type, true);
    std::vector<Value*> inner;
    for (std::size_t i = 0; i < values.size(); ++i)
        inner.push_back(
            e.b.CreateLoad(values[i]->getType(), e.byte_offset(chunk->getArg(2), static_cast<std::int64_t>(8 * i))));
    body(chunk->getArg(0), chunk->getArg(1), inner);
    e.b.CreateRetVoid();
    e.end_function();
    e.resume(place);
    return {chunk, frame};
}

void emit_parallel(Emit& e, const std::string& name, Value* call, Value* n, llvm::ArrayRef<Value*> values,
                   const ChunkBody& body) {
    const Chunk chunk = emit_chunk(e, name, values, body);
    e.call_symbol("pm_run", e.b.getVoidTy(), {call, n, chunk.function, chunk.frame});
}

} // namespace pm::codegen
