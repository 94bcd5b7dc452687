#include "compiler/codegen/emit_steps.hpp"
#include "compiler/codegen/gpu/sort.hpp"
#include "runtime/gpu/thread.h"

// Steps that are kernels.

namespace pm::codegen {

using plan::Step;

void StepEmitter::launch(const Unit& unit, const Step& step) {
    if (unit.mapping.blocks == 0) return; // nothing to run
    if (const Resident* whole = layout_.resident(step)) {
        leave_if_failed(); // what a loop goes on with after a failed check may keep it running for ever
        std::vector<Value*> parameters;
        for (const plan::BufferId id : whole->parameters) parameters.push_back(address(id, whole));
        if (whole->scratch_bytes == 0)
            launch(unit, parameters);
        else
            with_scratch(whole->scratch_bytes, [&](Value* scratch) {
                parameters.push_back(scratch);
                launch(unit, parameters);
            });
    } else if (unit.passes > 1) {
        launch_passes(unit, step);
    } else if (const LibraryProduct* product = layout_.library_product(step)) {
        launch_product(unit, step, *product);
    } else {
        launch(unit, addresses(step));
    }
    pending_ += poll_work;
}

void StepEmitter::launch(const Unit& unit, const std::vector<Value*>& parameters) {
    const Mapping& m = unit.mapping;
    const int meets = unit.resident == nullptr      ? (m.meets ? PM_MEETS_BLOCK : PM_MEETS_NONE)
                      : unit.resident->asks.empty() ? PM_MEETS_ALL
                                                    : PM_MEETS_ALL_AND_ASKS;
    e_.call_symbol("pm_gpu_launch", e_.b.getVoidTy(),
                   {call_, e_.int64(unit.number), e_.int64(m.blocks), e_.int64(m.threads), e_.int64(meets),
                    e_.int64(static_cast<std::int64_t>(parameters.size())), pointers_of(parameters)});
}

/// By the library, or by its kernel where there is none.
void StepEmitter::launch_product(const Unit& unit, const Step& step, const LibraryProduct& product) {
    const std::vector<Value*> buffers = addresses(step);
    Value* done = e_.call_symbol(
        "pm_gpu_multiply", e_.i32(),
        {call_, buffers[0], buffers[1], buffers[2], table_of(runtime::product_attributes(product.spec))});
    Value* by_kernel = e_.b.CreateICmpEQ(done, e_.b.getInt32(0));
    e_.when(by_kernel, [&] { launch(unit, buffers); }, false);
    if (product.end)
        e_.when(e_.b.CreateNot(by_kernel), [&] { launch(*layout_.unit_of(*product.end), addresses(*product.end)); });
}

void StepEmitter::launch_passes(const Unit& unit, const Step& step) {
    const std::int64_t bytes = step.kind == plan::StepKind::nest ? nest_scratch_bytes(unit.shape)
                                                                 : step_scratch_bytes(step, layout_.program());
    with_scratch(bytes, [&](Value* scratch) {
        const std::vector<Value*> buffers = addresses(step);
        const auto run = [&](Value* pass) {
            std::vector<Value*> parameters = buffers;
            parameters.push_back(scratch);
            parameters.push_back(e_.b.CreateIntToPtr(pass, e_.pointer()));
            launch(unit, parameters);
        };
        if (step.kind == plan::StepKind::sort)
            launch_sort(step, buffers, run);
        else
            e_.loop(0, unit.passes, 1, run);
    });
}

/// Runs `use` with memory of the device that is given back after it.
void StepEmitter::with_scratch(std::int64_t bytes, const std::function<void(Value*)>& use) {
    Value* size = e_.int64(bytes);
    Value* scratch = e_.call_symbol("pm_gpu_scratch", e_.pointer(), {call_, size});
    leave_if(e_.b.CreateIsNull(scratch));
    use(scratch);
    e_.call_symbol("pm_gpu_scratch_free", e_.b.getVoidTy(), {call_, scratch, size});
}

/// See SortSizes.
void StepEmitter::launch_sort(const Step& sort, const std::vector<Value*>& buffers,
                              const std::function<void(Value*)>& run) {
    const SortSizes sizes(sort);
    e_.loop(0, sizes.move(0), 1, run);
    for (std::size_t k = 0; k < sizes.operands; ++k) {
        Value* in_place = e_.b.CreateICmpEQ(buffers[k], buffers[sizes.operands + k]);
        e_.when(in_place, [&] { run(e_.int64(sizes.copy(k))); });
        run(e_.b.CreateSelect(in_place, e_.int64(sizes.move_copied(k)), e_.int64(sizes.move(k))));
    }
}

} // namespace pm::codegen
