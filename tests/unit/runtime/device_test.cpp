// Arrays and calls on a device with separate memory.
#include "runtime/array.hpp"
#include "runtime/call.hpp"
#include "runtime/failure.hpp"
#include "runtime/gpu/device/cancellation_flags.hpp"
#include "runtime/gpu/device/thread.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <thread>
#include <vector>

using namespace pm::runtime;

namespace {

/// A device whose addresses are invalid on the host.
class SeparateDevice : public Device {
  public:
    explicit SeparateDevice(std::size_t bytes = std::size_t{1} << 16) : memory_(bytes) {}
    std::string name() const override { return "apart"; }
    std::string architecture() const override { return "sm_80"; }
    std::size_t memory() const override { return memory_.size(); }
    std::size_t free_memory() const override {
        std::size_t used = 0;
        for (const auto& [begin, bytes] : taken_) used += bytes;
        return memory_.size() - used;
    }
    std::byte* allocate(std::size_t bytes) override {
        const std::size_t wanted = (std::max<std::size_t>(bytes, 1) + 255) / 256 * 256;
        std::size_t at = 0;
        for (const auto& [begin, size] : taken_) {
            if (begin - at >= wanted) break;
            at = begin + size;
        }
        if (at + wanted > memory_.size()) throw Failure(FailureKind::out_of_memory, "full");
        taken_[at] = wanted;
        ++blocks;
        return base() + at;
    }
    void release(std::byte* block) noexcept override {
        if (block == nullptr) return;
        --blocks;
        taken_.erase(static_cast<std::size_t>(block - base()));
    }
    void trim() override {} // there is no cache
    void upload(std::byte* to, const void* from, std::size_t bytes) override {
        std::memcpy(own(to), from, bytes);
        ++uploads;
        uploaded += bytes;
    }
    void download(void* to, const std::byte* from, std::size_t bytes) override {
        if (fails) throw Failure(FailureKind::device_failed, "gone");
        std::memcpy(to, own(from), bytes);
        ++downloads;
    }
    void copy(std::byte* to, const std::byte* from, std::size_t bytes) override {
        std::memcpy(own(to), own(from), bytes);
    }
    void clear(std::byte* to, std::size_t bytes) override { std::memset(own(to), 0, bytes); }
    void store(std::byte* to, std::uint64_t value, int width) override {
        std::memcpy(own(to), &value, static_cast<std::size_t>(width));
        ++stores;
    }
    /// Adds 1 to an f32 of the buffer for each thread. A launch that polls ends only when the stop flag of the launch
    /// is set.
    void launch(const Launch& l) override {
        if (l.stop != nullptr)
            while (__atomic_load_n(static_cast<const std::int32_t*>(l.stop), __ATOMIC_ACQUIRE) == 0)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
        auto* value = reinterpret_cast<float*>(own(static_cast<std::byte*>(l.buffers[0])));
        for (std::int64_t i = 0; i < l.blocks * l.threads; ++i) value[i] += 1;
    }
    std::unique_ptr<Stop> stop_when(std::function<bool()> condition) override {
        return stops_.when(std::move(condition));
    }
    bool make_room(const std::function<bool()>& leave) override { return !full || !leave(); }
    void wait_for(const Stop&) override { ++waits_for_kernels; }
    void wait() override { ++waits; }
    std::shared_ptr<const Kernels> load(const std::string&, std::int64_t) override { return {}; }

    std::size_t uploaded = 0;
    int blocks = 0, uploads = 0, downloads = 0, stores = 0, waits = 0, waits_for_kernels = 0;
    bool fails = false, full = false;

  private:
    std::byte* base() const { return reinterpret_cast<std::byte*>(std::uintptr_t{1} << 62); }
    std::byte* own(const std::byte* address) { return memory_.data() + (address - base()); }
    std::vector<std::byte> memory_;
    std::map<std::size_t, std::size_t> taken_; ///< offset and size of each block
    std::array<std::int32_t, 2> words_{};
    CancellationFlags stops_{words_};
};

/// A device of two GPUs, each of which runs half of the lanes.
class TwoGpuDevice final : public SeparateDevice {
  public:
    Device& of_lane(std::int64_t lane, std::int64_t lanes) override {
        return lane < 0 ? static_cast<Device&>(*this) : halves[static_cast<std::size_t>(lane * 2 / lanes)];
    }
    std::array<SeparateDevice, 2> halves;
};

Array numbers(std::initializer_list<float> values) {
    return Array::from_values(DType::f32, {static_cast<std::int64_t>(values.size())}, std::vector<float>(values));
}

} // namespace

