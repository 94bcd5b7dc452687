#include "runtime/processes/divided_array.hpp"

#include <cstring>

namespace pm::runtime {

std::vector<std::int64_t> division_in_bytes(const std::vector<std::int64_t>& first, std::int64_t bytes) {
    const std::int64_t part = first.back() == 0 ? 0 : bytes / first.back();
    std::vector<std::int64_t> made;
    for (const std::int64_t number : first) made.push_back(number * part);
    return made;
}

Array with_own_parts(DType dtype, Shape shape, const std::vector<std::int64_t>& first, int process,
                     const std::shared_ptr<Allocator>& allocator) {
    Array made = Array::empty(dtype, std::move(shape), allocator);
    const std::vector<std::int64_t> bytes = division_in_bytes(first, made.bytes());
    const auto p = static_cast<std::size_t>(process);
    if (bytes[p + 1] > bytes[p])
        std::memset(made.mutable_as<char>() + bytes[p], 0, static_cast<std::size_t>(bytes[p + 1] - bytes[p]));
    return made;
}

void divide(Array& array, const std::vector<std::int64_t>& numbers, Processes& processes,
            const std::string& description) {
    const std::vector<std::int64_t> first = division_in_bytes(numbers, array.bytes());
    const std::int64_t number = processes.next_array();
    array.divide({number, first}, [first, number, &processes, description](std::byte* data) {
        const Meeting meeting{
            .kind = MeetingKind::read, .site = number, .bytes = first.back(), .text = "a read of " + description};
        Processes::Parts parts;
        for (std::size_t p = 0; p + 1 < first.size(); ++p) {
            parts.offsets.push_back(first[p]);
            parts.counts.push_back(first[p + 1] - first[p]);
        }
        const auto own = static_cast<std::size_t>(processes.index());
        processes.meet(meeting);
        char* const sent = processes.outgoing(parts.counts[own]); // an engine does not read memory that it writes
        if (parts.counts[own] > 0) std::memcpy(sent, data + first[own], static_cast<std::size_t>(parts.counts[own]));
        processes.all_gather_parts(meeting, sent, data, parts);
    });
}

} // namespace pm::runtime
