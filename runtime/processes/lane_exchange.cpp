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

/// The bytes of a lane.
std::int64_t bytes_of(std::span<const LanesOfProcesses::Array> arrays) {
    std::int64_t bytes = 0;
    for (const LanesOfProcesses::Array& array : arrays) bytes += array.values.bytes;
    return bytes;
}

/// Calls visit(address of a value, its place in the packed values, its size) for lanes first .. last - 1.
template <class Byte, class Visit>
void each_value(std::span<const LanesOfProcesses::Array> arrays, std::int64_t first, std::int64_t last, Byte* packed,
                const Visit& visit) {
    for (std::int64_t lane = first; lane < last; ++lane)
        for (const LanesOfProcesses::Array& array : arrays) {
            visit(array.first_lane + lane * array.values.stride, packed, array.values.bytes);
            packed += array.values.bytes;
        }
}

void pack_value(const char* value, char* packed, std::int64_t n) { copy(packed, value, n); }
void unpack_value(char* value, const char* packed, std::int64_t n) { copy(value, packed, n); }

} // namespace

bool LanesOfProcesses::fit_header(std::span<const Array> arrays, std::int64_t lanes) const {
    std::int64_t most = 0;
    for (int p = 0; p < processes_.count(); ++p) most = std::max(most, end(p, lanes) - begin(p));
    return most * bytes_of(arrays) <= static_cast<std::int64_t>(Processes::longest_payload);
}

std::string LanesOfProcesses::packed(std::span<const Array> arrays, std::int64_t lanes) const {
    const std::int64_t own = std::max<std::int64_t>(end(me(), lanes) - begin(me()), 0);
    std::string bytes(static_cast<std::size_t>(own * bytes_of(arrays)), '\0');
    each_value(arrays, begin(me()), end(me(), lanes), bytes.data(), pack_value);
    return bytes;
}

void LanesOfProcesses::unpack(int process, std::string_view bytes, std::span<const Array> arrays,
                              std::int64_t lanes) const {
    const std::int64_t count = std::max<std::int64_t>(end(process, lanes) - begin(process), 0);
    if (static_cast<std::int64_t>(bytes.size()) != count * bytes_of(arrays))
        processes_.fail({JobFailureKind::engine, "a process has sent values of another size", {process}});
    each_value(arrays, begin(process), end(process, lanes), bytes.data(), unpack_value);
}

void LanesOfProcesses::gather(const Meeting& meeting, std::span<const Array> arrays, std::int64_t lanes) {
    const std::int64_t bytes = bytes_of(arrays);
    Processes::Parts received;
    for (int p = 0; p < processes_.count(); ++p)
        append(received, std::max<std::int64_t>(end(p, lanes) - begin(p), 0) * bytes);
    // An engine does not read memory that it writes.
    char* const sent = processes_.outgoing(received.counts[static_cast<std::size_t>(me())]);
    const auto own = static_cast<std::size_t>(me());
    const bool is_dense = arrays.size() == 1 && (arrays[0].values.stride == bytes || lanes <= 1);
    if (is_dense) {
        copy(sent, arrays[0].first_lane + received.offsets[own], received.counts[own]);
        return processes_.all_gather_parts(meeting, sent, arrays[0].first_lane, received);
    }
    each_value(arrays, begin(me()), end(me(), lanes), sent, pack_value);
    char* const all = processes_.incoming(lanes * bytes);
    processes_.all_gather_parts(meeting, sent, all, received);
    each_value(arrays, 0, std::min(begin(me()), lanes), all, unpack_value);
    if (const std::int64_t after = begin(me() + 1); after < lanes)
        each_value(arrays, after, lanes, all + after * bytes, unpack_value);
}

