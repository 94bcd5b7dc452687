#include "compiler/codegen/gpu/persistent/accesses.hpp"
#include "compiler/codegen/gpu/sort.hpp"
#include "compiler/codegen/program/emit_steps.hpp"
#include "compiler/codegen/steps/collective.hpp"
#include "runtime/gpu/device/thread.h"

// Steps that are kernels.

namespace pm::codegen {

using plan::Step;

void StepEmitter::launch(const Unit& unit, const Step& step) {
    if (unit.mapping.blocks == 0) return; // nothing to run
    if (const PersistentKernel* whole = layout_.persistent_kernel(step)) {
        launch(unit, *whole);
    } else if (layout_.parts(step) > 1) {
        for_each_lane(layout_.parts(step), [&](StepEmitter& body, Value* part) { body.launch_part(unit, step, part); });
    } else if (moves_between_gpus(step)) { // replaced by moves
    } else if (step.kind() == plan::StepKind::dot) {
        launch_product(unit, step, layout_.library_products(step));
    } else if (unit.passes > 1) {
        launch_passes(unit, step);
    } else {
        launch(unit, addresses(step), accesses_of(layout_.program(), step, lane_ == nullptr));
    }
    pending_ += poll_work;
}

/// The arguments of pm_gpu_launch().
std::vector<Value*> StepEmitter::launch_arguments(const Unit& unit, const std::vector<Value*>& parameters,
                                                  const std::vector<runtime::MemoryAccess>& accesses) {
    const Mapping& m = unit.mapping;
    const int meets = unit.persistent == nullptr      ? (m.meets ? PM_MEETS_BLOCK : PM_MEETS_NONE)
                      : unit.persistent->asks.empty() ? PM_MEETS_ALL
                                                      : PM_MEETS_ALL_AND_ASKS;
    return {call_,
            e_.int64(unit.number),
            e_.int64(m.blocks),
            e_.int64(m.threads),
            e_.int64(meets),
            e_.int64(static_cast<std::int64_t>(parameters.size())),
            pointers_of(parameters),
            layout_.runs_on_gpu() ? table_of(numbers_of(accesses)) : llvm::ConstantPointerNull::get(e_.pointer())};
}

void StepEmitter::launch(const Unit& unit, const std::vector<Value*>& parameters,
                         const std::vector<runtime::MemoryAccess>& accesses) {
    e_.call_symbol("pm_gpu_launch", e_.b.getVoidTy(), launch_arguments(unit, parameters, accesses));
}

/// Returns whether the call must be left. `left` then holds the content of the kernel's record.
Value* StepEmitter::launch_with_tapes(const Unit& unit, const PersistentKernel& whole,
                                      const std::vector<Value*>& parameters,
                                      const std::vector<runtime::MemoryAccess>& accesses, Value* left) {
    runtime::TapeKernel kernel;
    kernel.record = whole.record_words();
    for (std::size_t i = 0; i < whole.tapes.size(); ++i) {
        const Step& step = *whole.tapes[i];
        const auto& tape = step.as<plan::TapeStep>();
        kernel.steps.push_back(
            {tape.work, {tape.tapes, tape.elements, buffer(tape.values(step.buffers)).dtype}, whole.group_of_tape[i]});
    }
    std::vector<Value*> arguments = launch_arguments(unit, parameters, accesses);
    Value* record = e_.byte_offset(parameters.back(), whole.record);
    arguments.insert(arguments.end(), {tape_lane(), table_of(tape_kernel_attributes(kernel)), record, left});
    Value* ended = e_.call_symbol("pm_gpu_launch_with_tapes", e_.i32(), arguments);
    return e_.b.CreateICmpEQ(ended, e_.b.getInt32(0));
}

void StepEmitter::launch(const Unit& unit, const PersistentKernel& whole) {
    leave_if_failed(); // after a failed check a loop could run forever
    std::vector<Value*> parameters;
    for (const plan::BufferId id : whole.parameters) parameters.push_back(address(id, &whole));
    std::vector<runtime::MemoryAccess> accesses = accesses_of(layout_.program(), whole);
    if (whole.scratch_bytes == 0) return launch(unit, parameters, accesses);
    const std::int64_t words = whole.tapes.empty() ? whole.record_words().request() : whole.record_words().resume();
    Value* left = nullptr;
    Value* record = nullptr;
    if (whole.has_record()) record = e_.slot(llvm::ArrayType::get(e_.i64(), static_cast<std::uint64_t>(words)));
    with_scratch(whole.scratch_bytes, [&](Value* scratch) {
        parameters.push_back(scratch);
        accesses.push_back({runtime::MemoryAccess::changes, whole.scratch_bytes});
        if (!whole.tapes.empty()) {
            left = launch_with_tapes(unit, whole, parameters, accesses, record);
        } else {
            launch(unit, parameters, accesses);
            if (record != nullptr) left = fetch(record, e_.byte_offset(scratch, whole.record), 8 * words);
        }
    });
    if (record == nullptr) return;
    leave_if(left); // after the memory was freed
    report(whole, record);
}

/// Launches the kernel on one of the equal parts of all lanes' buffers.
void StepEmitter::launch_part(const Unit& unit, const Step& step, Value* part) {
    std::vector<runtime::MemoryAccess> accesses = accesses_of(layout_.program(), step, true);
    std::vector<Value*> parameters;
    for (std::size_t i = 0; i < accesses.size(); ++i) {
        accesses[i].bytes /= layout_.parts(step);
        parameters.push_back(e_.byte_offset(address(step.buffers[i]), e_.mul(part, accesses[i].bytes)));
    }
    launch(unit, parameters, accesses);
}

/// Moves large pieces of a collective from the GPU that has them to the GPU of the receiving lane. Returns false if the
/// step is not such a collective.
bool StepEmitter::moves_between_gpus(const Step& step) {
    constexpr std::int64_t least_bytes = 1 << 16;
    if (step.kind() != plan::StepKind::collective || !layout_.on_several_gpus()) return false;
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
                   {call_, e_.int64(step.as<plan::CollectiveStep>().lanes), address(step.buffers[0]),
                    address(step.buffers[1]), e_.int64(count), table_of(table)});
    return true;
}