TEST_CASE("an array is copied to a device once, and back once") {
    const auto device = std::make_shared<SeparateDevice>();
    const Array a = numbers({1, 2, 3, 4});
    void* address = a.device_data(device);
    CHECK(a.rows(1, 3).device_data(device) == static_cast<std::byte*>(address) + 4);
    CHECK(device->uploads == 1);
    Array result = Array::on_device(DType::f32, {4}, device);
    device->copy(static_cast<std::byte*>(result.mutable_device_data(device)), static_cast<std::byte*>(address), 16);
    CHECK(device->downloads == 0);
    CHECK(identical(result, a));
    CHECK(result.at(2).as_f64() == 3);
    CHECK(device->downloads == 1);
}

TEST_CASE("a wait for an array whose value is only on a device waits for the device") {
    const auto device = std::make_shared<SeparateDevice>();
    const Array result = Array::on_device(DType::f32, {4}, device);
    result.wait();
    CHECK(device->waits == 1);
    static_cast<void>(result.data());
    result.wait();
    numbers({1, 2}).wait();
    CHECK(device->waits == 1);
}

TEST_CASE("a change on the host is visible on the device and vice versa, but not in other arrays") {
    const auto device = std::make_shared<SeparateDevice>();
    Array a = numbers({1, 2});
    static_cast<void>(a.device_data(device));
    const Array before = a;
    a.mutable_as<float>()[0] = 5; // copies the array, because `before` shares the buffer
    CHECK(before.as_f64(0) == 1);
    static_cast<void>(a.device_data(device));
    a.mutable_as<float>()[1] = 6;
    Array moved = Array::on_device(DType::f32, {2}, device);
    device->copy(static_cast<std::byte*>(moved.mutable_device_data(device)),
                 static_cast<std::byte*>(a.device_data(device)), 8);
    CHECK(identical(moved, numbers({5, 6})));

    Array written = moved;
    const float nine = 9;
    device->upload(static_cast<std::byte*>(written.mutable_device_data(device)), &nine, 4);
    CHECK(identical(written, numbers({9, 6})));
    CHECK(identical(moved, numbers({5, 6})));
    device->upload(static_cast<std::byte*>(written.mutable_device_data(device)) + 4, &nine, 4);
    CHECK(identical(written, numbers({9, 9})));
}

TEST_CASE("of a view of an array on the host, only the part of the view is copied to a device") {
    const auto device = std::make_shared<SeparateDevice>(std::size_t{8} << 20);
    const std::int64_t rows = 16, row = 16 << 10; // 64 KB each, 1 MB in total
    Array a = Array::zeros(DType::f32, {rows, row});
    for (std::int64_t i = 0; i < rows; ++i) a.mutable_as<float>()[i * row] = static_cast<float>(i);
    const auto brought = [&](std::int64_t i) {
        const Array part = a.at(i).brought_to(device, 16);
        CHECK(part.as_f64(0) == a.as_f64(i * row));
        return part;
    };
    // The second use of a slice does not copy it again.
    static_cast<void>(brought(3));
    static_cast<void>(brought(3));
    CHECK(device->uploads == 1);
    CHECK(device->uploaded == 4 * row);
    // When the total size of the copied parts has reached the size of the array, the whole array is copied, and the
    // parts are released.
    for (int iteration = 0; iteration < 3; ++iteration)
        for (std::int64_t i = 0; i < rows; ++i) static_cast<void>(brought(i));
    CHECK(device->uploaded < 2 * static_cast<std::size_t>(a.bytes()));
    CHECK(device->blocks == 1);
    CHECK(a.at(2).brought_to(device, 16).same_memory(a.at(2)));
    // A change by the host releases the device copy; an array that refers to a part has the old value.
    a.mutable_as<float>()[5 * row] = 50;
    CHECK(device->blocks == 0);
    const Array before = brought(5);
    a.mutable_as<float>()[5 * row] = 51;
    CHECK(before.as_f64(0) == 50);
    CHECK(brought(5).as_f64(0) == 51);
    // A change of one array that refers to a part does not change other arrays.
    Array mine = brought(5);
    device->store(static_cast<std::byte*>(mine.mutable_device_data(device)), 0, 4);
    CHECK(mine.as_f64(0) == 0);
    CHECK(brought(5).as_f64(0) == 51);
    CHECK(a.as_f64(5 * row) == 51);
    a = Array();
    CHECK(device->blocks == 2); // the blocks of `before` and `mine`
}

