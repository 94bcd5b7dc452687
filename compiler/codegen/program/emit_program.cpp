#include "compiler/codegen/program/emit_program.hpp"

#include "compiler/codegen/cpu/dot.hpp"
#include "compiler/codegen/nest/emit_nest.hpp"
#include "compiler/codegen/program/emit_steps.hpp"
#include "compiler/codegen/steps/parallel.hpp"

namespace pm::codegen {

void emit_entry(Emit& e, const Layout& layout) {
    auto* type = llvm::FunctionType::get(e.i32(), {e.pointer()}, false);
    llvm::Function* entry = e.begin_function(entry_name, type, false);
    Value* call = entry->getArg(0);
    auto* left = llvm::BasicBlock::Create(e.context, "left", entry);
    StepEmitter(e, layout, call, left).steps(layout.program().steps);
    // The flag shows a check that failed after the last poll, and an abandoned kernel.
    Value* flag = e.byte_offset(call, static_cast<std::int64_t>(CallField::stop));
    Value* stop = e.b.CreateAlignedLoad(e.i32(), flag, llvm::Align(4), true);
    e.b.CreateRet(e.b.CreateZExt(e.b.CreateICmpNE(stop, e.b.getInt32(0)), e.i32()));
    e.b.SetInsertPoint(left);
    e.b.CreateRet(e.b.getInt32(1));
    e.end_function();
}

std::size_t Unit::parameters() const {
    if (persistent != nullptr) return persistent->parameters.size() + (persistent->scratch_bytes > 0 ? 1 : 0);
    if (step->kind() == plan::StepKind::check || step->kind() == plan::StepKind::tape) return 2;
    return step->buffers.size() + (passes > 1 ? 2 : 0);
}

llvm::FunctionType* unit_type(Emit& e, const plan::Step& step) {
    return llvm::FunctionType::get(e.b.getVoidTy(), std::vector<llvm::Type*>(step.buffers.size() + 1, e.pointer()),
                                   false);
}

namespace {

void emit_nest_unit(Emit& e, const Unit& unit, Value* call, llvm::ArrayRef<Value*> buffers) {
    const NestShape& shape = unit.shape;
    const std::int64_t chunks = (shape.chunk_extent + shape.chunk_grain - 1) / shape.chunk_grain;
    if (!(unit.step->parallel || shape.takes_long()) || shape.chunk_loops == 0 || chunks < 2) {
        emit_nest(e, shape, buffers);
        return;
    }
    emit_parallel(e, unit.name + "_chunk", call, e.int64(chunks), buffers,
                  [&](Value*, Value* chunk, llvm::ArrayRef<Value*> inner) {
                      Value* begin = e.mul(chunk, shape.chunk_grain);
                      Value* end = e.b.CreateAdd(begin, e.int64(shape.chunk_grain));
                      end = e.call(llvm::Intrinsic::smin, {e.i64()}, {end, e.int64(shape.chunk_extent)});
                      emit_nest(e, shape, inner, begin, end);
                  });
}

/// Emits the code that every thread of a kernel runs.
void emit_kernel_body(Emit& e, Threads& threads, const Layout& layout, const Unit& unit,
                      llvm::ArrayRef<Value*> buffers) {
    if (unit.persistent != nullptr)
        emit_persistent_kernel(e, threads, *unit.persistent, layout.program(), buffers);
    else if (unit.step->kind() == plan::StepKind::nest && unit.passes > 1)
        emit_nest_passes(e, threads, unit.shape, unit.mapping, buffers.drop_back(2), buffers[buffers.size() - 2],
                         e.b.CreatePtrToInt(buffers.back(), e.i64()));
    else if (unit.step->kind() == plan::StepKind::nest)
        emit_threaded_nest(e, threads, unit.shape, unit.mapping, buffers);
    else
        emit_step_kernel(e, threads, *unit.step, layout.program(), unit.mapping, buffers);
}

void emit_emulated_kernel(Emit& e, const Layout& layout, const Unit& unit) {
    llvm::Function* function = e.begin_function(unit.name, kernel_type(e), false);
    std::vector<Value*> buffers;
    for (std::size_t i = 0; i < unit.parameters(); ++i)
        buffers.push_back(e.b.CreateLoad(
            e.pointer(), e.byte_offset(function->getArg(1), static_cast<std::int64_t>(i * sizeof(void*)))));
    e.polls = false;
    emit_kernel_body(e, *emulated_threads(e, function->getArg(0)), layout, unit, buffers);
    e.polls = true;
    e.b.CreateRetVoid();
    e.end_function();
}

} // namespace

llvm::FunctionType* kernel_type(Emit& e) {
    return llvm::FunctionType::get(e.b.getVoidTy(), {e.pointer(), e.pointer()}, false);
}

void emit_ptx_kernel(Emit& e, const Layout& layout, const Unit& unit) {
    const std::size_t parameters = unit.parameters() + (unit.persistent != nullptr ? 2 : 0);
    auto* type = llvm::FunctionType::get(e.b.getVoidTy(), std::vector<llvm::Type*>(parameters, e.pointer()), false);
    llvm::Function* function = e.begin_function(unit.name, type, false);
    function->setCallingConv(llvm::CallingConv::PTX_Kernel);
    // The driver must know how many threads share the registers.
    llvm::NamedMDNode* annotations = e.module.getOrInsertNamedMetadata("nvvm.annotations");
    const auto annotate = [&](const char* what, int value) {
        auto* number = llvm::ConstantAsMetadata::get(e.b.getInt32(static_cast<std::uint32_t>(value)));
        annotations->addOperand(llvm::MDNode::get(
            e.context, {llvm::ConstantAsMetadata::get(function), llvm::MDString::get(e.context, what), number}));
    };
    annotate("kernel", 1);
    annotate("maxntidx", unit.mapping.threads);
    // Otherwise ptxas spills registers to fit more blocks than requested.
    annotate("minctasm", unit.mapping.at_once);
    std::vector<Value*> buffers;
    for (llvm::Argument& argument : function->args()) buffers.push_back(&argument);
    Host host;
    if (unit.persistent != nullptr) {
        host.stop = buffers[buffers.size() - 2];
        if (!unit.mapping.fixed) host.meeting = buffers.back();
        buffers.resize(buffers.size() - 2);
    }
    emit_kernel_body(e, *nvptx_threads(e, host), layout, unit, buffers);
    e.b.CreateRetVoid();
    e.end_function();
}

void emit_unit(Emit& e, const Layout& layout, const Unit& unit) {
    if (layout.kernels()) return emit_emulated_kernel(e, layout, unit);
    llvm::Function* function = e.begin_function(unit.name, unit_type(e, *unit.step), layout.modules() == 1);
    std::vector<Value*> buffers;
    for (unsigned i = 1; i < function->arg_size(); ++i) buffers.push_back(function->getArg(i));
    if (unit.step->kind() == plan::StepKind::dot)
        emit_dot(e, *unit.step, layout.program(), function->getArg(0), buffers, unit.name);
    else
        emit_nest_unit(e, unit, function->getArg(0), buffers);
    e.b.CreateRetVoid();
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
    auto* left = llvm::BasicBlock::Create(e.context, "left", function);
    StepEmitter(e, layout, function->getArg(0), left).region(region, function);
    e.b.CreateRet(e.b.getFalse());
    e.b.SetInsertPoint(left);
    e.b.CreateRet(e.b.getTrue());
    e.end_function();
}

} // namespace pm::codegen
