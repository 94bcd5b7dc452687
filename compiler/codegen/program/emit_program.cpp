#include "compiler/codegen/program/emit_program.hpp"

#include "compiler/codegen/program/emit_steps.hpp"

namespace pm::codegen {

void emit_entry(Emit& e, const Layout& layout) {
    auto* type = llvm::FunctionType::get(e.i32(), {e.pointer()}, false);
    llvm::Function* entry = e.begin_function(entry_name, type, false);
    Value* call = entry->getArg(0);
    auto* exit = llvm::BasicBlock::Create(e.context, "exit", entry);
    StepEmitter(e, layout, call, exit).steps(layout.program().steps);
    // The stop flag is also set by a check that failed after the last poll, and by an abandoned kernel.
    Value* flag = e.byte_offset(call, static_cast<std::int64_t>(CallField::stop));
    Value* stop = e.b.CreateAlignedLoad(e.i32(), flag, llvm::Align(4), true);
    e.b.CreateRet(e.b.CreateZExt(e.b.CreateICmpNE(stop, e.b.getInt32(0)), e.i32()));
    e.b.SetInsertPoint(exit);
    e.b.CreateRet(e.b.getInt32(1));
    e.end_function();
}

llvm::FunctionType* region_type(Emit& e, const OutlinedRegion& region) {
    std::vector<llvm::Type*> types{e.pointer(), e.pointer()};
    if (region.in_lane) types.insert(types.end(), {e.pointer(), e.i64()});
    types.insert(types.end(), region.loops.size(), e.i64());
    types.insert(types.end(), region.locals.size(), e.pointer());
    return llvm::FunctionType::get(e.i1(), types, false);
}

void emit_region(Emit& e, const Layout& layout, const OutlinedRegion& region) {
    llvm::Function* function = e.begin_function(region.name, region_type(e, region), false);
    auto* exit = llvm::BasicBlock::Create(e.context, "exit", function);
    StepEmitter(e, layout, function->getArg(0), exit).region(region, function);
    e.b.CreateRet(e.b.getFalse());
    e.b.SetInsertPoint(exit);
    e.b.CreateRet(e.b.getTrue());
    e.end_function();
}

} // namespace pm::codegen