/// Reduces with a library between several GPUs, otherwise with kernels.
void StepEmitter::all_reduce(const Step& collective, const Step& by_kernels) {
    const auto spec = layout_.on_several_gpus() ? collective_for_library(layout_.program(), collective) : std::nullopt;
    if (!spec) return step(by_kernels);
    Value* done =
        e_.call_symbol("pm_gpu_all_reduce", e_.i32(),
                       {call_, address_of_first_lane(collective.buffers[0]),
                        address_of_first_lane(collective.buffers[1]), table_of(all_reduce_attributes(*spec))});
    e_.when(e_.b.CreateICmpEQ(done, e_.b.getInt32(0)), [&] { step(by_kernels); }, false);
}

/// Tries the first of the library's products, then the others. Without any it launches the step's kernel.
void StepEmitter::launch_product(const Unit& unit, const Step& step, llvm::ArrayRef<LibraryProduct> ways) {
    if (ways.empty() && unit.passes > 1) return launch_passes(unit, step);
    const std::vector<Value*> buffers = addresses(step);
    if (ways.empty()) return launch(unit, buffers, accesses_of(layout_.program(), step, lane_ == nullptr));
    const LibraryProduct& product = ways.front();
    const auto at = [&](const std::optional<OperandPlace>& place) -> Value* {
        if (!place) return llvm::ConstantPointerNull::get(e_.pointer());
        const auto width = static_cast<std::int64_t>(runtime::size_of(product.spec.out));
        return e_.byte_offset(buffers[place->buffer], e_.int64(place->element * width));
    };
    Value* done = e_.call_symbol("pm_gpu_multiply", e_.i32(),
                                 {call_, buffers[0], buffers[1], at(product.bias), at(product.added), at(product.out),
                                  table_of(runtime::product_attributes(product.spec))});
    Value* not_so = e_.b.CreateICmpEQ(done, e_.b.getInt32(0));
    e_.when(not_so, [&] { launch_product(unit, step, ways.drop_front()); }, false);
    if (product.end) e_.when(e_.b.CreateNot(not_so), [&] { launch_end(*product.end); });
}

