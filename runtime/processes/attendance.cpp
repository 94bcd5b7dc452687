#include "runtime/processes/attendance.hpp"

#include <algorithm>

namespace pm::runtime {

Attendance::Attendance(const PmEngine& engine) : engine_(engine), peers_(static_cast<std::size_t>(engine.count)) {}

void Attendance::listen() {
    if (listening_) return;
    listening_ = true;
    for (int p = 0; p < engine_.count; ++p) {
        Peer& peer = peers_[static_cast<std::size_t>(p)];
        const PmMessage message{p, sizeof peer.received, &peer.received};
        if (others(p)) peer.receiving = engine_.exchange(engine_.state, nullptr, 0, &message, 1);
    }
}

void Attendance::tell(std::uint64_t number) {
    if (told_ >= number) return;
    told_ = number;
    for (int p = 0; p < engine_.count; ++p) {
        Peer& peer = peers_[static_cast<std::size_t>(p)];
        const char* why = nullptr;
        int32_t lost = -1;
        if (peer.sending != nullptr && engine_.test(engine_.state, peer.sending, &why, &lost) == PM_OPERATION_RUNNING)
            continue; // the last message to this process is still under way
        peer.sent = number;
        const PmMessage message{p, sizeof peer.sent, &peer.sent};
        peer.sending = others(p) ? engine_.exchange(engine_.state, &message, 1, nullptr, 0) : nullptr;
    }
}

bool Attendance::receive(std::uint64_t number) {
    bool waits = false;
    for (int p = 0; p < engine_.count; ++p) {
        Peer& peer = peers_[static_cast<std::size_t>(p)];
        const char* why = nullptr;
        int32_t lost = -1;
        while (peer.receiving != nullptr) {
            const PmOperationState state = engine_.test(engine_.state, peer.receiving, &why, &lost);
            if (state == PM_OPERATION_RUNNING) break;
            peer.receiving = nullptr;
            if (state == PM_OPERATION_FAILED) break;
            peer.seen = std::max(peer.seen, peer.received);
            const PmMessage message{p, sizeof peer.received, &peer.received};
            peer.receiving = engine_.exchange(engine_.state, nullptr, 0, &message, 1);
        }
        waits = waits || peer.seen >= number;
    }
    return waits;
}

std::vector<int> Attendance::missing(std::uint64_t number) const {
    std::vector<int> list;
    for (int p = 0; p < engine_.count; ++p)
        if (others(p) && peers_[static_cast<std::size_t>(p)].seen < number) list.push_back(p);
    return list;
}

} // namespace pm::runtime
