#include "runtime/call.hpp"

#include "runtime/failure.hpp"

#include <time.h>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace pm::runtime {
namespace {

/// The steady clock with a resolution of a few milliseconds. Reading it takes 5 ns; reading the exact clock takes 25
/// ns.
std::chrono::steady_clock::time_point coarse_now() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return std::chrono::steady_clock::time_point(std::chrono::seconds(now.tv_sec) +
                                                 std::chrono::nanoseconds(now.tv_nsec));
}

} // namespace

void refuse_text(std::size_t most) {
    throw Failure(FailureKind::memory_limit,
                  fmt::format("the lanes have printed more than {} bytes since they last met", most),
                  "text is held back until all lanes are there, to come out in their order: print less in loops "
                  "inside pmap");
}

CallState::CallState(const CallOptions& options) : options_(options), held_text_(options.allocator) {
    if (options.device) host_copies_.emplace(*options.device, options.allocator);
}

/// Creates one seat for each GPU that runs lanes. The lanes of a seat are consecutive.
void CallState::share_out(std::int64_t lanes) {
    seats_.clear();
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
        Device& device = options_.device->of_lane(lane, lanes);
        if (seats_.empty() || &seats_.back()->device != &device) {
            seats_.push_back(std::make_unique<Seat>(device, options_.allocator));
            seats_.back()->first = lane;
        }
        seats_.back()->last = lane + 1;
    }
}

void CallState::run_lanes(PmCall* call, std::int64_t lanes, PmChunk fn, void* frame) {
    if (lanes == 0 || !options_.device->is_several()) return Workers::run_here(call, lanes, fn, frame);
    try {
        share_out(lanes);
    } catch (...) {
        return abandon_call(call, stop_thrown, std::current_exception());
    }
    std::int32_t number = 0;
    for (const auto& seat : seats_)
        seat->call =
            PmCall{call->arguments, call->results, call->arena, call->constants, read_stop(call), ++number, this};
    const auto run = [&](std::int64_t one) {
        Seat& seat = *seats_[static_cast<std::size_t>(one)];
        for (std::int64_t lane = seat.first; lane < seat.last && !abandoned(&seat.call); ++lane)
            fn(&seat.call, lane, frame);
        submit(&seat.call);
    };
    const auto count = static_cast<std::int64_t>(seats_.size());
    if (options_.workers != nullptr)
        options_.workers->each(count, run);
    else
        for (std::int64_t i = 0; i < count; ++i) run(i);
    for (const auto& seat : seats_) set_stop(call, read_stop(&seat->call));
}

CallResult CallState::run(PmEntry entry, std::span<void* const> arguments, std::span<void* const> results,
                          std::span<const void* const> constants, std::size_t arena_bytes) {
    if (options_.device) {
        const DeviceScratch arena(options_.device, arena_bytes);
        return run_in(entry, arguments, results, constants, reinterpret_cast<char*>(arena.data()));
    }
    const Scratch arena(options_.allocator, arena_bytes);
    return run_in(entry, arguments, results, constants, reinterpret_cast<char*>(arena.data()));
}

CallResult CallState::run_in(PmEntry entry, std::span<void* const> arguments, std::span<void* const> results,
                             std::span<const void* const> constants, char* arena) {
    PmCall call{arguments.data(), results.data(), arena, constants.data(), 0, 0, this};
    std::int32_t code = 0;
    call_ = &call;
    if (poll(&call) == 0) code = entry(&call);
    end_device_work(&call);
    end_meeting(&call);
    output_held(&call);
    return result(call, code);
}

const void* CallState::stop_word(PmCall* call) {
    const std::scoped_lock lock(mutex_);
    // The condition of the stop word may be polled after the lanes have ended. The PmCall of a seat must then not be
    // used.
    PmCall* const whole = call->seat == 0 ? call : call_;
    if (!stop_) stop_ = options_.device->stop_when(leave(whole));
    return stop_->address();
}

/// Submits the work that the device has collected but not queued.
void CallState::submit(PmCall* call) {
    try {
        device(call)->submit(leave(call));
    } catch (...) {
        abandon_call(call, stop_thrown, std::current_exception());
    }
}