/// Launches the epilogue of a result of the library.
void StepEmitter::launch_end(const Step& end) {
    launch(*layout_.unit_of(end), addresses(end), accesses_of(layout_.program(), end, lane_ == nullptr));
}

/// Runs the convolution and its epilogue in the library, or only the convolution in the library and then the kernel of
/// the epilogue.
void StepEmitter::convolve(const Step& step, const LibraryConvolution& convolution) {
    const std::vector<std::int64_t>& attributes_of_kernel = step.as<plan::MatricesStep>().attributes;
    const std::vector<Value*> buffers = addresses(step);
    const auto in_turn = [&] {
        e_.call_symbol("pm_gpu_convolution", e_.i32(),
                       {call_, pointers_of({buffers[0], buffers[1], buffers[2]}), table_of(attributes_of_kernel)});
        launch_end(convolution.end);
    };
    if (const auto& whole = convolution.whole) {
        const auto at = [&](const OperandPlace& place) {
            const auto width = static_cast<std::int64_t>(runtime::size_of(buffer(step.buffers[2]).dtype));
            return e_.byte_offset(buffers[place.buffer], e_.int64(place.element * width));
        };
        std::vector<Value*> operands{buffers[0], buffers[1], at(whole->bias)};
        if (whole->added) operands.push_back(at(*whole->added));
        operands.push_back(at(whole->out));
        std::vector<std::int64_t> attributes = attributes_of_kernel;
        const std::vector<std::int64_t> more = runtime::convolution_end_attributes(whole->end);
        attributes.insert(attributes.end(), more.begin(), more.end());
        Value* done = e_.call_symbol("pm_gpu_convolution_with_end", e_.i32(),
                                     {call_, pointers_of(operands), table_of(attributes)});
        e_.when(e_.b.CreateICmpEQ(done, e_.b.getInt32(0)), in_turn, false);
    } else {
        in_turn();
    }
    pending_ += poll_work;
}

void StepEmitter::launch_passes(const Unit& unit, const Step& step) {
    const std::int64_t bytes = step.kind() == plan::StepKind::nest ? nest_scratch_bytes(unit.shape)
                                                                   : step_scratch_bytes(step, layout_.program());
    // Each pass writes a part of the outputs. Their content before the first pass is undefined.
    std::vector<runtime::MemoryAccess> accesses = accesses_of(layout_.program(), step, lane_ == nullptr);
    accesses.push_back({runtime::MemoryAccess::changes, bytes});
    accesses.push_back({});
    with_scratch(bytes, [&](Value* scratch) {
        const std::vector<Value*> buffers = addresses(step);
        const auto run = [&](Value* pass) {
            std::vector<Value*> parameters = buffers;
            parameters.push_back(scratch);
            parameters.push_back(e_.b.CreateIntToPtr(pass, e_.pointer()));
            launch(unit, parameters, accesses);
        };
        if (step.kind() == plan::StepKind::sort)
            launch_sort(step, buffers, run);
        else
            e_.loop(0, unit.passes, 1, run);
    });
}

/// Runs `use` with device memory that is freed after it.
void StepEmitter::with_scratch(std::int64_t bytes, const std::function<void(Value*)>& use) {
    Value* size = e_.int64(bytes);
    Value* scratch = e_.call_symbol("pm_gpu_scratch", e_.pointer(), {call_, size});
    leave_if(e_.b.CreateIsNull(scratch));
    use(scratch);
    e_.call_symbol("pm_gpu_scratch_free", e_.b.getVoidTy(), {call_, scratch, size});
}

/// Copies 8-byte words from device memory into memory of the function. Returns true if the call must be left instead.
Value* StepEmitter::fetch(Value* to, Value* scratch, std::int64_t bytes) {
    Value* copy = e_.call_symbol("pm_gpu_read", e_.pointer(), {call_, scratch, e_.int64(bytes)});
    const llvm::Align align(8);
    e_.when(e_.b.CreateIsNotNull(copy),
            [&] { e_.b.CreateMemCpy(to, align, copy, align, static_cast<std::uint64_t>(bytes)); });
    return e_.b.CreateIsNull(copy);
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
