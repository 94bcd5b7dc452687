#include "compiler/codegen/emit_steps.hpp"
#include "compiler/codegen/gpu/running.hpp"
#include "compiler/codegen/gpu/scatter.hpp"
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
        launch(unit, parameters);
    } else if (unit.takes_passes) {
        launch_passes(unit, step);
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

void StepEmitter::launch_passes(const Unit& unit, const Step& step) {
    Value* bytes = e_.int64(pass_scratch_bytes(step, layout_.program()));
    Value* scratch = e_.call_symbol("pm_gpu_scratch", e_.pointer(), {call_, bytes});
    leave_if(e_.b.CreateIsNull(scratch));
    const std::vector<Value*> buffers = addresses(step);
    const auto run = [&](Value* pass) {
        std::vector<Value*> parameters = buffers;
        parameters.push_back(scratch);
        parameters.push_back(e_.b.CreateIntToPtr(pass, e_.pointer()));
        launch(unit, parameters);
    };
    switch (step.kind) {
    case plan::StepKind::sort: sort_passes(step, buffers, run); break;
    case plan::StepKind::scatter: e_.loop(0, scatter_passes(step, layout_.program()), 1, run); break;
    default: e_.loop(0, running_passes, 1, run);
    }
    e_.call_symbol("pm_gpu_scratch_free", e_.b.getVoidTy(), {call_, scratch, bytes});
}

/// See SortSizes.
void StepEmitter::sort_passes(const Step& sort, const std::vector<Value*>& buffers,
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