/// Waits for kernels that poll the stop word, since the word is freed at the end of the call.
void CallState::end_device_work(PmCall* call) {
    if (!options_.device) return;
    submit(call);
    try {
        if (stop_) options_.device->wait_for(*stop_);
    } catch (...) {
        abandon_call(call, stop_thrown, std::current_exception());
    }
    stop_.reset();
}

CallResult CallState::result(const PmCall& call, std::int32_t code) {
    const std::scoped_lock lock(mutex_);
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, {}));
    const std::int32_t stop = read_stop(&call);
    CallResult made;
    made.code = code;
    made.failure = failure_;
    if ((stop & stop_cancelled) != 0)
        made.status = CallStatus::cancelled;
    else if ((stop & stop_deadline) != 0)
        made.status = CallStatus::deadline;
    else if ((stop & stop_memory) != 0)
        made.status = CallStatus::memory_limit;
    else if (failed_)
        made.status = CallStatus::check_failed;
    return made;
}

std::int32_t CallState::poll(PmCall* call) {
    const std::int32_t stop = read_stop(call);
    if ((stop & abandon) != 0) return stop;
    if (options_.cancel && options_.cancel->load(std::memory_order_relaxed))
        set_stop(call, stop_cancelled);
    else if (options_.deadline && coarse_now() >= *options_.deadline)
        set_stop(call, stop_deadline);
    else
        return stop;
    return read_stop(call);
}

void CallState::check_failed(PmCall* call, CheckFailure failure, const void* const* pointers) {
    try {
        const std::scoped_lock lock(mutex_);
        failure.phase = phase_;
        if (failed_ && !failure.before(failure_)) return;
        // The text is formatted now, because the values are not valid after the call.
        if (options_.format) options_.format(failure.text, failure.site, failure.lane, pointers);
        failure_ = std::move(failure);
        failed_ = true;
        set_stop(call, stop_failed);
    } catch (...) {
        abandon_call(call, stop_thrown, std::current_exception());
    }
}

void CallState::print(PmCall* call, std::int64_t site, std::int64_t lane, const void* const* pointers) {
    if (!options_.format) return;
    try {
        std::string text;
        options_.format(text, site, lane, pointers);
        const std::scoped_lock lock(mutex_);
        if (text.size() > options_.most_text - held_) refuse_text(options_.most_text);
        const auto slot = static_cast<std::size_t>(std::max<std::int64_t>(0, lane));
        if (slot >= texts_.size()) texts_.resize(slot + 1);
        held_text_.resize(held_ + text.size());
        texts_[slot] += text;
        held_ += text.size();
    } catch (...) {
        abandon_call(call, stop_thrown, std::current_exception());
    }
}

/// The text that is held back, in the order of lanes. It is no longer held.
std::string CallState::take_held() {
    std::string all;
    const std::scoped_lock lock(mutex_);
    for (std::string& text : texts_) {
        all += text;
        text = std::string();
    }
    held_ = 0;
    held_text_.resize(0);
    return all;
}

void CallState::output_held(PmCall* call) {
    try {
        const std::string all = take_held();
        if (!all.empty() && options_.output) options_.output(all);
    } catch (...) {
        abandon_call(call, stop_thrown, std::current_exception());
    }
}

void CallState::flush(PmCall* call) {
    try {
        if (lanes_since_meeting_ && !meet(call, {.kind = MeetingKind::write, .text = "a print"})) return;
    } catch (...) {
        return abandon_call(call, stop_thrown, std::current_exception());
    }
    output_held(call);
}

void CallState::abandon_call(PmCall* call, StopBits why, std::exception_ptr thrown) {
    const std::scoped_lock lock(mutex_);
    // Only the first exception is kept: a later exception may be an effect of the early end.
    if (thrown && !thrown_ && (read_stop(call) & abandon) == 0) thrown_ = std::move(thrown);
    set_stop(call, why);
    if (call->seat == 0) return;
    set_stop(call_, why); // kernels poll the stop bits of call_
    for (const auto& seat : seats_) set_stop(&seat->call, why);
}

void CallState::abandon_for_exception(PmCall* call) noexcept {
    try {
        throw;
    } catch (const Failure& failure) {
        if (failure.kind() == FailureKind::memory_limit) return abandon_call(call, stop_memory);
        abandon_call(call, stop_thrown, std::current_exception());
    } catch (...) {
        abandon_call(call, stop_thrown, std::current_exception());
    }
}

} // namespace pm::runtime
