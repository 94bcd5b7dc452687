#include "compiler/codegen/gpu/launch/gpu_backend.hpp"

// Emits the function of a kernel, for NVPTX and for the emulated GPU.

namespace pm::codegen {
namespace {

/// Emits the code that every thread of a kernel runs.
void emit_body(Emit& e, Threads& threads, const plan::Program& program, const Kernel& kernel,
               llvm::ArrayRef<Value*> buffers) {
    const Unit& unit = *kernel.unit;
    if (kernel.persistent != nullptr)
        emit_persistent_kernel(e, threads, *kernel.persistent, program, buffers);
    else if (unit.step->kind() == plan::StepKind::nest && kernel.passes > 1)
        emit_nest_passes(e, threads, unit.shape, kernel.mapping, buffers.drop_back(2),
                         {buffers[buffers.size() - 2], e.b.CreatePtrToInt(buffers.back(), e.i64())});
    else if (unit.step->kind() == plan::StepKind::nest)
        emit_threaded_nest(e, threads, unit.shape, kernel.mapping, buffers);
    else
        emit_step_kernel(e, threads, *unit.step, program, kernel.mapping, buffers);
}

} // namespace

void emit_emulated_kernel(Emit& e, const plan::Program& program, const Kernel& kernel) {
    auto* type = llvm::FunctionType::get(e.b.getVoidTy(), {e.pointer(), e.pointer()}, false);
    llvm::Function* function = e.begin_function(kernel.unit->name, type, false);
    std::vector<Value*> buffers;
    for (std::size_t i = 0; i < kernel.parameters(); ++i)
        buffers.push_back(e.b.CreateLoad(
            e.pointer(), e.byte_offset(function->getArg(1), static_cast<std::int64_t>(i * sizeof(void*)))));
    e.polls = false;
    emit_body(e, *emulated_threads(e, function->getArg(0)), program, kernel, buffers);
    e.polls = true;
    e.b.CreateRetVoid();
    e.end_function();
}

void emit_ptx_kernel(Emit& e, const plan::Program& program, const Kernel& kernel) {
    const bool persistent = kernel.persistent != nullptr;
    const std::size_t parameters = kernel.parameters() + (persistent ? 2 : 0);
    auto* type = llvm::FunctionType::get(e.b.getVoidTy(), std::vector<llvm::Type*>(parameters, e.pointer()), false);
    llvm::Function* function = e.begin_function(kernel.unit->name, type, false);
    function->setCallingConv(llvm::CallingConv::PTX_Kernel);
    // NVIDIA's driver needs the number of threads that share the registers.
    llvm::NamedMDNode* annotations = e.module.getOrInsertNamedMetadata("nvvm.annotations");
    const auto annotate = [&](const char* what, int value) {
        auto* number = llvm::ConstantAsMetadata::get(e.b.getInt32(static_cast<std::uint32_t>(value)));
        annotations->addOperand(llvm::MDNode::get(
            e.context, {llvm::ConstantAsMetadata::get(function), llvm::MDString::get(e.context, what), number}));
    };
    annotate("kernel", 1);
    annotate("maxntidx", kernel.mapping.threads);
    // Without this limit, ptxas spills registers, so that more thread blocks fit than requested.
    annotate("minctasm", kernel.mapping.at_once);
    std::vector<Value*> buffers;
    for (llvm::Argument& argument : function->args()) buffers.push_back(&argument);
    Host host;
    if (persistent) {
        host.stop = buffers[buffers.size() - 2];
        if (!kernel.mapping.fixed) host.sync = buffers.back();
        buffers.resize(buffers.size() - 2);
    }
    emit_body(e, *nvptx_threads(e, host), program, kernel, buffers);
    e.b.CreateRetVoid();
    e.end_function();
}

} // namespace pm::codegen
