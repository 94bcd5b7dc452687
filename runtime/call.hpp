#pragma once
#include "runtime/abi.h"
#include "runtime/gpu/device/device.hpp"
#include "runtime/gpu/device/thread.h"
#include "runtime/gpu/host/host_copies.hpp"
#include "runtime/gpu/host/library_calls.hpp"
#include "runtime/memory/allocator.hpp"
#include "runtime/memory/tape.hpp"
#include "runtime/processes/lane_exchange.hpp"
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
#include <tuple>
#include <vector>

namespace pm::runtime {

/// Bits of PmCall::stop. If only `stop_failed` is set, the other lanes run to the end of their phase. So the reported
/// failure does not depend on timing. The bits of `abandon` end all work at the next poll.
enum StopBits : std::int32_t {
    stop_failed = 1,
    stop_cancelled = 2,
    stop_deadline = 4,
    stop_memory = 8,
    stop_thrown = 16
};
constexpr std::int32_t abandon = stop_cancelled | stop_deadline | stop_memory | stop_thrown;

/// The failed check that is reported: the one with the least (phase, site, lane, element).
struct CheckFailure {
    std::int64_t site = 0;
    std::int64_t lane = 0;
    std::int64_t element = 0;
    std::vector<std::int64_t> iterations; ///< the indices of the loops around the check, outermost first
    std::string text;                     ///< formatted by CallOptions::format from the check's message
    std::int64_t phase = 0; ///< in a call of several processes: the number of `lanes` steps that ended before
    /// Whether this failure is reported rather than `other`.
    bool before(const CheckFailure& other) const {
        return std::tuple(phase, site, lane, element) < std::tuple(other.phase, other.site, other.lane, other.element);
    }
};

/// Why a call ended.
enum class CallStatus : std::uint8_t { done, check_failed, cancelled, deadline, memory_limit };

struct CallResult {
    CallStatus status = CallStatus::done;
    CheckFailure failure;  ///< set if `status` is check_failed
    std::int32_t code = 0; ///< the return value of the entry
    explicit operator bool() const { return status == CallStatus::done; }
};

/// The options that a host sets for its calls. All calls of an engine share one object and read it while they run.
struct CallOptions {
    Workers* workers = nullptr; ///< null: all work runs on the calling thread
    /// If the value is true, calls end. The host may set the value from any thread or signal handler.
    std::shared_ptr<const std::atomic<bool>> cancel;
    std::optional<std::chrono::steady_clock::time_point> deadline;
    std::shared_ptr<Allocator> allocator; ///< for the arena and for memory that the call needs while it runs
    std::shared_ptr<Tapes> tapes;         ///< must be set if the program uses tapes
    /// The GPU on which the kernels of the program run. Arguments, results, constants and the arena are then in the
    /// GPU's memory. The CPU's work for the call then runs on the calling thread, except the work for lanes on several
    /// GPUs. Null: the kernels run on the CPU, and the arguments and other buffers are in the memory of the CPU.
    std::shared_ptr<Device> device;
    std::span<void* const> kernels;        ///< indexed by `unit` of pm_gpu_launch(); for the emulated GPU, functions
    LibraryCalls* library_calls = nullptr; ///< counts the steps that libraries of the device compute; may be null
    /// Appends the text of the print or check `site` to `out`. `pointers` are the values in the text, as dense arrays.
    /// The compiler sets this function. Several threads call it at once, for different lanes.
    std::function<void(std::string& out, std::int64_t site, std::int64_t lane, const void* const* pointers)> format;
    /// Receives printed text; only one thread at a time calls the function. Null: the text is dropped.
    std::function<void(std::string_view)> output;
    /// The processes of the job, for a program of several processes. Null: one process runs all lanes.
    Processes* processes = nullptr;
    std::string place = {}; ///< of the program in messages of its processes: "`pmap`, train.pm:16"
    /// The place of a meeting of processes, for messages: "`psum`, train.pm:16". Set if `processes` is not null.
    std::function<std::string(std::int64_t site)> meeting_place;
    /// The most bytes of printed text that lanes may hold back between two flushes. If lanes print more, the call ends
    /// with Failure(memory_limit).
    std::size_t most_text = std::size_t{256} << 20;
};

/// The runtime's state of one running call; PmCall::state points to it. All workers of the call may use its functions,
/// except run(), run_in() and the constructor.
class CallState {
  public:
    /// `options` must outlive the state.
    explicit CallState(const CallOptions& options);
    explicit CallState(CallOptions&&) = delete;

    /// Runs a program's entry once. Creates the PmCall and the arena, runs the entry, outputs the printed text that is
    /// still held back, and returns why the call ended. Rethrows an exception from `format` or `output`. Throws
    /// Failure(memory_limit) if the arena exceeds the limit of the allocator, or if lanes have printed more than
    /// `most_text`.
    CallResult run(PmEntry entry, std::span<void* const> arguments, std::span<void* const> results,
                   std::span<const void* const> constants, std::size_t arena_bytes);
    /// As run(), but with an arena of the caller, for a program that is called repeatedly. The arena must be large
    /// enough and aligned to 64. If the options have a device, the arena is device memory.
    CallResult run_in(PmEntry entry, std::span<void* const> arguments, std::span<void* const> results,
                      std::span<const void* const> constants, char* arena);

