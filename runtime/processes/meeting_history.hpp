#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pm::runtime {

/// One event of a process's history.
struct HistoryEvent {
    static constexpr std::size_t longest = 108;
    std::uint64_t number = 0; ///< from 1; 0 for no event
    std::uint64_t hash = 0;   ///< of all events up to this one
    std::string text;         ///< for messages; not part of the hash
};

/// The events of a process so far, as a hash. Two processes with the same hash have done the same. The last
/// events are kept, so that processes which differ can find the first difference.
class History {
  public:
    static constexpr std::size_t kept = 64;
    /// Bytes of packed().
    static constexpr std::size_t packed_bytes = kept * 128;

    /// Adds an event. `content` is the hash of everything in which processes must agree. `text` describes the event for
    /// messages. It is cut to HistoryEvent::longest bytes.
    void add(std::uint64_t content, std::string_view text);
    std::uint64_t hash() const { return hash_; }
    std::uint64_t size() const { return size_; }
    /// The last events, the oldest first.
    std::vector<HistoryEvent> recent() const;

    /// The last events as bytes for other processes, and read back. `unpacked` trusts nothing: a text that is too long
    /// is cut, and an event with the number 0 is left out.
    std::vector<char> packed() const;
    static std::vector<HistoryEvent> unpacked(std::string_view bytes);

  private:
    std::array<HistoryEvent, kept> events_; ///< event number n is at (n - 1) % kept
    std::uint64_t size_ = 0;
    std::uint64_t hash_ = 0;
};

/// A hash of 64 bits of the bytes, and of `seed`. It is the same on all machines.
std::uint64_t hash_of(std::string_view bytes, std::uint64_t seed = 0);

/// As hash_of(), but of at most about `most` bytes: of a longer text, parts of 64 bytes that are spread over it.
std::uint64_t sample_hash(std::string_view bytes, std::size_t most, std::uint64_t seed);

/// The place at which histories part.
struct Divergence {
    std::string last_common; ///< the text of the last event that all processes have in common; empty if not known
    /// For each process the text of its first event that others do not have; empty if it has no further event, or if
    /// the difference is older than the events that are kept.
    std::vector<std::string> first;
};
Divergence divergence_of(const std::vector<std::vector<HistoryEvent>>& histories);

} // namespace pm::runtime
