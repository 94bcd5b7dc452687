#pragma once
#include "runtime/processes/processes.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pm::runtime {

/// Where the values of lanes are: lane l has `bytes` bytes, `stride` * l bytes after those of lane 0. If the stride is
/// 0, all lanes have one value.
struct LaneValues {
    std::int64_t bytes = 0;
    std::int64_t stride = 0;
};
/// The number of bytes from the value of the first lane to the end of the last.
constexpr std::int64_t span_of(LaneValues values, std::int64_t lanes) {
    return values.bytes + (lanes > 1 ? lanes - 1 : 0) * values.stride;
}

/// If a sum over all lanes moves at most so many bytes to a process, gather() takes less time than bring_parts() and
/// share_parts(), which are two rounds of messages.
constexpr std::int64_t most_gathered_bytes = std::int64_t{64} << 10;
/// The size of the parts into which a value is cut: one for each process. The last parts may be shorter, or empty.
/// Parts begin at multiples of 64 bytes.
constexpr std::int64_t part_bytes(std::int64_t bytes, std::int64_t processes) {
    constexpr std::int64_t line = 64;
    const std::int64_t lines = (bytes + line - 1) / line;
    return (lines + processes - 1) / processes * line;
}

/// The lanes of a pmap over the processes of a job: process p has the lanes first[p] .. first[p + 1] - 1.
class LanesOfProcesses {
  public:
    /// `first` has one number more than there are processes. It rises from 0 to the number of lanes.
    LanesOfProcesses(Processes& processes, std::span<const std::int64_t> first)
        : processes_(processes), first_(first) {}

    std::int64_t begin(int process) const { return first_[static_cast<std::size_t>(process)]; }
    std::int64_t count(int process) const { return begin(process + 1) - begin(process); }

    // The exchanges follow a meeting. Memory that an exchange sends or receives stays valid until the exchange is
    // complete, or until the process ends.

    /// An array of values of lanes, at the address of lane 0.
    struct Array {
        char* first_lane = nullptr;
        LaneValues values;
    };
    /// Whether the values of the first `lanes` lanes of each process fit in its header of the meeting.
    bool fit_header(std::span<const Array> arrays, std::int64_t lanes) const;
    /// The values of the own lanes, one after another, for the payload of the meeting.
    std::string packed(std::span<const Array> arrays, std::int64_t lanes) const;
    /// Stores the values that another process has packed. Throws JobFailure(engine) if their size is wrong.
    void unpack(int process, std::string_view bytes, std::span<const Array> arrays, std::int64_t lanes) const;
    /// Brings the values of the first `lanes` lanes of several arrays to all processes. Those of the own lanes are set.
    void gather(const Meeting& meeting, std::span<const Array> arrays, std::int64_t lanes);
    /// A value `in` of each lane, parts of which become the value `out` of other lanes. Both have the same size.
    struct Transfer {
        Array in, out;
    };
    /// Sends the values of lanes to the processes of their receivers. If `to` is empty, part j of lane i becomes part i
    /// of lane j. Otherwise the value of lane i becomes that of lane to[i], which is -1 for no lane. A lane without a
    /// sender gets zeros.
    void send(const Meeting& meeting, std::span<const Transfer> transfers, std::span<const std::int64_t> to);
    /// Brings the own part of the values of all lanes. `parts` receives them in the order of lanes, part_bytes() apart.
    void bring_parts(const Meeting& meeting, const char* first_lane, LaneValues values, char* parts);
    /// Brings the parts of a value to all processes. `part` is the own one. `out` receives the value for each of the
    /// own lanes.
    void share_parts(const Meeting& meeting, const char* part, char* out, LaneValues values);

  private:
    int me() const { return processes_.index(); }
    std::int64_t end(int process, std::int64_t lanes) const { return std::min(begin(process + 1), lanes); }
    bool has_one_lane_each() const;
    std::int64_t bytes_of_part(int process, std::int64_t bytes) const;
    template <class Visit>
    void each_piece(int from, int to, std::span<const Transfer> transfers, std::span<const std::int64_t> table,
                    const Visit& visit) const;

    Processes& processes_;
    std::span<const std::int64_t> first_;
};

enum class MeetingWork : std::uint8_t {
    gather, ///< buffers {x..}: brings the values of the first `lanes` lanes to all processes
    tapes,  ///< buffers {x}: as gather, for tapes with their contents
    send,   ///< buffers {in, out, ..}: sends the values of lanes to their receivers
    parts,  ///< buffers {x, parts}: brings part p of the values of all lanes to process p
    share,  ///< buffers {part, out}: brings the parts of all processes to `out`, or to `out` of each lane
};

/// An exchange in compiled code.
struct LaneExchange {
    MeetingWork work{};
    std::int64_t site = 0;
    std::int64_t lanes = 0; ///< of `gather` and `tapes`: see LanesOfProcesses::gather
    /// Of `gather`, `tapes` and `send`: of each buffer. Of `parts`: of the first buffer. Of `share`: of the last
    /// buffer.
    std::vector<LaneValues> values{};
    std::span<const std::int64_t> first;
    std::span<const std::int64_t> to; ///< of `send`: see LanesOfProcesses::send
};
/// An exchange as the attributes of pm_meeting(), and read from them.
std::vector<std::int64_t> attributes_of(const LaneExchange& exchange);
LaneExchange lane_exchange(const std::int64_t* attributes);

} // namespace pm::runtime
