#include "runtime/processes/meeting_history.hpp"

#include <algorithm>
#include <cstring>

namespace pm::runtime {
namespace {

constexpr std::size_t packed_event = History::packed_bytes / History::kept;
static_assert(packed_event == 2 * sizeof(std::uint64_t) + sizeof(std::uint32_t) + HistoryEvent::longest);

/// The finalizer of SplitMix64 (Steele, Lea and Flood 2014): each bit of x changes half of the result's bits.
std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9U;
    x = (x ^ x >> 27) * 0x94D049BB133111EBU;
    return x ^ x >> 31;
}

template <class T>
void put(char*& to, const T& value) {
    std::memcpy(to, &value, sizeof value);
    to += sizeof value;
}
template <class T>
T take(const char*& from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    from += sizeof value;
    return value;
}

} // namespace

std::uint64_t hash_of(std::string_view bytes, std::uint64_t seed) {
    std::uint64_t hash = mixed(seed + 0x9E3779B97F4A7C15U * (bytes.size() + 1));
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        for (std::size_t i = 0; i < sizeof word && at + i < bytes.size(); ++i)
            word |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << 8 * i;
        hash = mixed((hash + 0x9E3779B97F4A7C15U) ^ word);
    }
    return hash;
}

void History::add(std::uint64_t content, std::string_view text) {
    hash_ = mixed(mixed(hash_ + 0x9E3779B97F4A7C15U) ^ content);
    ++size_;
    events_[(size_ - 1) % kept] = {size_, hash_, std::string(text.substr(0, HistoryEvent::longest))};
}

std::vector<HistoryEvent> History::recent() const {
    std::vector<HistoryEvent> list;
    const std::uint64_t first = size_ > kept ? size_ - kept : 0;
    for (std::uint64_t n = first; n < size_; ++n) list.push_back(events_[n % kept]);
    return list;
}

std::vector<char> History::packed() const {
    std::vector<char> bytes(packed_bytes, '\0');
    char* to = bytes.data();
    for (const HistoryEvent& event : recent()) {
        char* at = to;
        put(at, event.number);
        put(at, event.hash);
        put(at, static_cast<std::uint32_t>(event.text.size()));
        std::ranges::copy(event.text, at);
        to += packed_event;
    }
    return bytes;
}

std::vector<HistoryEvent> History::unpacked(std::string_view bytes) {
    std::vector<HistoryEvent> list;
    for (std::size_t begin = 0; begin + packed_event <= bytes.size() && list.size() < kept; begin += packed_event) {
        const char* at = bytes.data() + begin;
        HistoryEvent event;
        event.number = take<std::uint64_t>(at);
        event.hash = take<std::uint64_t>(at);
        const std::size_t length = std::min<std::size_t>(take<std::uint32_t>(at), HistoryEvent::longest);
        event.text.assign(at, length);
        if (event.number != 0) list.push_back(std::move(event));
    }
    return list;
}

std::uint64_t sample_hash(std::string_view bytes, std::size_t most, std::uint64_t seed) {
    if (bytes.size() <= most) return hash_of(bytes, seed);
    constexpr std::size_t part = 64;
    const std::size_t parts = most / part;
    for (std::size_t i = 0; i < parts; ++i)
        seed = hash_of(bytes.substr((bytes.size() - part) / (parts - 1) * i, part), seed);
    return seed;
}

Divergence divergence_of(const std::vector<std::vector<HistoryEvent>>& histories) {
    const auto event = [](const std::vector<HistoryEvent>& history, std::uint64_t number) -> const HistoryEvent* {
        const auto at = std::ranges::find(history, number, &HistoryEvent::number);
        return at == history.end() ? nullptr : &*at;
    };
    // The last event that all have is searched from the newest one of the first history.
    Divergence found;
    found.first.resize(histories.size());
    if (histories.empty()) return found;
    std::uint64_t common = 0;
    for (const HistoryEvent& one : histories[0]) {
        const bool same = std::ranges::all_of(histories, [&](const auto& history) {
            const HistoryEvent* const other = event(history, one.number);
            return other != nullptr && other->hash == one.hash;
        });
        if (!same || one.number < common) continue;
        common = one.number;
        found.last_common = one.text;
    }
    const bool from_begin = std::ranges::all_of(
        histories, [](const auto& history) { return history.empty() || history.front().number == 1; });
    if (common == 0 && !from_begin) return found;
    for (std::size_t p = 0; p < histories.size(); ++p)
        if (const HistoryEvent* const next = event(histories[p], common + 1)) found.first[p] = next->text;
    return found;
}

} // namespace pm::runtime
