#include "runtime/processes/lane_exchange.hpp"

#include <algorithm>
#include <cstring>

namespace pm::runtime {

template <class Size>
Processes::Parts LanesOfProcesses::parts_by(const Size& size) const {
    Processes::Parts parts;
    std::int64_t at = 0;
    for (int p = 0; p < processes_.count(); ++p) {
        parts.counts.push_back(size(p));
        parts.offsets.push_back(at);
        at += parts.counts.back();
    }
    return parts;
}

void LanesOfProcesses::gather(const Meeting& meeting, char* values, std::int64_t bytes) {
    const int me = processes_.index();
    // An engine does not read memory that it writes.
    char* const own = processes_.outgoing(count(me) * bytes);
    std::memcpy(own, values + begin(me) * bytes, static_cast<std::size_t>(count(me) * bytes));
    processes_.all_gather_parts(meeting, own, values, parts_by([&](int p) { return count(p) * bytes; }));
}

std::int64_t LanesOfProcesses::part(int process, std::int64_t bytes) const {
    constexpr std::int64_t line = 64;
    const std::int64_t lines = (bytes + line - 1) / line;
    const std::int64_t n = processes_.count();
    // The first lines % n processes have one line more.
    const std::int64_t at = process * (lines / n) + std::min<std::int64_t>(process, lines % n);
    return std::min(at * line, bytes);
}

void LanesOfProcesses::bring_parts(const Meeting& meeting, const char* own, std::int64_t bytes, char* parts) {
    const int me = processes_.index();
    const auto size_of_part = [&](int p) { return part(p + 1, bytes) - part(p, bytes); };
    const Processes::Parts sent = parts_by([&](int p) { return count(me) * size_of_part(p); });
    char* const packed = processes_.outgoing(count(me) * bytes);
    for (int p = 0; p < processes_.count(); ++p)
        for (std::int64_t lane = 0; lane < count(me); ++lane)
            std::memcpy(packed + sent.offsets[static_cast<std::size_t>(p)] + lane * size_of_part(p),
                        own + lane * bytes + part(p, bytes), static_cast<std::size_t>(size_of_part(p)));
    processes_.all_to_all(meeting, packed, sent, parts, parts_by([&](int p) { return count(p) * size_of_part(me); }));
}

void LanesOfProcesses::share_parts(const Meeting& meeting, char* sum, std::int64_t bytes) {
    const int me = processes_.index();
    const std::int64_t size = part(me + 1, bytes) - part(me, bytes);
    char* const own = processes_.outgoing(size);
    std::memcpy(own, sum + part(me, bytes), static_cast<std::size_t>(size));
    processes_.all_gather_parts(meeting, own, sum,
                                parts_by([&](int p) { return part(p + 1, bytes) - part(p, bytes); }));
}

} // namespace pm::runtime
