#include "runtime/processes/lane_exchange.hpp"

#include <algorithm>
#include <cstring>

namespace pm::runtime {
namespace {

/// Adds a number of bytes that follow the ones before.
void append(Processes::Parts& parts, std::int64_t bytes) {
    parts.offsets.push_back(parts.counts.empty() ? 0 : parts.offsets.back() + parts.counts.back());
    parts.counts.push_back(bytes);
}

void copy(char* to, const char* from, std::int64_t bytes) {
    if (bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

} // namespace

void LanesOfProcesses::gather(const Meeting& meeting, char* first_lane, LaneValues values, std::int64_t lanes) {
    if (values.stride == 0) lanes = std::min<std::int64_t>(lanes, 1);
    Processes::Parts received;
    const auto end = [&](int p) { return std::min(begin(p + 1), lanes); };
    for (int p = 0; p < processes_.count(); ++p)
        append(received, std::max<std::int64_t>(end(p) - begin(p), 0) * values.bytes);
    // An engine does not read memory that it writes.
    const auto own = received.counts[static_cast<std::size_t>(me())];
    char* const sent = processes_.outgoing(own);
    for (std::int64_t lane = begin(me()); lane < end(me()); ++lane)
        copy(sent + (lane - begin(me())) * values.bytes, first_lane + lane * values.stride, values.bytes);
    if (values.stride == values.bytes || lanes <= 1)
        return processes_.all_gather_parts(meeting, sent, first_lane, received);
    char* const all = processes_.incoming(lanes * values.bytes);
    processes_.all_gather_parts(meeting, sent, all, received);
    for (std::int64_t lane = 0; lane < lanes; ++lane)
        copy(first_lane + lane * values.stride, all + lane * values.bytes, values.bytes);
}

std::int64_t LanesOfProcesses::bytes_of_part(int process, std::int64_t bytes) const {
    const std::int64_t size = part_bytes(bytes, processes_.count());
    return std::clamp<std::int64_t>(bytes - process * size, 0, size);
}

void LanesOfProcesses::bring_parts(const Meeting& meeting, const char* first_lane, LaneValues values, char* parts) {
    const std::int64_t size = part_bytes(values.bytes, processes_.count());
    // The value of one lane is sent as it is. The parts of several lanes are packed, in parts of the full size.
    const bool packs = count(me()) > 1;
    const auto bytes = [&](int from, int to) {
        return count(from) > 1 ? count(from) * size : count(from) * bytes_of_part(to, values.bytes);
    };
    Processes::Parts sent, received;
    for (int p = 0; p < processes_.count(); ++p) {
        sent.counts.push_back(bytes(me(), p));
        sent.offsets.push_back(p * size * (packs ? count(me()) : 1));
        received.counts.push_back(bytes(p, me()));
        received.offsets.push_back(begin(p) * size);
    }
    const char* from = first_lane + begin(me()) * values.stride;
    if (packs) {
        char* const packed = processes_.outgoing(processes_.count() * count(me()) * size);
        for (int p = 0; p < processes_.count(); ++p)
            for (std::int64_t lane = 0; lane < count(me()); ++lane)
                copy(packed + (p * count(me()) + lane) * size, from + lane * values.stride + p * size,
                     bytes_of_part(p, values.bytes));
        from = packed;
    }
    processes_.all_to_all(meeting, from, sent, parts, received);
}

void LanesOfProcesses::share_parts(const Meeting& meeting, const char* part, char* out, LaneValues values) {
    Processes::Parts received;
    for (int p = 0; p < processes_.count(); ++p) append(received, bytes_of_part(p, values.bytes));
    const std::int64_t own = values.stride == 0 ? 1 : count(me());
    char* const first = out + begin(me()) * values.stride;
    // A process without lanes takes part too.
    processes_.all_gather_parts(meeting, part, own == 0 ? processes_.incoming(values.bytes) : first, received);
    for (std::int64_t lane = 1; lane < own; ++lane) copy(first + lane * values.stride, first, values.bytes);
}

std::vector<std::int64_t> attributes_of(const LaneExchange& x) {
    std::vector<std::int64_t> made = {
        static_cast<std::int64_t>(x.work),        x.site, x.lanes, x.in.bytes, x.in.stride, x.out.bytes, x.out.stride,
        static_cast<std::int64_t>(x.first.size())};
    made.insert(made.end(), x.first.begin(), x.first.end());
    return made;
}

LaneExchange lane_exchange(const std::int64_t* a) {
    return {static_cast<LaneExchange::Work>(a[0]),  a[1], a[2], {a[3], a[4]}, {a[5], a[6]},
            {a + 8, static_cast<std::size_t>(a[7])}};
}

} // namespace pm::runtime