/// Calls visit(sent, received, n) for the pieces of n bytes that lanes of the process `from` send to lanes of `to`, in
/// the order of their lanes.
template <class Visit>
void LanesOfProcesses::each_piece(int from, int to, std::span<const Transfer> transfers,
                                  std::span<const std::int64_t> table, const Visit& visit) const {
    const auto piece = [&](std::int64_t sender, std::int64_t receiver) {
        for (const Transfer& t : transfers) {
            const std::int64_t n = table.empty() ? t.in.values.bytes / first_.back() : t.in.values.bytes;
            const char* const in = t.in.first_lane + sender * t.in.values.stride;
            char* const out = t.out.first_lane + receiver * t.out.values.stride;
            visit(in + (table.empty() ? receiver * n : 0), out + (table.empty() ? sender * n : 0), n);
        }
    };
    for (std::int64_t sender = begin(from); sender < begin(from + 1); ++sender) {
        if (table.empty()) {
            for (std::int64_t receiver = begin(to); receiver < begin(to + 1); ++receiver) piece(sender, receiver);
        } else if (const std::int64_t receiver = table[static_cast<std::size_t>(sender)];
                   receiver >= begin(to) && receiver < begin(to + 1)) {
            piece(sender, receiver);
        }
    }
}

bool LanesOfProcesses::has_one_lane_each() const {
    for (int p = 0; p < processes_.count(); ++p)
        if (count(p) != 1) return false;
    return true;
}

void LanesOfProcesses::send(const Meeting& meeting, std::span<const Transfer> transfers,
                            std::span<const std::int64_t> to) {
    if (!to.empty())
        for (std::int64_t lane = begin(me()); lane < begin(me() + 1); ++lane)
            for (const Transfer& t : transfers)
                std::memset(t.out.first_lane + lane * t.out.values.stride, 0,
                            static_cast<std::size_t>(t.out.values.bytes));
    const auto bytes = [&](int from, int receiver) {
        std::int64_t sum = 0;
        if (from != receiver)
            each_piece(from, receiver, transfers, to, [&](const char*, char*, std::int64_t n) { sum += n; });
        return sum;
    };
    Processes::Parts sent, received;
    if (transfers.size() == 1 && to.empty() && has_one_lane_each()) {
        const auto [in, out] = transfers[0]; // one value goes from each process to each: it need not be packed
        for (int p = 0; p < processes_.count(); ++p) {
            append(sent, in.values.bytes / processes_.count());
            append(received, in.values.bytes / processes_.count());
        }
        return processes_.all_to_all(meeting, in.first_lane + me() * in.values.stride, sent,
                                     out.first_lane + me() * out.values.stride, received);
    }
    for (int p = 0; p < processes_.count(); ++p) {
        append(sent, bytes(me(), p));
        append(received, bytes(p, me()));
    }
    const auto end = [](const Processes::Parts& parts) { return parts.offsets.back() + parts.counts.back(); };
    char* const packed = processes_.outgoing(end(sent));
    char* const arrived = processes_.incoming(end(received));
    char* next = packed;
    for (int p = 0; p < processes_.count(); ++p)
        each_piece(me(), p, transfers, to, [&](const char* in, char* out, std::int64_t n) {
            copy(p == me() ? out : next, in, n);
            if (p != me()) next += n;
        });
    processes_.all_to_all(meeting, packed, sent, arrived, received);
    const char* from = arrived;
    for (int p = 0; p < processes_.count(); ++p)
        if (p != me())
            each_piece(p, me(), transfers, to, [&](const char*, char* out, std::int64_t n) {
                copy(out, from, n);
                from += n;
            });
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
    std::vector<std::int64_t> made = {static_cast<std::int64_t>(x.work),
                                      x.site,
                                      x.lanes,
                                      static_cast<std::int64_t>(x.values.size()),
                                      static_cast<std::int64_t>(x.first.size()),
                                      static_cast<std::int64_t>(x.to.size())};
    for (const LaneValues& values : x.values) made.insert(made.end(), {values.bytes, values.stride});
    made.insert(made.end(), x.first.begin(), x.first.end());
    made.insert(made.end(), x.to.begin(), x.to.end());
    return made;
}

LaneExchange lane_exchange(const std::int64_t* a) {
    LaneExchange x{static_cast<MeetingWork>(a[0]), a[1], a[2], {}, {}, {}};
    const std::int64_t* next = a + 6;
    for (std::int64_t i = 0; i < a[3]; ++i, next += 2) x.values.push_back({next[0], next[1]});
    x.first = {next, static_cast<std::size_t>(a[4])};
    x.to = {next + a[4], static_cast<std::size_t>(a[5])};
    return x;
}

} // namespace pm::runtime
