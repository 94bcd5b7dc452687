#include "runtime/gpu/driver/queue.hpp"

#include "runtime/failure.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <new>
#include <thread>
#include <utility>

namespace pm::runtime::cuda {

Queue::Queue(const Driver& driver, void* context, const void* stop_words, std::size_t stops)
    : driver_(driver), context_(context), stop_words_(stop_words), last_launches_(stops) {
    const EnteredContext entered(driver_, context_);
    driver_.expect(driver_.stream_create(&stream_, stream_non_blocking), "cuStreamCreate");
    for (void*& mark : marks_)
        if (const int error = driver_.event_create(&mark, event_without_time); error != 0) {
            for (void* made : marks_)
                if (made != nullptr) static_cast<void>(driver_.event_destroy(made));
            static_cast<void>(driver_.stream_destroy(stream_));
            driver_.expect(error, "cuEventCreate");
        }
}

Queue::~Queue() {
    drop(batch_.operations().size());
    const CurrentContext entered(driver_, context_);
    if (!entered) return;
    const auto destroy = [this](void* event) {
        if (event != nullptr) static_cast<void>(driver_.event_destroy(event));
    };
    std::ranges::for_each(marks_, destroy);
    std::ranges::for_each(last_launches_, destroy);
    static_cast<void>(driver_.stream_destroy(stream_));
}

void Queue::set(std::uint64_t to, std::uint64_t value, int bytes) {
    const std::scoped_lock lock(mutex_);
    const unsigned element = bytes >= 4 ? 4 : 1;
    for (unsigned at = 0; at < static_cast<unsigned>(bytes); at += element)
        add_set(to + at, value >> (8 * at), element, 1);
}

void Queue::add_set(std::uint64_t to, std::uint64_t value, unsigned element, unsigned count) {
    const std::array words{to, value & (element == 4 ? 0xFFFF'FFFFU : 0xFFU)};
    batch_.add({.blocks = count, .threads = element}, words);
}

void Queue::launch(Graphs& graphs, const Operation& operation, std::span<const std::uint64_t> words, Clear clear) {
    const std::scoped_lock lock(mutex_);
    if (&graphs != graphs_) {
        if (batch_.launches() > 0) put_first(batch_.operations().size());
        graphs_ = &graphs;
    }
    if (clear.words > 0) add_set(clear.address, 0, 4, clear.words);
    batch_.add(operation, words);
}

void Queue::release(std::uint64_t block) noexcept {
    const std::scoped_lock lock(mutex_);
    try {
        if (!batch_.empty()) return released_.push_back({block, batch_.operations().size()});
    } catch (const std::bad_alloc&) {
        return; // no memory to record the block: it is freed when the pool is destroyed
    }
    give_back(block);
}

/// Ignores errors, because they mean that the device has failed. Its memory is then already lost.
void Queue::give_back(std::uint64_t block) noexcept {
    if (const CurrentContext entered(driver_, context_); entered) static_cast<void>(driver_.release(block, stream_));
}

bool Queue::make_room(const std::function<bool()>& leave) {
    {
        const std::scoped_lock lock(mutex_);
        if (!is_long()) return true;
    }
    if (!wait_for_room(leave)) return false;
    const std::scoped_lock lock(mutex_);
    if (is_long()) put_first(batch_.whole_iterations());
    return true;
}

void Queue::submit(const std::function<bool()>& leave) {
    {
        const std::scoped_lock lock(mutex_);
        if (batch_.empty()) return;
    }
    wait_for_room(leave);
    put_all();
}

/// Whether the batch should be submitted. The room of the throttle varies with the measured speed of the device, but
/// batches should stay equally long. Therefore the largest length of a batch is rounded down to a power of two.
bool Queue::is_long() const {
    return batch_.launches() >= std::bit_floor(std::clamp<std::size_t>(throttle_.room() / 2, 1, most_launches)) ||
           batch_.operations().size() >= most_operations;
}

bool Queue::wait_for_room(const std::function<bool()>& leave) {
    // The number of polls before the thread sleeps between polls. A short kernel ends before a sleeping thread would
    // wake.
    constexpr int at_once = 20;
    constexpr std::chrono::microseconds pause{50};
    for (int polls = 0;; ++polls) {
        {
            const std::scoped_lock lock(mutex_);
            if (!throttle_.full()) return true;
            const EnteredContext entered(driver_, context_);
            if (throttle_.make_room()) return true;
        }
        if (leave()) return false;
        if (polls >= at_once) std::this_thread::sleep_for(pause);
    }
}

void Queue::put_all() {
    const std::scoped_lock lock(mutex_);
    put_first(batch_.operations().size());
}

bool Queue::run(const std::function<bool(void* stream)>& work, const std::function<bool()>& leave) {
    if (!wait_for_room(leave)) return false;
    put_all();
    const EnteredContext entered(driver_, context_);
    if (!work(stream_)) return false; // without the lock, since `work` may take long
    const std::scoped_lock lock(mutex_);
    throttle_.add(1);
    return true;
}

/// Submits the first `count` collected operations. After a failure all collected operations are dropped, so that none
/// runs twice.
void Queue::put_first(std::size_t count) {
    if (count == 0) return;
    const auto operations = batch_.operations().first(count);
    try {
        const EnteredContext entered(driver_, context_);
        if (graphs_ == nullptr || !graphs_->run(batch_, count, stream_))
            for (const Operation& operation : operations) put_directly(operation);
        record_stops(operations);
        throttle_.add(static_cast<std::size_t>(std::ranges::count_if(operations, &Operation::launches)));
    } catch (const Failure& failure) {
        drop(batch_.operations().size());
        if (failure.kind() != FailureKind::out_of_memory) throw;
        // Throws device_failed instead of out_of_memory. After out_of_memory a caller would retry, and would read
        // values that the dropped operations did not compute.
        throw Failure(FailureKind::device_failed, failure.message());
    } catch (...) {
        drop(batch_.operations().size());
        throw;
    }
    drop(count);
}

void Queue::put_directly(const Operation& o) {
    const auto words = batch_.words(o);
    if (!o.launches()) {
        const auto value = static_cast<unsigned>(words[1]);
        if (o.threads == 4)
            driver_.expect(driver_.set_words(words[0], value, o.blocks, stream_), "cuMemsetD32Async");
        else
            driver_.expect(driver_.set_bytes(words[0], static_cast<unsigned char>(value), o.blocks, stream_),
                           "cuMemsetD8Async");
        return;
    }
    arguments_.clear();
    for (const std::uint64_t& word : words) arguments_.push_back(const_cast<std::uint64_t*>(&word));
    if (o.cooperative)
        driver_.expect(
            driver_.launch_cooperative(o.function, o.blocks, 1, 1, o.threads, 1, 1, 0, stream_, arguments_.data()),
            "cuLaunchCooperativeKernel");
    else
        driver_.expect(
            driver_.launch(o.function, o.blocks, 1, 1, o.threads, 1, 1, 0, stream_, arguments_.data(), nullptr),
            "cuLaunchKernel");
}

void Queue::record_stops(std::span<const Operation> operations) {
    const void* last = nullptr;
    for (const Operation& o : operations)
        if (o.stop != nullptr && o.stop != std::exchange(last, o.stop))
            driver_.expect(driver_.event_record(last_with(o.stop), stream_), "cuEventRecord");
}

void Queue::drop(std::size_t count) noexcept {
    batch_.drop(count);
    std::erase_if(released_, [&](Released& r) {
        if (r.operations_before <= count) give_back(r.block);
        return r.operations_before <= count;
    });
    for (Released& r : released_) r.operations_before -= count;
}

void Queue::wait_for(const void* stop) {
    put_all();
    const EnteredContext entered(driver_, context_);
    void* event = nullptr;
    {
        const std::scoped_lock lock(mutex_);
        event = last_with(stop);
    }
    driver_.expect(driver_.event_wait(event), "cuEventSynchronize");
}

void Queue::finish(const Graphs& graphs) noexcept {
    try {
        put_all();
        const EnteredContext entered(driver_, context_);
        static_cast<void>(driver_.stream_wait(stream_));
    } catch (...) { // an earlier caller has received the error, or the device has failed
    }
    const std::scoped_lock lock(mutex_);
    if (graphs_ == &graphs) graphs_ = nullptr;
}

/// The event after the last launch with this stop word.
void*& Queue::last_with(const void* stop) {
    const auto number = static_cast<const std::int32_t*>(stop) - static_cast<const std::int32_t*>(stop_words_);
    void*& event = last_launches_.at(static_cast<std::size_t>(number));
    if (event == nullptr) driver_.expect(driver_.event_create(&event, event_without_time), "cuEventCreate");
    return event;
}

void Queue::put(std::size_t number) { driver_.expect(driver_.event_record(marks_[number], stream_), "cuEventRecord"); }

bool Queue::passed(std::size_t number) {
    const int state = driver_.event_query(marks_[number]);
    if (state == error_not_ready) return false;
    driver_.expect(state, "cuEventQuery");
    return true;
}

} // namespace pm::runtime::cuda
