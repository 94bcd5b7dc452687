#pragma once
#include "runtime/abi.h"
#include "runtime/gpu/device/device.hpp"
#include "runtime/gpu/device/thread.h"
#include "runtime/gpu/host/host_copies.hpp"
#include "runtime/gpu/host/library_calls.hpp"
#include "runtime/memory/allocator.hpp"
#include "runtime/tape.hpp"
#include "runtime/workers.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pm::runtime {

/// Bits of PmCall::stop. A failed check alone leaves the other lanes running to the end of their phase, so
/// that the least failure is found whatever the timing; the others (`abandon`) end everything at the next
/// poll.
enum StopBits : std::int32_t {
    stop_failed = 1,
    stop_cancelled = 2,
    stop_deadline = 4,
    stop_memory = 8,
    stop_thrown = 16
};
constexpr std::int32_t abandon = stop_cancelled | stop_deadline | stop_memory | stop_thrown;

/// A check that failed: the least by (site, lane, element).
struct CheckFailure {
    std::int64_t site = 0;
    std::int64_t lane = 0;
    std::int64_t element = 0;
    std::string text; ///< what CallOptions::format makes of the check's message
};

/// Why a call ended.
enum class CallStatus : std::uint8_t { done, check_failed, cancelled, deadline, memory_limit };

struct CallResult {
    CallStatus status = CallStatus::done;
    CheckFailure failure;  ///< of check_failed
    std::int32_t code = 0; ///< what the entry returned
    explicit operator bool() const { return status == CallStatus::done; }
};

/// What a host may set for its calls; shared by all calls of an engine and read while they run.
struct CallOptions {
    Workers* workers = nullptr;                      ///< null: everything on the calling thread
    std::shared_ptr<const std::atomic<bool>> cancel; ///< the host sets it from any thread or a signal handler
    std::optional<std::chrono::steady_clock::time_point> deadline;
    std::shared_ptr<Allocator> allocator; ///< for the arena and for what grows while running
    std::int64_t lanes = 1;
    std::shared_ptr<Tapes> tapes; ///< of a program that uses tapes
    /// Of a program whose kernels run on a GPU: arguments, results, constants and the arena are its memory, and
    /// everything runs on the calling thread, but for lanes on several GPUs. Null: the host's memory.
    std::shared_ptr<Device> device;
    std::span<void* const> kernels;        ///< what pm_gpu_launch() numbers; of the emulated GPU functions
    LibraryCalls* library_calls = nullptr; ///< where it is counted what libraries of the device compute, if anywhere
    /// Appends what print or check `site` says; `pointers` are its values as dense arrays. Given by the compiler.
    /// Called from several threads, for different lanes.
    std::function<void(std::string& out, std::int64_t site, std::int64_t lane, const void* const* pointers)> format;
    /// Where printed text goes; called by one thread at a time. Null: nowhere.
    std::function<void(std::string_view)> output;
    /// Bytes of printed text that lanes may hold back between two flushes. More ends the call by
    /// Failure(memory_limit).
    std::size_t most_text = std::size_t{256} << 20;
};

/// The runtime's side of one running call; PmCall::state points at it. Everything but run() and the
/// constructor may be called from any worker of the call.
class CallState {
  public:
    /// `options` outlives the state.
    explicit CallState(const CallOptions& options);
    explicit CallState(CallOptions&&) = delete;

    /// Runs a program's entry once: makes the PmCall and the arena, runs, gives out the text still held back,
    /// says why it ended. An exception from `format` or `output` comes out here. Failure(memory_limit) when the
    /// arena does not fit or lanes printed more than `most_text`.
    CallResult run(PmEntry entry, std::span<void* const> arguments, std::span<void* const> results,
                   std::span<const void* const> constants, std::size_t arena_bytes);
    /// The same in an arena of the caller's: aligned to 64 and large enough, for a program that is called again
    /// and again. With a device the arena is that's.
    CallResult run_in(PmEntry entry, std::span<void* const> arguments, std::span<void* const> results,
                      std::span<const void* const> constants, char* arena);

