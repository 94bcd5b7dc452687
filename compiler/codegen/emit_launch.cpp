#include "compiler/codegen/collective.hpp"
#include "compiler/codegen/emit_steps.hpp"
#include "compiler/codegen/gpu/running.hpp"
#include "compiler/codegen/gpu/scatter.hpp"
#include "compiler/codegen/gpu/sort.hpp"
#include "compiler/codegen/gpu/touches.hpp"
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
        launch(unit, parameters, touches_of(layout_.program(), *whole));
    } else if (layout_.parts(step) > 1) {
        for_each_lane(layout_.parts(step), [&](StepEmitter& body, Value* part) { body.launch_part(unit, step, part); });
    } else if (moves_between_gpus(step)) { // without a kernel
    } else if (unit.takes_passes) {
        launch_passes(unit, step);
    } else {
        launch(unit, addresses(step), touches_of(layout_.program(), step, lane_ == nullptr));
    }
    pending_ += poll_work;
}

void StepEmitter::launch(const Unit& unit, const std::vector<Value*>& parameters,
                         const std::vector<runtime::Touch>& touches) {
    const Mapping& m = unit.mapping;
    const int meets = unit.resident == nullptr      ? (m.meets ? PM_MEETS_BLOCK : PM_MEETS_NONE)
                      : unit.resident->asks.empty() ? PM_MEETS_ALL
                                                    : PM_MEETS_ALL_AND_ASKS;
    e_.call_symbol(
        "pm_gpu_launch", e_.b.getVoidTy(),
        {call_, e_.int64(unit.number), e_.int64(m.blocks), e_.int64(m.threads), e_.int64(meets),
         e_.int64(static_cast<std::int64_t>(parameters.size())), pointers_of(parameters),
         layout_.runs_on_gpu() ? table_of(numbers_of(touches)) : llvm::ConstantPointerNull::get(e_.pointer())});
}

/// Of all lanes' buffers one of equal parts.
void StepEmitter::launch_part(const Unit& unit, const Step& step, Value* part) {
    std::vector<runtime::Touch> touches = touches_of(layout_.program(), step, true);
    std::vector<Value*> parameters;
    for (std::size_t i = 0; i < touches.size(); ++i) {
        touches[i].bytes /= layout_.parts(step);
        parameters.push_back(e_.byte_offset(address(step.buffers[i]), e_.mul(part, touches[i].bytes)));
    }
    launch(unit, parameters, touches);
}

/// Large pieces that a collective moves go from the GPU that has them to the one whose lane receives them.
bool StepEmitter::moves_between_gpus(const Step& step) {
    constexpr std::int64_t least_bytes = 1 << 16;
    if (step.kind != plan::StepKind::collective || !layout_.on_several_gpus()) return false;
    const std::int64_t stride = lane_stride(buffer(step.buffers[1]));
    std::vector<std::int64_t> table;
    std::int64_t count = 0;
    for (const LaneMoves& m : collective_moves(layout_.program(), step)) {
        if (m.bytes < least_bytes) return false;
        const std::int64_t lane = stride == 0 ? -1 : m.out / stride;
        table.insert(table.end(), {lane, m.receivers, m.senders, m.bytes, m.in, m.in_by_sender, m.in_by_receiver, m.out,
                                   m.out_by_sender, m.out_by_receiver});
        ++count;
    }
    e_.call_symbol("pm_gpu_move", e_.b.getVoidTy(),
                   {call_, e_.int64(step.lanes), address(step.buffers[0]), address(step.buffers[1]), e_.int64(count),
                    table_of(table)});
    return true;
}

void StepEmitter::launch_passes(const Unit& unit, const Step& step) {
    const std::int64_t scratch_bytes = pass_scratch_bytes(step, layout_.program());
    // Each pass writes a part of what all of them write together; it is undefined before.
    std::vector<runtime::Touch> touches = touches_of(layout_.program(), step, lane_ == nullptr);
    touches.push_back({runtime::Touch::changes, scratch_bytes});
    touches.push_back({});
    Value* bytes = e_.int64(scratch_bytes);
    Value* scratch = e_.call_symbol("pm_gpu_scratch", e_.pointer(), {call_, bytes});
    leave_if(e_.b.CreateIsNull(scratch));
    const std::vector<Value*> buffers = addresses(step);
    const auto run = [&](Value* pass) {
        std::vector<Value*> parameters = buffers;
        parameters.push_back(scratch);
        parameters.push_back(e_.b.CreateIntToPtr(pass, e_.pointer()));
        launch(unit, parameters, touches);
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
