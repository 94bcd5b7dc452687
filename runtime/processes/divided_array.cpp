#include "runtime/processes/divided_array.hpp"

#include "runtime/processes/lane_exchange.hpp"

#include <algorithm>
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
    const std::int64_t whole = checked_elements(shape, size_of(dtype)) * static_cast<std::int64_t>(size_of(dtype));
    const std::vector<std::int64_t> bytes = division_in_bytes(first, whole);
    const auto p = static_cast<std::size_t>(process);
    Array made = Array::empty_part(dtype, std::move(shape), bytes[p], bytes[p + 1], allocator);
    if (bytes[p + 1] > bytes[p])
        std::memset(made.mutable_as<char>() + bytes[p], 0, static_cast<std::size_t>(bytes[p + 1] - bytes[p]));
    return made;
}

std::uint64_t sample_hash(const Array& array, std::size_t most, std::uint64_t seed) {
    if (const Division* const division = array.division()) seed = hash_of(std::to_string(division->number), seed);
    if (!array.on_host() || array.is_divided() || array.dtype() == DType::tape)
        return hash_of(type_text(array.dtype(), array.shape()), seed);
    return sample_hash({array.as<char>(), static_cast<std::size_t>(array.bytes())}, most, seed);
}

void divide(Array& array, const std::vector<std::int64_t>& first, Processes& processes,
            const std::string& description) {
    const std::int64_t number = processes.next_array(), bytes = array.bytes();
    const auto gather = [=, &processes](std::byte* data) {
        const Meeting meeting{
            .kind = MeetingKind::read, .site = number, .bytes = bytes, .text = "a read of " + description};
        const std::int64_t part = bytes / std::max<std::int64_t>(first.back(), 1);
        const LanesOfProcesses::Array parts{reinterpret_cast<char*>(data), {part, part}};
        processes.meet(meeting);
        LanesOfProcesses(processes, first).gather(meeting, {&parts, 1}, first.back());
    };
    array.divide({number, division_in_bytes(first, bytes)}, gather);
}

} // namespace pm::runtime