    static CallState& of(PmCall* call) { return *static_cast<CallState*>(call->state); }
    const CallOptions& options() const { return options_; }
    /// The device, as what runs with `call` sees it; null without one.
    Device* device(const PmCall* call) const { return call->seat == 0 ? options_.device.get() : &seat(call).device; }
    /// Copies of the device's memory for what the host does; null without a device.
    HostCopies* host_copies(const PmCall* call) {
        if (call->seat != 0) return &seat(call).copies;
        return host_copies_ ? &*host_copies_ : nullptr;
    }
    /// Whether a library of the device's has done a step of the program: that is counted.
    bool by_library(DeviceLibrary library, bool done) const {
        if (done && options_.library_calls != nullptr) options_.library_calls->add(library);
        return done;
    }
    /// Runs fn(call, lane, frame) for all lanes of a program with a device: of several GPUs by a worker for each, which
    /// has a PmCall of its own.
    void run_lanes(PmCall* call, std::int64_t lanes, PmChunk fn, void* frame);

    std::int32_t poll(PmCall* call);
    /// Whether the call is to be left; asks the host too. Never without one.
    static bool abandoned(PmCall* call) { return call != nullptr && (of(call).poll(call) & abandon) != 0; }
    /// Asks that, for who does so again and again while he waits: `leave` of Device and its libraries.
    static auto leave(PmCall* call) {
        return [call] { return abandoned(call); };
    }
    void check_failed(PmCall* call, CheckFailure failure, const void* const* pointers);
    void print(PmCall* call, std::int64_t site, std::int64_t lane, const void* const* pointers);
    void flush(PmCall* call);
    /// Ends the call: `why` is one of the abandon bits. An exception is kept for run() to throw.
    void abandon_call(PmCall* call, StopBits why, std::exception_ptr thrown = {});
    /// The same for the exception that is being handled: the memory limit is no exception to the host.
    void abandon_for_exception(PmCall* call) noexcept;
    /// What kernels of the device read to know whether the call is to be left. The call is over when they are.
    const void* stop_word(PmCall* call);

  private:
    CallResult result(const PmCall& call, std::int32_t code);
    void submit(PmCall* call);
    void end_device_work(PmCall* call);

    /// Who runs the lanes of one of several GPUs.
    struct Seat {
        Seat(Device& one, const std::shared_ptr<Allocator>& allocator) : device(one), copies(one, allocator) {}
        Device& device;
        HostCopies copies;
        PmCall call{};
        std::int64_t first = 0; ///< of its lanes
        std::int64_t last = 0;
    };
    Seat& seat(const PmCall* call) const { return *seats_[static_cast<std::size_t>(call->seat) - 1]; }
    void share_out(std::int64_t lanes);

    const CallOptions& options_;
    std::optional<HostCopies> host_copies_;
    std::vector<std::unique_ptr<Seat>> seats_; // made before their lanes begin
    PmCall* call_ = nullptr;                   // of run_in
    std::mutex mutex_;                         // guards what follows
    bool failed_ = false;
    CheckFailure failure_;
    std::exception_ptr thrown_;
    std::vector<std::string> texts_; // by lane
    std::size_t held_ = 0;           // bytes in them
    Charge held_text_;               // what they count in the account
    std::unique_ptr<Stop> stop_;
};

/// Reads and sets bits of `stop` while other threads do the same.
inline std::int32_t read_stop(const PmCall* call) { return __atomic_load_n(&call->stop, __ATOMIC_ACQUIRE); }
inline void set_stop(PmCall* call, std::int32_t bits) { __atomic_fetch_or(&call->stop, bits, __ATOMIC_ACQ_REL); }

/// `work` with the state of the call, for what compiled code calls: an exception ends the call, and the result is null.
template <class Work>
auto guarded(PmCall* call, const Work& work) -> decltype(work(CallState::of(call))) {
    CallState& state = CallState::of(call);
    try {
        return work(state);
    } catch (...) {
        state.abandon_for_exception(call);
        return decltype(work(state))();
    }
}

/// The functions of symbols.def, for the linker of the JIT.
struct Symbol {
    std::string_view name;
    void* address;
};
std::span<const Symbol> symbols();

} // namespace pm::runtime

extern "C" {
#define SYMBOL(name, result, arguments) result name arguments;
#include "runtime/symbols.def"
#undef SYMBOL
}
