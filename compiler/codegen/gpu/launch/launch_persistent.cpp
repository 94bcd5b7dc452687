#include "compiler/codegen/gpu/launch/launcher.hpp"
#include "compiler/codegen/gpu/persistent/accesses.hpp"

// Emits the launches of control steps that are one kernel.

namespace pm::codegen {

using plan::Step;

/// Returns whether the call must stop. After the launch, the memory at `left` has a copy of the kernel's record (see
/// runtime::TapeRecord).
Value* Launcher::launch_with_tapes(const Kernel& kernel, const PersistentKernel& whole,
                                   const std::vector<Value*>& parameters, const Accesses& accesses, Value* left) {
    runtime::TapeKernel tapes;
    tapes.record = whole.record_words();
    for (std::size_t i = 0; i < whole.tapes.size(); ++i) {
        const Step& step = *whole.tapes[i];
        const auto& tape = step.as<plan::TapeStep>();
        tapes.steps.push_back({tape.work,
                               {tape.tapes, tape.elements, f_.buffer(tape.values(step.buffers)).dtype},
                               whole.group_of_tape[i]});
    }
    std::vector<Value*> arguments = launch_arguments(kernel, parameters, accesses);
    Value* record = e_.byte_offset(parameters.back(), whole.record);
    arguments.insert(arguments.end(), {f_.tape_lane(), f_.table_of(tape_kernel_attributes(tapes)), record, left});
    Value* ended = e_.call_symbol("pm_gpu_launch_with_tapes", e_.i32(), arguments);
    return e_.b.CreateICmpEQ(ended, e_.b.getInt32(0));
}

void Launcher::launch(const Kernel& kernel, const PersistentKernel& whole) {
    f_.exit_if_failed(); // after a failed check a loop could run forever
    std::vector<Value*> parameters;
    for (const plan::BufferId id : whole.parameters) parameters.push_back(f_.address(id, &whole.loops));
    Accesses accesses = accesses_of(backend_.program(), whole);
    if (whole.scratch_bytes == 0) return launch(kernel, parameters, accesses);
    const std::int64_t words = whole.tapes.empty() ? whole.record_words().request() : whole.record_words().resume();
    Value* left = nullptr;
    Value* record = nullptr;
    if (whole.has_record()) record = e_.slot(llvm::ArrayType::get(e_.i64(), static_cast<std::uint64_t>(words)));
    with_scratch(whole.scratch_bytes, [&](Value* scratch) {
        parameters.push_back(scratch);
        accesses.push_back({runtime::MemoryAccess::changes, whole.scratch_bytes});
        if (!whole.tapes.empty()) {
            left = launch_with_tapes(kernel, whole, parameters, accesses, record);
        } else {
            launch(kernel, parameters, accesses);
            if (record != nullptr) left = fetch(record, e_.byte_offset(scratch, whole.record), 8 * words);
        }
    });
    if (record == nullptr) return;
    f_.exit_if(left); // the function exits only after the scratch memory has been freed
    report(whole, record);
}

/// Reports the checks that failed in a kernel, with the values of the iteration in which the kernel stopped.
void Launcher::report(const PersistentKernel& whole, Value* record) {
    const auto number = [&](std::int64_t place) {
        return e_.b.CreateLoad(e_.i64(), e_.byte_offset(record, place - whole.record));
    };
    for (std::size_t i = 0; i < whole.loops_of_record.size(); ++i)
        f_.enter_loop(whole.loops_of_record[i], number(whole.place_of_index(i)));
    for (std::size_t i = 0; i < whole.checks.size(); ++i) {
        Value* least = number(whole.place_of_check(i));
        e_.when(e_.b.CreateICmpSGE(least, e_.int64(0)), [&] { emitter_.report(*whole.checks[i], least); }, false);
    }
    for (const std::uint32_t loop : whole.loops_of_record) f_.leave_loop(loop);
    end_access();
}

} // namespace pm::codegen
