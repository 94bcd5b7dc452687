#include "runtime/gpu/device/peer_copies.hpp"

namespace pm::runtime {

void move_lanes(Device& device, std::int64_t lanes, const std::byte* from, std::byte* to, std::span<const Moves> all) {
    for (const Moves& m : all)
        for (std::int64_t r = 0; r < m.receivers; ++r) {
            Device& receiver = device.of_lane(m.lane < 0 ? -1 : m.lane + r, lanes);
            const auto bytes = static_cast<std::size_t>(m.bytes);
            std::byte* const out = to + m.out + r * m.out_by_receiver;
            const std::byte* const in = from + m.in + r * m.in_by_receiver;
            if (m.senders == 0) receiver.clear(out, bytes);
            for (std::int64_t s = 0; s < m.senders; ++s)
                receiver.copy(out + s * m.out_by_sender, in + s * m.in_by_sender, bytes);
        }
}

} // namespace pm::runtime
