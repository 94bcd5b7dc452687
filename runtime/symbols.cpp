#include "runtime/call.hpp"
#include "runtime/gpu/host/tapes.hpp"

// The functions that compiled code calls. None of them throws, because compiled code cannot be unwound. Kernels are in
// kernels/kernels.cpp (sort), matrix_kernels.cpp (LAPACK) and gpu/.

using pm::runtime::guarded;

extern "C" {

void pm_run(PmCall* call, int64_t n, PmChunk fn, void* frame) {
    pm::runtime::CallState& state = pm::runtime::CallState::of(call);
    pm::runtime::Workers* workers = state.options().workers;
    if (state.options().device)
        state.run_lanes(call, n, fn, frame);
    else if (workers != nullptr)
        workers->run(call, n, fn, frame);
    else
        pm::runtime::Workers::run_here(call, n, fn, frame);
}

void pm_run_own_lanes(PmCall* call, const int64_t* first, PmChunk fn, void* frame) {
    pm::runtime::CallState::of(call).run_own_lanes(call, first, fn, frame);
}

int32_t pm_meeting(PmCall* call, const int64_t* attributes, void* const* buffers) {
    return guarded(call, [&](pm::runtime::CallState& state) -> int32_t {
        return state.exchange(call, pm::runtime::lane_exchange(attributes), buffers) ? 1 : 0;
    });
}

int32_t pm_poll(PmCall* call) { return pm::runtime::CallState::of(call).poll(call); }

void pm_check_failed(PmCall* call, int64_t site, int64_t lane, int64_t element, const void* const* pointers,
                     int64_t loops, const int64_t* iterations) {
    pm::runtime::CallState::of(call).check_failed(call, {site, lane, element, {iterations, iterations + loops}, {}},
                                                  pointers);
}

void pm_print(PmCall* call, int64_t site, int64_t lane, const void* const* pointers) {
    pm::runtime::CallState::of(call).print(call, site, lane, pointers);
}

void pm_flush(PmCall* call) { pm::runtime::CallState::of(call).flush(call); }

void pm_flush_lanes(PmCall* call) {
    guarded(call, [&](pm::runtime::CallState& state) { state.flush_lanes(call); });
}

void* pm_scratch(PmCall* call, int64_t bytes) {
    return guarded(call, [&](pm::runtime::CallState& state) -> void* {
        return pm::runtime::allocate_from(state.options().allocator.get(), static_cast<std::size_t>(bytes));
    });
}

void pm_tape(PmCall* call, int64_t lane, int64_t what, int64_t dtype, int64_t count, int64_t elements, void* first,
             void* second, void* third) {
    using pm::runtime::TapeWork;
    const pm::runtime::TapeBatch batch{count, elements, static_cast<pm::runtime::DType>(dtype)};
    guarded(call, [&](pm::runtime::CallState& state) {
        pm::runtime::Tapes& tapes = *state.options().tapes;
        const auto* indices = static_cast<const std::int64_t*>(second);
        auto* handles = static_cast<std::uint64_t*>(third);
        switch (static_cast<TapeWork>(what)) {
        case TapeWork::set: pm::runtime::tape_set(tapes, lane, batch, first, indices, handles); return;
        case TapeWork::add: pm::runtime::tape_add(tapes, lane, batch, first, indices, handles); return;
        case TapeWork::get:
            pm::runtime::tape_get(batch, static_cast<const std::uint64_t*>(first), indices, third);
            return;
        case TapeWork::sum: pm::runtime::tape_sum(count, static_cast<const std::uint64_t*>(first), handles); return;
        }
    });
}

void pm_gpu_tape(PmCall* call, int64_t lane, int64_t what, int64_t unit, int64_t blocks, int64_t threads, int64_t dtype,
                 int64_t count, int64_t elements, void* first, void* second, void* third) {
    guarded(call, [&](pm::runtime::CallState& state) {
        pm::runtime::run_tape_step(call, state,
                                   {.lane = lane,
                                    .what = static_cast<pm::runtime::TapeWork>(what),
                                    .batch = {count, elements, static_cast<pm::runtime::DType>(dtype)},
                                    .unit = unit,
                                    .blocks = blocks,
                                    .threads = threads,
                                    .first = first,
                                    .second = second,
                                    .third = third});
    });
}

int32_t pm_gpu_launch_with_tapes(PmCall* call, int64_t unit, int64_t blocks, int64_t threads, int64_t sync,
                                 int64_t count, void* const* buffers, const int64_t* accesses, int64_t lane,
                                 const int64_t* attributes, void* record, int64_t* left) {
    return guarded(call, [&](pm::runtime::CallState& state) -> int32_t {
        pm::runtime::TapeKernel kernel = pm::runtime::tape_kernel(attributes);
        kernel.lane = lane;
        kernel.memory = static_cast<std::byte*>(record);
        const auto launch = [&] { pm_gpu_launch(call, unit, blocks, threads, sync, count, buffers, accesses); };
        const auto words = static_cast<std::size_t>(kernel.record.resume());
        return run_with_tapes(call, state, kernel, launch, {left, words}) ? 1 : 0;
    });
}

void pm_tapes_enter(PmCall* call, int64_t lane) {
    guarded(call, [lane](pm::runtime::CallState& state) { state.options().tapes->enter(lane); });
}

void pm_tapes_leave(PmCall* call, int64_t lane) {
    guarded(call, [lane](pm::runtime::CallState& state) { state.options().tapes->leave(lane); });
}

void pm_scratch_free(PmCall* call, void* scratch, int64_t bytes) {
    pm::runtime::release_to(pm::runtime::CallState::of(call).options().allocator.get(),
                            static_cast<std::byte*>(scratch), static_cast<std::size_t>(bytes));
}
}

namespace pm::runtime {

std::span<const Symbol> symbols() {
    static const std::array table = {
#define SYMBOL(name, result, arguments) Symbol{#name, reinterpret_cast<void*>(&::name)},
#include "runtime/symbols.def"
#undef SYMBOL
    };
    return table;
}

} // namespace pm::runtime