TEST_CASE("rows are copied separately if a device has no room for the whole array") {
    const auto device = std::make_shared<SeparateDevice>(std::size_t{2} << 20);
    const std::int64_t rows = 40, row = 16 << 10; // 2.5 MB
    const Array a = Array::zeros(DType::f32, {rows, row});
    for (int iteration = 0; iteration < 3; ++iteration)
        for (std::int64_t i = 0; i < rows; ++i) {
            static_cast<void>(a.at(i).brought_to(device, 16));
            CHECK(device->free_memory() >= device->memory() * 3 / 4);
        }
    CHECK(device->blocks <= 2);
    // A part with one user can be written in place.
    Array last = a.at(7).brought_to(device, 16);
    CHECK(!last.unique());
    Array only_owner = Array::zeros(DType::f32, {2, row});
    only_owner = only_owner.at(1).brought_to(device, 16);
    CHECK(only_owner.unique());
}

TEST_CASE("a part that does not begin at an aligned address is copied") {
    const auto device = std::make_shared<SeparateDevice>();
    const Array a = numbers({1, 2, 3, 4, 5, 6, 7, 8});
    const auto begin = [&](const Array& x) { return reinterpret_cast<std::uintptr_t>(x.device_data(device)) % 16; };
    const Array part = a.rows(3, 5).brought_to(device, 16);
    CHECK(begin(part) == 0);
    CHECK(identical(part, numbers({4, 5})));
    static_cast<void>(a.device_data(device));
    const Array copied = a.rows(3, 5).brought_to(device, 16);
    CHECK(begin(copied) == 0);
    CHECK(identical(copied, numbers({4, 5})));
    CHECK(a.rows(4, 8).brought_to(device, 16).same_memory(a.rows(4, 8)));
}

TEST_CASE("an array whose value is only on a device is copied on the device") {
    const auto device = std::make_shared<SeparateDevice>();
    Array a = Array::on_device(DType::f32, {2}, device);
    const std::array<float, 2> values{7, 8};
    device->upload(static_cast<std::byte*>(a.mutable_device_data(device)), values.data(), 8);
    const Array copy = a.clone();
    CHECK(device->downloads == 0);
    device->store(static_cast<std::byte*>(a.mutable_device_data(device)), 0, 4);
    CHECK(identical(copy, numbers({7, 8})));
    CHECK(a.as_f64(0) == 0);
}

TEST_CASE("memory of a device is released, also if the array is then copied to another device") {
    const auto device = std::make_shared<SeparateDevice>();
    const auto other = std::make_shared<SeparateDevice>();
    {
        Array a = Array::on_device(DType::f32, {2}, device);
        const std::array<float, 2> values{7, 8};
        device->upload(static_cast<std::byte*>(a.mutable_device_data(device)), values.data(), 8);
        static_cast<void>(a.device_data(other));
        CHECK(device->blocks == 0);
        CHECK(other->blocks == 1);
        CHECK(identical(a, numbers({7, 8})));
    }
    CHECK(other->blocks == 0);
    const auto full = [&] { return Array::on_device(DType::f32, {1 << 20}, device); };
    CHECK_THROWS_AS(full(), Failure);
}

