#include "runtime/call.hpp"
#include "runtime/gpu/device/collectives.hpp"
#include "runtime/gpu/device/peer_copies.hpp"
#include "runtime/gpu/host/emulated.hpp"

#include <cstring>

// The functions that a program's code on the CPU calls to run kernels, and for its work between kernels. None of them
// throws.

namespace {

using pm::runtime::CallState;
using pm::runtime::guarded;

/// Released memory becomes free when the launches that use this memory have run. If the released memory has this many
/// bytes or more, these launches are submitted immediately.
constexpr std::int64_t large_scratch = std::int64_t{64} << 20;

} // namespace

extern "C" {

void pm_gpu_launch(PmCall* call, int64_t unit, int64_t blocks, int64_t threads, int64_t sync, int64_t count,
                   void* const* buffers, const int64_t* accesses) {
    guarded(call, [&](CallState& state) {
        // Nothing more is launched in an abandoned call: a kernel might read indices that were never computed.
        if ((pm::runtime::read_stop(call) & pm::runtime::abandon) != 0) return;
        void* kernel = state.options().kernels[static_cast<std::size_t>(unit)];
        pm::runtime::Device* device = state.device(call);
        if (device != nullptr) {
            const std::function<bool()> leave = CallState::leave(call);
            if (!device->make_room(leave)) return;
            device->launch({kernel,
                            blocks,
                            static_cast<int>(threads),
                            {buffers, static_cast<std::size_t>(count)},
                            sync >= PM_SYNC_GRID,
                            sync == PM_SYNC_GRID_AND_POLL ? state.stop_word(call) : nullptr,
                            reinterpret_cast<const pm::runtime::MemoryAccess*>(accesses),
                            &leave});
        } else
            pm::runtime::run_emulated(call, reinterpret_cast<PmGpuKernel>(kernel), blocks, static_cast<int>(threads),
                                      static_cast<int>(sync), buffers);
    });
}

void pm_gpu_move(PmCall* call, int64_t lanes, const void* from, void* to, int64_t count, const int64_t* moves) {
    guarded(call, [&](CallState& state) {
        move_lanes(*state.options().device, lanes, static_cast<const std::byte*>(from), static_cast<std::byte*>(to),
                   {reinterpret_cast<const pm::runtime::Moves*>(moves), static_cast<std::size_t>(count)});
    });
}

int32_t pm_gpu_multiply(PmCall* call, const void* a, const void* b, const void* bias, const void* added, void* out,
                        const int64_t* attributes) {
    return guarded(call, [&](CallState& state) -> int32_t {
        const auto bytes = [](const void* address) { return static_cast<const std::byte*>(address); };
        const bool done = state.device(call)->multiply(
            pm::runtime::product_spec(attributes),
            {bytes(a), bytes(b), bytes(bias), bytes(added), static_cast<std::byte*>(out)}, CallState::leave(call));
        return state.by_library(pm::runtime::DeviceLibrary::cublaslt, done) ? 1 : 0;
    });
}

int32_t pm_gpu_all_reduce(PmCall* call, const void* in, void* out, const int64_t* attributes) {
    return guarded(call, [&](CallState& state) -> int32_t {
        const bool done = state.options().device->all_reduce(pm::runtime::all_reduce_spec(attributes),
                                                             static_cast<const std::byte*>(in),
                                                             static_cast<std::byte*>(out), CallState::leave(call));
        return state.by_library(pm::runtime::DeviceLibrary::nccl, done) ? 1 : 0;
    });
}

const void* pm_gpu_read(PmCall* call, const void* address, int64_t bytes) {
    return guarded(call, [&](CallState& state) -> const void* {
        if (state.host_copies(call) == nullptr) return address;
        return state.host_copies(call)->read(static_cast<const std::byte*>(address), static_cast<std::size_t>(bytes));
    });
}

void* pm_gpu_write(PmCall* call, void* address, int64_t bytes, int32_t all) {
    return guarded(call, [&](CallState& state) -> void* {
        if (state.host_copies(call) == nullptr) return address;
        using Change = pm::runtime::HostCopies::Change;
        return state.host_copies(call)->write(static_cast<std::byte*>(address), static_cast<std::size_t>(bytes),
                                              all != 0 ? Change::all : Change::some);
    });
}

void pm_gpu_end(PmCall* call) {
    guarded(call, [&](CallState& state) {
        const bool changed = (pm::runtime::read_stop(call) & pm::runtime::abandon) == 0;
        if (state.host_copies(call) != nullptr) state.host_copies(call)->end(changed);
    });
}

void pm_gpu_store(PmCall* call, void* address, int64_t value, int64_t width) {
    guarded(call, [&](CallState& state) {
        if (state.device(call) != nullptr)
            state.device(call)->store(static_cast<std::byte*>(address), static_cast<std::uint64_t>(value),
                                      static_cast<int>(width));
        else
            std::memcpy(address, &value, static_cast<std::size_t>(width)); // every host is little-endian
    });
}

void* pm_gpu_scratch(PmCall* call, int64_t bytes) {
    return guarded(call, [&](CallState& state) -> void* {
        return state.options().device ? state.options().device->allocate(static_cast<std::size_t>(bytes))
                                      : pm_scratch(call, bytes);
    });
}

void pm_gpu_scratch_free(PmCall* call, void* scratch, int64_t bytes) {
    guarded(call, [&](CallState& state) {
        pm::runtime::Device* device = state.device(call);
        if (device == nullptr) return pm_scratch_free(call, scratch, bytes);
        device->release(static_cast<std::byte*>(scratch));
        if (bytes >= large_scratch) device->submit(CallState::leave(call));
    });
}
}