    static CallState& of(PmCall* call) { return *static_cast<CallState*>(call->state); }
    const CallOptions& options() const { return options_; }
    /// The device that code with this `call` uses. If `call` belongs to a seat (see Seat), this is the GPU of the seat,
    /// otherwise the device of the options. Returns null if the options have no device.
    Device* device(const PmCall* call) const { return call->seat == 0 ? options_.device.get() : &seat(call).device; }
    /// Copies of device memory for steps that the CPU computes. Returns null if the options have no device.
    HostCopies* host_copies(const PmCall* call) {
        if (call->seat != 0) return &seat(call).copies;
        return host_copies_ ? &*host_copies_ : nullptr;
    }
    /// If `done` is true, counts a step of the program that a library of the device has computed. Returns `done`.
    bool by_library(DeviceLibrary library, bool done) const {
        if (done && options_.library_calls != nullptr) options_.library_calls->add(library);
        return done;
    }
    /// Runs fn(call, lane, frame) for all lanes of a program that runs on GPUs or on the emulated GPU. If there are
    /// several GPUs, one worker per GPU runs the GPU's lanes, with a separate PmCall.
    void run_lanes(PmCall* call, std::int64_t lanes, PmChunk fn, void* frame);

    std::int32_t poll(PmCall* call);
    /// Whether the call must end. Also polls the host's cancel flag and the deadline. Always false when `call` is null.
    static bool abandoned(PmCall* call) { return call != nullptr && (of(call).poll(call) & abandon) != 0; }
    /// A function object that returns abandoned(call). It is passed as the parameter `leave` to Device and its
    /// libraries, which poll it while they wait.
    static auto leave(PmCall* call) {
        return [call] { return abandoned(call); };
    }
    void check_failed(PmCall* call, CheckFailure failure, const void* const* pointers);
    void print(PmCall* call, std::int64_t site, std::int64_t lane, const void* const* pointers);
    /// Outputs the text that is held back. If lanes have run, the processes meet first, since a check may have failed.
    void flush(PmCall* call);
    /// Ends the call. `why` is one of the abandon bits. run() rethrows the first `thrown` that is not null.
    void abandon_call(PmCall* call, StopBits why, std::exception_ptr thrown = {});
    /// As abandon_call(), for the exception that is being handled. If the exception is Failure(memory_limit), the
    /// reason is stop_memory, and run() does not rethrow the exception.
    void abandon_for_exception(PmCall* call) noexcept;
    /// The address of a word that kernels of the device read. The word is set to a value other than 0 when the call
    /// must end. The address is valid until the call ends.
    const void* stop_word(PmCall* call);

    // In calls of several processes (call_meetings.cpp). Throw JobFailure.

    /// Runs fn(call, lane, frame) for the lanes of this process; see pm_run_own_lanes.
    void run_own_lanes(PmCall* call, const std::int64_t* first, PmChunk fn, void* frame);
    /// Meets the other processes and exchanges values of lanes. Returns false if the call must end.
    bool exchange(PmCall* call, const LaneExchange& exchange, void* const* buffers);
    /// Outputs the text of the lanes of all processes, in the order of lanes.
    void flush_lanes(PmCall* call);
    /// The site of the last meeting; nullopt if there was none.
    std::optional<std::int64_t> meeting_site() const { return meeting_site_; }

  private:
    CallResult result(const PmCall& call, std::int32_t code);
    void submit(PmCall* call);
    void end_device_work(PmCall* call);

    /// The state of the worker that runs the lanes of one of several GPUs.
    struct Seat {
        Seat(Device& one, const std::shared_ptr<Allocator>& allocator) : device(one), copies(one, allocator) {}
        Device& device;
        HostCopies copies;
        PmCall call{};
        std::int64_t first = 0; ///< the first lane of the GPU; `last` is one past its last lane
        std::int64_t last = 0;
    };
    std::optional<std::vector<Reply>> meet(PmCall* call, Meeting meeting, std::string_view payload = {});
    void share_failures(PmCall* call, const std::vector<Reply>& replies, std::string_view own);
    bool gather_tapes(PmCall* call, const LaneExchange& exchange, const Meeting& meeting, char* handles);
    void end_meeting(PmCall* call);
    void output_held(PmCall* call);
    std::string take_held();

    Seat& seat(const PmCall* call) const { return *seats_[static_cast<std::size_t>(call->seat) - 1]; }
    void share_out(std::int64_t lanes);

    const CallOptions& options_;
    std::optional<HostCopies> host_copies_;
    std::vector<std::unique_ptr<Seat>> seats_; // created before the lanes start
    PmCall* call_ = nullptr;                   // set by run_in()
    std::mutex mutex_;                         // guards the members below
    bool failed_ = false;
    CheckFailure failure_;
    std::exception_ptr thrown_;
    std::vector<std::string> texts_; // by lane
    std::size_t held_ = 0;           // bytes in texts_
    Charge held_text_;               // the charge for the bytes in texts_
    std::unique_ptr<Stop> stop_;
    // Of calls of several processes. Only the calling thread uses them, outside of `lanes` steps.
    std::int64_t phase_ = 0;
    bool lanes_since_meeting_ = false;
    bool failure_shared_ = false; ///< true: all processes know `failure_`, and end the call without further meetings
    std::optional<std::int64_t> meeting_site_;
};

/// Throws Failure(memory_limit), because lanes have printed more than `most` bytes.
[[noreturn]] void refuse_text(std::size_t most);

/// Atomic read and update of `stop`: other threads may read and set its bits at the same time.
inline std::int32_t read_stop(const PmCall* call) { return __atomic_load_n(&call->stop, __ATOMIC_ACQUIRE); }
inline void set_stop(PmCall* call, std::int32_t bits) { __atomic_fetch_or(&call->stop, bits, __ATOMIC_ACQ_REL); }

/// Runs `work` with the state of the call; for functions that compiled code calls. If `work` throws, abandons the call
/// and returns a value-initialized result: null, 0 or false.
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
