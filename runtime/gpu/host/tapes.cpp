#include "runtime/gpu/host/tapes.hpp"

#include "runtime/gpu/device/thread.h"

#include <algorithm>
#include <cstring>

namespace pm::runtime {
namespace {

/// Copies numbers from device memory, or from host memory if `device` is null.
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

/// Launches the kernel that reads or writes the values of the tapes. If there is one tape, the kernel gets the address
/// of its values; otherwise it gets the address of a table of such addresses. The device must be a single GPU, because
/// kernels on several GPUs use other addresses than the device.
void move(PmCall* call, CallState& state, const GpuTapeStep& step, const std::vector<std::byte*>& places) {
    const auto launch = [&](void* where) {
        void* const buffers[] = {step.what == TapeWork::get ? step.third : step.first, where};
        pm_gpu_launch(call, step.unit, step.blocks, step.threads, PM_SYNC_NONE, 2, buffers, nullptr);
    };
    if (places.size() == 1) return launch(places.front());
    const std::shared_ptr<Device>& device = state.options().device;
    const DeviceScratch table(device, places.size() * sizeof(std::byte*));
    if (!device) return launch(const_cast<std::byte**>(places.data()));
    give(device.get(), table.data(), places);
    launch(table.data());
}

/// The values of the step are handles of tapes. Adds the tapes of `step.first` to the tapes whose handles are stored at
/// `places`.
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

namespace {

/// The host's state while it repeatedly launches one kernel with windows.
class Windows {
  public:
    Windows(PmCall* call, CallState& state, const TapeKernel& kernel)
        : device_(state.device(call)), tapes_(*state.options().tapes), kernel_(kernel) {
        for (const TapesOfKernel& step : kernel.steps) {
            firsts_.push_back(windows_.size());
            windows_.resize(windows_.size() + static_cast<std::size_t>(step.batch.count));
        }
        const std::size_t bytes = 8 * static_cast<std::size_t>(kernel.record.window(rows()));
        if (device_ != nullptr)
            device_->clear(kernel.memory, bytes);
        else
            std::memset(kernel.memory, 0, bytes);
    }

    /// Opens the windows of the step at which the kernel exited, and sets the position at which it continues.
    void open(std::span<const std::int64_t> exit_state) {
        const TapeRecord& record = kernel_.record;
        const auto word = [&](std::int64_t place) { return exit_state[static_cast<std::size_t>(place)]; };
        const auto step = static_cast<std::size_t>(word(record.request()) - 1);
        const auto count = static_cast<std::size_t>(kernel_.steps[step].batch.count);
        auto* const device_handles = reinterpret_cast<std::uint64_t*>(word(record.handles()));
        std::vector<std::int64_t> indices{word(record.index())};
        std::vector<std::uint64_t> handles{static_cast<std::uint64_t>(word(record.handle()))};
        if (count > 1) {
            indices = brought<std::int64_t>(device_, reinterpret_cast<const void*>(indices[0]), count);
            handles = brought<std::uint64_t>(device_, device_handles, count);
        }
        const auto before = handles;
        move_windows(step, indices, handles);
        if (handles != before) give(device_, device_handles, handles);
        std::vector<std::int64_t> words(static_cast<std::size_t>(record.window(rows()) - record.request()));
        const auto at = [&](std::int64_t place) { return words.data() + (place - record.request()); };
        *at(record.resume()) = word(record.request());
        std::copy_n(exit_state.data() + record.left(), record.loops, at(record.resume() + 1));
        std::memcpy(at(record.window(0)), windows_.data(), windows_.size() * sizeof(TapeWindow));
        give(device_, kernel_.memory + 8 * record.request(), words);
    }

  private:
    std::int64_t rows() const { return static_cast<std::int64_t>(windows_.size()); }
    TapeWindow& window(std::size_t step, std::size_t row) { return windows_[firsts_[step] + row]; }
    bool reads(std::size_t step) const { return kernel_.steps[step].what == TapeWork::get; }

    /// A window that must be moved. It must contain the array at `index` of its tape.
    struct Move {
        std::size_t step;
        std::size_t row;
        std::int64_t index;
    };