TEST_CASE("a call accesses the memory of its device through copies; a failure of the device ends the call") {
    const auto device = std::make_shared<SeparateDevice>();
    std::array<void*, 1> kernels{nullptr};
    CallOptions options;
    options.device = device;
    options.kernels = kernels;
    const PmEntry entry = [](PmCall* call) -> std::int32_t {
        pm_gpu_store(call, call->arena, 0, 4);
        void* const buffers[] = {call->arguments[0]};
        pm_gpu_launch(call, 0, 1, 2, 0, 1, buffers, nullptr);
        const auto* read = static_cast<const float*>(pm_gpu_read(call, call->arguments[0], 8));
        auto* written = static_cast<float*>(pm_gpu_write(call, call->results[0], 8, 1));
        if (read == nullptr || written == nullptr) return 1;
        written[0] = read[1];
        written[1] = read[0];
        pm_gpu_end(call);
        // A write that leaves a part of the value unchanged first reads the value.
        auto* changed = static_cast<float*>(pm_gpu_write(call, call->results[0], 8, 0));
        if (changed == nullptr) return 1;
        changed[0] += 10;
        pm_gpu_end(call);
        return 0;
    };
    Array a = numbers({1, 2});
    Array result = Array::on_device(DType::f32, {2}, device);
    std::array<void*, 1> in{a.mutable_device_data(device)}, out{result.mutable_device_data(device)};
    CallState state(options);
    CHECK(state.run(entry, in, out, {}, 64));
    CHECK(device->downloads == 2); // a buffer that is overwritten completely is not downloaded
    CHECK(identical(result, numbers({13, 2})));
    CHECK(device->blocks == 2); // the arena was released

    device->fails = true;
    CallState failing(options);
    CHECK_THROWS_AS(failing.run(entry, in, out, {}, 64), Failure);
    CHECK(device->blocks == 2);
}

TEST_CASE("an unfinished change by the host is not copied to a device") {
    const auto device = std::make_shared<SeparateDevice>();
    CallOptions options;
    options.device = device;
    Array result = numbers({1, 2});
    std::array<void*, 1> out{result.mutable_device_data(device)};
    CallState state(options);
    PmCall call{nullptr, out.data(), nullptr, nullptr, 0, 0, &state};
    REQUIRE(pm_gpu_write(&call, out[0], 8, 1) != nullptr);
    state.abandon_call(&call, stop_cancelled);
    pm_gpu_end(&call);
    CHECK(identical(result, numbers({1, 2})));
}

TEST_CASE("long-running kernels are requested to end when the call is cancelled") {
    const auto device = std::make_shared<SeparateDevice>();
    const auto cancel = std::make_shared<std::atomic<bool>>(false);
    CallOptions options;
    options.device = device;
    options.cancel = cancel;
    std::array<void*, 1> kernels{nullptr};
    options.kernels = kernels;
    for (int iteration = 0; iteration < 3; ++iteration) { // each iteration uses a stop flag again
        *cancel = false;
        const std::jthread host([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            *cancel = true;
        });
        void* arguments[] = {device->allocate(4)};
        CallState state(options);
        const CallResult result = state.run(
            [](PmCall* call) -> std::int32_t {
                pm_gpu_launch(call, 0, 1, 1, PM_SYNC_GRID_AND_POLL, 1, call->arguments, nullptr);
                return 0;
            },
            arguments, {}, {}, 0);
        CHECK(result.status == CallStatus::cancelled);
        CHECK(device->waits_for_kernels == iteration + 1);
    }
    CHECK(device->waits == 0); // the call does not wait for work that others queued later
    std::array<std::int32_t, 1> words{};
    CancellationFlags few{words};
    const auto one = few.when([] { return false; });
    CHECK_THROWS_AS(few.when([] { return false; }), Failure);
}

TEST_CASE("a call that waits for room for a launch ends at its deadline") {
    const auto device = std::make_shared<SeparateDevice>();
    device->full = true;
    CallOptions options;
    options.device = device;
    options.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
    std::array<void*, 1> kernels{nullptr};
    options.kernels = kernels;
    CallState state(options);
    Array a = numbers({1, 2});
    void* arguments[] = {a.mutable_device_data(device)};
    PmCall call{arguments, nullptr, nullptr, nullptr, 0, 0, &state};
    pm_gpu_launch(&call, 0, 1, 2, 0, 1, arguments, nullptr);
    CHECK(read_stop(&call) == stop_deadline);
    CHECK(identical(a, numbers({1, 2}))); // the kernel was not launched
    // Later kernels are not launched either, even if there is room again.
    device->full = false;
    arguments[0] = a.mutable_device_data(device);
    pm_gpu_launch(&call, 0, 1, 2, 0, 1, arguments, nullptr);
    CHECK(identical(a, numbers({1, 2})));
}

