#include "runtime/gpu/tapes.hpp"

#include "runtime/gpu/thread.h"

#include <cstring>

namespace pm::runtime {
namespace {

/// Numbers that are in a device's memory, or the host's where there is none.
template <class T>
std::vector<T> brought(Device* device, const void* from, std::size_t count) {
    std::vector<T> made(count);
    const std::size_t bytes = count * sizeof(T);
    if (device != nullptr)
        device->download(made.data(), static_cast<const std::byte*>(from), bytes);
    else
        std::memcpy(made.data(), from, bytes);
    return made;
}

template <class T>
void give(Device* device, void* to, const std::vector<T>& numbers) {
    const std::size_t bytes = numbers.size() * sizeof(T);
    if (device != nullptr)
        device->upload(static_cast<std::byte*>(to), numbers.data(), bytes);
    else
        std::memcpy(to, numbers.data(), bytes);
}

/// The kernel has the place of one tape as its parameter, those of several in memory. Of one GPU: its addresses are the
/// kernel's.
void move(PmCall* call, CallState& state, const GpuTapeStep& step, const std::vector<std::byte*>& places) {
    const auto launch = [&](void* where) {
        void* const buffers[] = {step.what == TapeWork::get ? step.third : step.first, where};
        pm_gpu_launch(call, step.unit, step.blocks, step.threads, PM_MEETS_NONE, 2, buffers, nullptr);
    };
    if (places.size() == 1) return launch(places.front());
    const std::shared_ptr<Device>& device = state.options().device;
    const DeviceScratch table(device, places.size() * sizeof(std::byte*));
    if (!device) return launch(const_cast<std::byte**>(places.data()));
    give(device.get(), table.data(), places);
    launch(table.data());
}

/// Elements that are tapes themselves.
void add_tapes(Device* device, const GpuTapeStep& step, const std::vector<std::byte*>& places) {
    const auto elements = static_cast<std::size_t>(step.batch.elements);
    const auto more = brought<std::uint64_t>(device, step.first, places.size() * elements);
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i] == nullptr) continue;
        auto sums = brought<std::uint64_t>(device, places[i], elements);
        tape_sum(step.batch.elements, more.data() + i * elements, sums.data());
        give(device, places[i], sums);
    }
}

} // namespace

void run_tape_step(PmCall* call, CallState& state, const GpuTapeStep& step) {
    Device* device = state.options().device.get();
    const auto count = static_cast<std::size_t>(step.batch.count);
    const bool reads = step.what == TapeWork::get;
    auto handles = brought<std::uint64_t>(device, reads ? step.first : step.third, count);
    const auto before = handles;
    if (step.what == TapeWork::sum) {
        const auto more = brought<std::uint64_t>(device, step.first, count);
        tape_sum(step.batch.count, more.data(), handles.data());
    } else {
        const auto indices = brought<std::int64_t>(device, step.second, count);
        Tapes& tapes = *state.options().tapes;
        const std::vector<std::byte*> places =
            reads ? tape_places(step.batch, indices.data(), handles.data())
                  : tape_places(tapes, step.lane, step.batch, indices.data(), handles.data());
        if (step.unit >= 0)
            move(call, state, step, places);
        else
            add_tapes(device, step, places);
    }
    if (handles != before) give(device, step.third, handles);
}

} // namespace pm::runtime
