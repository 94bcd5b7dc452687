#include "runtime/gpu/driver/staging_ring.hpp"

#include <algorithm>
#include <cstring>

namespace pm::runtime::cuda {
namespace {

std::byte* host_memory(const Driver& driver, std::size_t bytes) {
    void* made = nullptr;
    driver.expect(driver.host_allocate(&made, bytes, 0), "cuMemHostAlloc");
    return static_cast<std::byte*>(made);
}

/// A new event, or null if the driver cannot create one. Recording a null event fails.
void* event(const Driver& driver) {
    void* made = nullptr;
    static_cast<void>(driver.event_create(&made, event_without_time));
    return made;
}

} // namespace

Uploads::Uploads(const Driver& driver) : driver_(driver), memory_(host_memory(driver, bytes)) {
    for (Part& part : parts_) part.free = event(driver);
}

Uploads::~Uploads() {
    for (const Part& part : parts_)
        if (part.free != nullptr) static_cast<void>(driver_.event_destroy(part.free));
    static_cast<void>(driver_.host_release(memory_));
}

void Uploads::copy(std::uint64_t to, const std::byte* from, std::size_t count, void* stream) {
    const std::scoped_lock lock(mutex_);
    for (std::size_t done = 0; done < count; done += std::min(count - done, piece)) {
        const std::size_t bytes = std::min(count - done, piece);
        Part& part = take(bytes);
        std::memcpy(memory_ + part.begin, from + done, bytes);
        driver_.expect(driver_.to_device(to + done, memory_ + part.begin, bytes, stream), "cuMemcpyHtoDAsync");
        driver_.expect(driver_.event_record(part.free, stream), "cuEventRecord");
        ++used_;
    }
}

/// Takes a part of `count` bytes after the last part. If the memory after the last part is too small, takes a part at
/// the beginning of the ring. Waits until the device no longer reads the memory of the new part.
Uploads::Part& Uploads::take(std::size_t count) {
    constexpr std::size_t line = 64;
    const std::size_t begin = next_ + count > bytes ? 0 : next_;
    const auto overlaps = [&](std::size_t i) {
        const Part& part = parts_[(first_ + i) % most_parts];
        return part.begin < begin + count && begin < part.end;
    };
    const auto any_overlaps = [&] {
        for (std::size_t i = 0; i < used_; ++i)
            if (overlaps(i)) return true;
        return used_ == most_parts;
    };
    while (any_overlaps()) {
        driver_.expect(driver_.event_wait(parts_[first_].free), "cuEventSynchronize");
        first_ = (first_ + 1) % most_parts;
        --used_;
    }
    Part& part = parts_[(first_ + used_) % most_parts];
    part.begin = begin;
    part.end = begin + count;
    next_ = (part.end + line - 1) / line * line;
    return part;
}

Downloads::Downloads(const Driver& driver) : driver_(driver), memory_(host_memory(driver, 2 * half)) {
    for (void*& written : written_) written = event(driver);
}

Downloads::~Downloads() {
    for (void* written : written_)
        if (written != nullptr) static_cast<void>(driver_.event_destroy(written));
    static_cast<void>(driver_.host_release(memory_));
}

void Downloads::copy(std::byte* to, std::uint64_t from, std::size_t count, void* stream) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) {
        driver_.expect(driver_.to_host(to, from, count, stream), "cuMemcpyDtoHAsync");
        driver_.expect(driver_.stream_wait(stream), "cuStreamSynchronize");
        return;
    }
    const std::size_t pieces = (count + half - 1) / half;
    const auto bytes_of = [&](std::size_t n) { return std::min(half, count - n * half); };
    const auto begin = [&](std::size_t n) {
        driver_.expect(driver_.to_host(memory_ + n % 2 * half, from + n * half, bytes_of(n), stream),
                       "cuMemcpyDtoHAsync");
        driver_.expect(driver_.event_record(written_[n % 2], stream), "cuEventRecord");
    };
    for (std::size_t n = 0; n < std::min<std::size_t>(2, pieces); ++n) begin(n);
    for (std::size_t n = 0; n < pieces; ++n) {
        driver_.expect(driver_.event_wait(written_[n % 2]), "cuEventSynchronize");
        std::memcpy(to + n * half, memory_ + n % 2 * half, bytes_of(n));
        if (n + 2 < pieces) begin(n + 2);
    }
}

} // namespace pm::runtime::cuda