TEST_CASE("one worker for each GPU runs the lanes of several GPUs, with a separate PmCall") {
    const auto device = std::make_shared<TwoGpuDevice>();
    Workers workers(2);
    CallOptions options;
    options.device = device;
    options.format = [](std::string& out, std::int64_t, std::int64_t lane, const void* const*) {
        out += std::to_string(lane);
    };
    std::string printed;
    options.output = [&](std::string_view text) { printed += text; };
    const PmEntry entry = [](PmCall* call) -> std::int32_t {
        const PmChunk lane = [](PmCall* own, std::int64_t number, void* whole) {
            if (own == whole || own->seat != 1 + number / 2) return;
            pm_print(own, 0, number, nullptr);
            pm_gpu_store(own, own->arguments[0], 0, 4);
            if (number % 2 == 1) pm_check_failed(own, 0, number, 0, nullptr, 0, nullptr);
            static_cast<void>(pm_gpu_read(own, own->arguments[0], 4));
            pm_gpu_end(own);
        };
        pm_run(call, 4, lane, call);
        return read_stop(call);
    };
    Array a = numbers({1});
    for (Workers* const some : {static_cast<Workers*>(nullptr), &workers}) {
        options.workers = some;
        std::array<void*, 1> in{a.mutable_device_data(device)};
        printed.clear();
        CallState state(options);
        const CallResult result = state.run(entry, in, {}, {}, 0);
        CHECK(result.status == CallStatus::check_failed);
        CHECK(result.failure.lane == 1);
        CHECK(printed == "0123");
    }
    CHECK(device->stores == 0);
    CHECK(device->halves[0].stores == 4);
    CHECK(device->halves[1].stores == 4);
    // An exception of one GPU ends the call.
    device->halves[1].fails = true;
    std::array<void*, 1> in{a.mutable_device_data(device)};
    CallState failing(options);
    CHECK_THROWS_AS(failing.run(entry, in, {}, {}, 0), Failure);
    CHECK(device->halves[1].stores == 5);
    // The stop flag of the whole call is set at once, so kernels of the other GPUs that poll the flag end.
    const PmEntry polling = [](PmCall* call) -> std::int32_t {
        const PmChunk lane = [](PmCall* own, std::int64_t number, void* whole) {
            if (number >= 2) return static_cast<void>(pm_gpu_read(own, own->arguments[0], 4));
            constexpr int most_iterations = 10000;
            const auto* const call_of_block = static_cast<const PmCall*>(whole);
            for (int iteration = 0; iteration < most_iterations && read_stop(call_of_block) == 0; ++iteration)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            CHECK(read_stop(call_of_block) != 0);
        };
        pm_run(call, 4, lane, call);
        return read_stop(call);
    };
    CallState waiting(options);
    CHECK_THROWS_AS(waiting.run(polling, in, {}, {}, 0), Failure);
}

TEST_CASE("the arrays of a tape are in the memory of a device") {
    const auto device = std::make_shared<SeparateDevice>();
    const auto at = [&](const Tape& tape, std::int64_t index) {
        std::array<float, 2> values{};
        device->download(values.data(), tape.find(index), sizeof values);
        return values;
    };
    {
        Tape tape(DType::f32, 2, nullptr, device);
        Tape other(DType::f32, 2, nullptr, device);
        for (const std::int64_t i : {0, 5, 2}) {
            const std::array<float, 2> values{static_cast<float>(i), 1};
            device->upload(tape.at(i), values.data(), sizeof values);
            device->upload(other.at(i + 1), values.data(), sizeof values);
        }
        CHECK(device->downloads == 0);
        CHECK(at(tape, 5) == std::array<float, 2>{5, 1});
        CHECK(at(tape, 4) == std::array<float, 2>{0, 0}); // not written
        CHECK(tape.find(7) == nullptr);
        tape.add(other);
        CHECK(at(tape, 5) == std::array<float, 2>{5, 1});
        CHECK(at(tape, 6) == std::array<float, 2>{5, 1});
        CHECK(at(tape, 1) == std::array<float, 2>{0, 1});
        CHECK(at(tape, 3) == std::array<float, 2>{2, 1});
        CHECK(device->blocks > 0);
    }
    CHECK(device->blocks == 0);
}
