#pragma once
#include "runtime/gpu/device/device.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace pm::runtime {

/// The copies of a collective between lanes. Compiled code contains tables of Moves. For every receiver r and sender s,
/// both numbered from 0, `bytes` bytes are copied from in + s * in_by_sender + r * in_by_receiver to out + s *
/// out_by_sender + r * out_by_receiver. If there are no senders, the bytes at `out` are cleared.
struct Moves {
    std::int64_t lane = -1; ///< the lane of receiver 0, followed by those of the other receivers; -1: no lane
    std::int64_t receivers = 1;
    std::int64_t senders = 1;
    std::int64_t bytes = 0;
    std::int64_t in = 0;
    std::int64_t in_by_sender = 0;
    std::int64_t in_by_receiver = 0;
    std::int64_t out = 0;
    std::int64_t out_by_sender = 0;
    std::int64_t out_by_receiver = 0;
};

/// Queues the copies of `all`, each to the GPU of the receiving lane. There are `lanes` lanes.
void move_lanes(Device& device, std::int64_t lanes, const std::byte* from, std::byte* to, std::span<const Moves> all);

} // namespace pm::runtime
