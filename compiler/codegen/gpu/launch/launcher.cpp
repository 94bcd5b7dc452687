#include "compiler/codegen/gpu/launch/launcher.hpp"

#include "compiler/codegen/gpu/persistent/accesses.hpp"
#include "compiler/codegen/gpu/sort.hpp"
#include "runtime/gpu/device/thread.h"

namespace pm::codegen {

using plan::Step;
using plan::StepKind;

Launcher::Launcher(const GpuBackend& backend, StepEmitter& emitter)
    : backend_(backend), emitter_(emitter), f_(emitter.function()), e_(emitter.emit()) {}

bool Launcher::emit(llvm::ArrayRef<Step> equal) {
    PM_CHECK(equal.size() == 1);
    const Step& step = equal.front();
    switch (step.kind()) {
    case StepKind::check: return false; // see first_failure()
    case StepKind::tape: return tape(step);
    case StepKind::matrices:
        if (const LibraryConvolution* convolution = backend_.library_convolution(step))
            convolve(step, *convolution);
        else
            emitter_.call_matrices("pm_gpu_" + step.as<plan::MatricesStep>().kernel, step);
        return true;
    default: break;
    }
    if (const Unit* unit = emitter_.layout().unit_of(step)) {
        launch(backend_.kernel_of(*unit), step);
        return true;
    }
    return step.kind() == StepKind::collective && all_reduce(step);
}

void Launcher::launch(const Kernel& kernel, const Step& step) {
    if (kernel.mapping.blocks == 0) return; // nothing to run
    const std::int64_t parts = emitter_.layout().parts(step);
    if (const PersistentKernel* whole = backend_.persistent_kernel(step)) {
        launch(kernel, *whole);
    } else if (parts > 1) {
        emitter_.for_each_lane({.count = parts}, [&](StepEmitter& body, Value* part) {
            Launcher(backend_, body).launch_part(kernel, step, part);
        });
    } else if (moves_between_gpus(step)) { // the moves replace the kernel
    } else if (step.kind() == StepKind::dot) {
        launch_product(kernel, step, backend_.library_products(step));
    } else if (kernel.passes > 1) {
        launch_passes(kernel, step);
    } else {
        launch(kernel, f_.addresses(step), accesses_here(step));
    }
    f_.add_work(poll_work);
}

Launcher::Accesses Launcher::accesses_here(const Step& step) const {
    return accesses_of(backend_.program(), step, f_.lane() == nullptr);
}

/// The arguments of pm_gpu_launch().
std::vector<Value*> Launcher::launch_arguments(const Kernel& kernel, const std::vector<Value*>& parameters,
                                               const Accesses& accesses) {
    const Mapping& m = kernel.mapping;
    const int sync = kernel.persistent == nullptr       ? (m.has_barriers ? PM_SYNC_BLOCK : PM_SYNC_NONE)
                     : kernel.persistent->polls.empty() ? PM_SYNC_GRID
                                                        : PM_SYNC_GRID_AND_POLL;
    return {f_.call(),
            e_.int64(kernel.unit->number),
            e_.int64(m.blocks),
            e_.int64(m.threads),
            e_.int64(sync),
            e_.int64(static_cast<std::int64_t>(parameters.size())),
            f_.array_of(parameters),
            backend_.runs_on_gpu() ? f_.table_of(numbers_of(accesses)) : llvm::ConstantPointerNull::get(e_.pointer())};
}

void Launcher::launch(const Kernel& kernel, const std::vector<Value*>& parameters, const Accesses& accesses) {
    e_.call_symbol("pm_gpu_launch", e_.b.getVoidTy(), launch_arguments(kernel, parameters, accesses));
}

/// Launches the kernel of a collective for part number `part`, one of the equal parts of the collective. The part
/// includes elements of all lanes.
void Launcher::launch_part(const Kernel& kernel, const Step& step, Value* part) {
    Accesses accesses = accesses_of(backend_.program(), step, true);
    std::vector<Value*> parameters;
    for (std::size_t i = 0; i < accesses.size(); ++i) {
        accesses[i].bytes /= emitter_.layout().parts(step);
        parameters.push_back(e_.byte_offset(f_.address(step.buffers[i]), e_.mul(part, accesses[i].bytes)));
    }
    launch(kernel, parameters, accesses);
}

void Launcher::launch_passes(const Kernel& kernel, const Step& step) {
    const std::int64_t bytes = step.kind() == StepKind::nest ? nest_scratch_bytes(kernel.unit->shape)
                                                             : step_scratch_bytes(step, backend_.program());
    // Each pass writes a part of the outputs, whose content before the first pass is undefined.
    Accesses accesses = accesses_here(step);
    accesses.push_back({runtime::MemoryAccess::changes, bytes});
    accesses.push_back({});
    with_scratch(bytes, [&](Value* scratch) {
        const std::vector<Value*> buffers = f_.addresses(step);
        const auto run = [&](Value* pass) {
            std::vector<Value*> parameters = buffers;
            parameters.push_back(scratch);
            parameters.push_back(e_.b.CreateIntToPtr(pass, e_.pointer()));
            launch(kernel, parameters, accesses);
        };
        if (step.kind() == StepKind::sort)
            launch_sort(step, buffers, run);
        else
            e_.loop(0, kernel.passes, 1, run);
    });
}

/// Runs the passes of a sort; see SortSizes.
void Launcher::launch_sort(const Step& sort, const std::vector<Value*>& buffers,
                           const std::function<void(Value*)>& run) {
    const SortSizes sizes(sort);
    e_.loop(0, sizes.move(0), 1, run);
    for (std::size_t k = 0; k < sizes.operands; ++k) {
        Value* in_place = e_.b.CreateICmpEQ(buffers[k], buffers[sizes.operands + k]);
        e_.when(in_place, [&] { run(e_.int64(sizes.copy(k))); });
        run(e_.b.CreateSelect(in_place, e_.int64(sizes.move_copied(k)), e_.int64(sizes.move(k))));
    }
}

/// Returns false if the program runs on several GPUs, because a tape's table cannot contain the addresses that kernels
/// on several GPUs use. The host then runs the step.
bool Launcher::tape(const Step& step) {
    if (backend_.on_several_gpus()) return false;
    const Unit* unit = emitter_.layout().unit_of(step);
    const Mapping* m = unit == nullptr ? nullptr : &backend_.kernel_of(*unit).mapping;
    emitter_.call_tape("pm_gpu_tape", step,
                       {e_.int64(m == nullptr ? -1 : unit->number), e_.int64(m == nullptr ? 0 : m->blocks),
                        e_.int64(m == nullptr ? 0 : m->threads)},
                       f_.addresses(step));
    return true;
}

// ---- memory of the device

/// Calls `use` with the address of `bytes` bytes of device memory. The memory is freed after the code that `use` emits.
void Launcher::with_scratch(std::int64_t bytes, const std::function<void(Value*)>& use) {
    Value* size = e_.int64(bytes);
    Value* scratch = e_.call_symbol("pm_gpu_scratch", e_.pointer(), {f_.call(), size});
    f_.exit_if(e_.b.CreateIsNull(scratch));
    use(scratch);
    e_.call_symbol("pm_gpu_scratch_free", e_.b.getVoidTy(), {f_.call(), scratch, size});
}

/// Copies 8-byte words from device memory into memory of the function. Returns true if the call must stop.
Value* Launcher::fetch(Value* to, Value* scratch, std::int64_t bytes) {
    Value* copy = e_.call_symbol("pm_gpu_read", e_.pointer(), {f_.call(), scratch, e_.int64(bytes)});
    const llvm::Align align(8);
    e_.when(e_.b.CreateIsNotNull(copy),
            [&] { e_.b.CreateMemCpy(to, align, copy, align, static_cast<std::uint64_t>(bytes)); });
    return e_.b.CreateIsNull(copy);
}

Value* Launcher::read(Value* address, std::int64_t bytes) {
    Value* copy = e_.call_symbol("pm_gpu_read", e_.pointer(), {f_.call(), address, e_.int64(bytes)});
    f_.exit_if(e_.b.CreateIsNull(copy));
    return copy;
}

Value* Launcher::write(Value* address, std::int64_t bytes, bool all) {
    Value* copy =
        e_.call_symbol("pm_gpu_write", e_.pointer(), {f_.call(), address, e_.int64(bytes), e_.b.getInt32(all ? 1 : 0)});
    f_.exit_if(e_.b.CreateIsNull(copy));
    return copy;
}

void Launcher::end_access() { e_.call_symbol("pm_gpu_end", e_.b.getVoidTy(), {f_.call()}); }

void Launcher::store_index(DType dtype, Value* index, Value* address) {
    e_.call_symbol("pm_gpu_store", e_.b.getVoidTy(),
                   {f_.call(), address, index, e_.int64(static_cast<std::int64_t>(runtime::size_of(dtype)))});
}

/// Finds the first false element with a kernel. The host reads only the index.
Value* Launcher::first_failure(const Step& check) {
    const Unit* unit = emitter_.layout().unit_of(check);
    if (unit == nullptr) return nullptr;
    constexpr std::int64_t bytes = 8;
    Value* found = e_.slot(e_.i64());
    Value* left = nullptr;
    with_scratch(bytes, [&](Value* word) {
        e_.call_symbol("pm_gpu_store", e_.b.getVoidTy(), {f_.call(), word, e_.int64(-1), e_.int64(bytes)});
        launch(backend_.kernel_of(*unit), {f_.address(check.buffers[0]), word},
               {{runtime::MemoryAccess::reads, f_.buffer(check.buffers[0]).bytes()},
                {runtime::MemoryAccess::changes, bytes}});
        left = fetch(found, word, bytes);
    });
    f_.exit_if(left); // the function exits only after the scratch memory has been freed
    return e_.b.CreateLoad(e_.i64(), found);
}

} // namespace pm::codegen