    void move_windows(std::size_t step, const std::vector<std::int64_t>& indices, std::vector<std::uint64_t>& handles) {
        std::vector<Move> makes;
        std::vector<Move> finds;
        const auto add = [&](const Move& move) { (reads(move.step) ? finds : makes).push_back(move); };
        for (std::size_t row = 0; row < handles.size(); ++row) {
            TapeWindow& own = window(step, row);
            const std::int64_t index = indices[row];
            if (index < 0 || (reads(step) && handles[row] == 0)) continue; // the kernel needs no window
            const bool same_tape = own.handle == handles[row] && own.first != own.end;
            if (same_tape && own.arrays != nullptr && own.first <= index && index < own.end) continue;
            add({step, row, index});
            if (same_tape)
                for (const std::size_t other : other_steps_of_group(step, row, index)) add({other, row, index});
            own.handle = handles[row];
        }
        for (const Move& move : makes) {
            TapeWindow& made = window(move.step, move.row);
            show(made,
                 tape_of(tapes_, kernel_.lane, kernel_.steps[move.step].batch, made.handle).make_around(move.index));
            if (move.step == step) handles[move.row] = made.handle;
        }
        if (!makes.empty()) forget_missing();
        for (const Move& move : finds) {
            TapeWindow& found = window(move.step, move.row);
            show(found, tape_of(tapes_, kernel_.lane, kernel_.steps[move.step].batch, found.handle).around(move.index));
        }
    }

    static void show(TapeWindow& window, const Tape::Run& run) {
        window = {window.handle, run.first, run.end, run.arrays};
    }

    /// The other steps of the group of `step` whose window for tape `row` is open but does not contain the index.
    std::vector<std::size_t> other_steps_of_group(std::size_t step, std::size_t row, std::int64_t index) {
        std::vector<std::size_t> others;
        for (std::size_t other = 0; other < kernel_.steps.size(); ++other) {
            if (other == step || kernel_.steps[other].group != kernel_.steps[step].group) continue;
            const TapeWindow& its = window(other, row);
            if (its.first != its.end && !(its.first <= index && index < its.end)) others.push_back(other);
        }
        return others;
    }

    /// Closes the windows that show missing arrays, since these arrays may exist now.
    void forget_missing() {
        for (TapeWindow& window : windows_)
            if (window.arrays == nullptr) window.end = window.first;
    }

    Device* device_;
    Tapes& tapes_;
    const TapeKernel& kernel_;
    std::vector<TapeWindow> windows_;
    std::vector<std::size_t> firsts_; ///< for each step, its first window
};

} // namespace

bool run_with_tapes(PmCall* call, CallState& state, const TapeKernel& kernel, const std::function<void()>& launch,
                    std::span<std::int64_t> exit_state) {
    Windows windows(call, state, kernel);
    for (;;) {
        launch();
        const void* words = pm_gpu_read(call, kernel.memory, static_cast<std::int64_t>(exit_state.size_bytes()));
        if (words == nullptr) return false;
        std::memcpy(exit_state.data(), words, exit_state.size_bytes());
        pm_gpu_end(call);
        if (CallState::abandoned(call)) return false;
        const auto checks = exit_state.subspan(static_cast<std::size_t>(kernel.record.loops),
                                               static_cast<std::size_t>(kernel.record.checks));
        const bool failed = std::any_of(checks.begin(), checks.end(), [](std::int64_t least) { return least >= 0; });
        if (failed || exit_state[static_cast<std::size_t>(kernel.record.request())] == 0) return true;
        windows.open(exit_state);
    }
}

std::vector<std::int64_t> tape_kernel_attributes(const TapeKernel& kernel) {
    std::vector<std::int64_t> numbers{kernel.record.loops, kernel.record.checks,
                                      static_cast<std::int64_t>(kernel.steps.size())};
    for (const TapesOfKernel& step : kernel.steps)
        numbers.insert(numbers.end(), {static_cast<std::int64_t>(step.what), step.batch.count, step.batch.elements,
                                       static_cast<std::int64_t>(step.batch.dtype), step.group});
    return numbers;
}

TapeKernel tape_kernel(const std::int64_t* attributes) {
    TapeKernel kernel;
    kernel.record = {attributes[0], attributes[1]};
    for (const std::int64_t* at = attributes + 3; at != attributes + 3 + 5 * attributes[2]; at += 5)
        kernel.steps.push_back({static_cast<TapeWork>(at[0]), {at[1], at[2], static_cast<DType>(at[3])}, at[4]});
    return kernel;
}

} // namespace pm::runtime
