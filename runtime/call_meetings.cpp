// The functions of CallState for calls of several processes. All processes run the same driver code, each runs its own
// lanes. A check that fails in a lane ends the call in one process only, so this process tells the others at their next
// meeting. Each process counts the `lanes` steps, so all find the failure that one process would report.
#include "runtime/call.hpp"
#include "runtime/memory/packed_numbers.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

namespace pm::runtime {
namespace {

/// The longest failure that is accepted from another process.
constexpr std::int64_t most_failure_bytes = std::int64_t{1} << 24;

/// As take_number(); 0 if there are too few bytes.
std::int64_t take(std::string_view& bytes) { return take_number(bytes).value_or(0); }

std::string packed(const CheckFailure& failure) {
    std::string bytes;
    for (const std::int64_t number : {failure.phase, failure.site, failure.lane, failure.element,
                                      static_cast<std::int64_t>(failure.iterations.size())})
        append_number(bytes, number);
    for (const std::int64_t iteration : failure.iterations) append_number(bytes, iteration);
    return bytes + failure.text;
}

CheckFailure unpacked(std::string_view bytes) {
    CheckFailure failure;
    for (std::int64_t* const number : {&failure.phase, &failure.site, &failure.lane, &failure.element})
        *number = take(bytes);
    for (std::int64_t left = take(bytes); left > 0 && !bytes.empty(); --left) failure.iterations.push_back(take(bytes));
    failure.text = bytes;
    return failure;
}

/// The frame of chunks that are lanes of this process.
struct OwnLanes {
    PmChunk fn;
    void* frame;
    std::int64_t first;
};

void run_own_lane(PmCall* call, std::int64_t i, void* frame) {
    const OwnLanes& own = *static_cast<const OwnLanes*>(frame);
    own.fn(call, own.first + i, own.frame);
}

} // namespace

void CallState::run_own_lanes(PmCall* call, const std::int64_t* first, PmChunk fn, void* frame) {
    if (failure_shared_) return;
    const std::int64_t* const begin = first + options_.processes->index();
    OwnLanes own{fn, frame, begin[0]};
    pm_run(call, begin[1] - begin[0], run_own_lane, &own);
    ++phase_;
    lanes_since_meeting_ = true;
}

/// Meets the other processes. Returns nullopt if a check has failed in one of them.
std::optional<std::vector<Reply>> CallState::meet(PmCall* call, Meeting meeting, std::string_view payload) {
    if (failure_shared_) return std::nullopt;
    lanes_since_meeting_ = false;
    std::string failure, size;
    if (failed_ && meeting.kind != MeetingKind::write) {
        meeting.kind = MeetingKind::check;
        failure = packed(failure_);
        payload = size = Processes::size_payload(failure);
    }
    std::vector<Reply> replies = options_.processes->meet(meeting, payload);
    const auto fails = [](const Reply& reply) { return reply.kind == MeetingKind::check; };
    if (std::ranges::none_of(replies, fails)) return replies;
    for (Reply& reply : replies)
        if (!fails(reply)) reply.payload.clear();
    share_failures(call, replies, failure);
    return std::nullopt;
}

/// Brings the failures to all processes. Each takes the one that one process would report.
void CallState::share_failures(PmCall* call, const std::vector<Reply>& replies, std::string_view own) {
    const std::vector<std::string> texts = options_.processes->all_gather_texts(
        {.kind = MeetingKind::check, .text = "the end of " + options_.place}, replies, own, most_failure_bytes);
    const std::scoped_lock lock(mutex_);
    for (const std::string& text : texts) {
        if (text.empty()) continue;
        CheckFailure failure = unpacked(text);
        if (!failed_ || failure.before(failure_)) failure_ = std::move(failure);
        failed_ = true;
    }
    failure_shared_ = true;
    texts_.clear(); // one process would not have printed them
    set_stop(call, stop_failed);
}

/// Brings the tapes of all lanes to all processes. The handle of a tape is an address, so the contents are exchanged.
bool CallState::gather_tapes(PmCall* call, const LaneExchange& exchange, const Meeting& meeting, char* handles) {
    const auto each_of = [&](int process, const auto& visit) {
        const auto p = static_cast<std::size_t>(process);
        for (std::int64_t lane = exchange.first[p]; lane < std::min(exchange.first[p + 1], exchange.lanes); ++lane)
            for (std::int64_t at = 0; at < exchange.values[0].bytes; at += std::int64_t{sizeof(std::uint64_t)})
                visit(handles + lane * exchange.values[0].stride + at);
    };
    const int me = options_.processes->index();
    std::string own;
    each_of(me, [&](const char* handle) { pack_tape(handle, own); });
    const auto replies = meet(call, meeting, Processes::size_payload(own));
    if (!replies) return false;
    const std::vector<std::string> texts =
        options_.processes->all_gather_texts(meeting, *replies, own, std::numeric_limits<std::int64_t>::max());
    for (int p = 0; p < options_.processes->count(); ++p) {
        std::string_view from = texts[static_cast<std::size_t>(p)];
        if (p != me) each_of(p, [&](char* handle) { unpack_tape(*options_.tapes, from, handle); });
    }
    return true;
}

bool CallState::exchange(PmCall* call, const LaneExchange& exchange, void* const* buffers) {
    meeting_site_ = exchange.site;
    const auto buffer = [&](std::size_t i) { return static_cast<char*>(buffers[i]); };
    std::vector<LanesOfProcesses::Array> arrays;
    std::int64_t bytes = 0;
    for (const LaneValues& values : exchange.values) {
        arrays.push_back({buffer(arrays.size()), values});
        bytes += values.bytes;
    }
    const Meeting meeting{.kind = MeetingKind::collective,
                          .site = exchange.site,
                          .lanes = exchange.lanes,
                          .bytes = bytes,
                          .text = options_.meeting_place(exchange.site)};
    if (exchange.work == MeetingWork::tapes) return gather_tapes(call, exchange, meeting, buffer(0));
    LanesOfProcesses lanes(*options_.processes, exchange.first);
    const bool in_header = exchange.work == MeetingWork::gather && lanes.fit_header(arrays, exchange.lanes);
    const auto replies = meet(call, meeting, in_header ? lanes.packed(arrays, exchange.lanes) : std::string());
    if (!replies) return false;
    for (int p = 0; in_header && p < options_.processes->count(); ++p)
        if (p != options_.processes->index())
            lanes.unpack(p, (*replies)[static_cast<std::size_t>(p)].payload, arrays, exchange.lanes);
    if (in_header) return true;
    switch (exchange.work) {
    case MeetingWork::tapes:
    case MeetingWork::gather: lanes.gather(meeting, arrays, exchange.lanes); break;
    case MeetingWork::send: {
        std::vector<LanesOfProcesses::Transfer> transfers;
        for (std::size_t i = 0; i + 1 < arrays.size(); i += 2) transfers.push_back({arrays[i], arrays[i + 1]});
        lanes.send(meeting, transfers, exchange.to);
        break;
    }
    case MeetingWork::parts: lanes.bring_parts(meeting, buffer(0), exchange.values[0], buffer(1)); break;
    case MeetingWork::share: lanes.share_parts(meeting, buffer(0), buffer(1), exchange.values[0]); break;
    }
    return true;
}

void CallState::flush_lanes(PmCall* call) {
    const std::string own = take_held();
    const Meeting meeting{.kind = MeetingKind::write, .text = "a print in lanes"};
    const auto replies = meet(call, meeting, Processes::size_payload(own));
    lanes_since_meeting_ = true; // a check of these lanes may have failed, which the next meeting tells
    if (!replies) return;
    std::string all;
    for (const std::string& text :
         options_.processes->all_gather_texts(meeting, *replies, own, std::numeric_limits<std::int64_t>::max()))
        all += text;
    if (all.size() > options_.most_text) refuse_text(options_.most_text);
    if (!all.empty() && options_.output) options_.output(all);
}

/// After the entry of a program has returned: tells the others whether a check has failed here.
void CallState::end_meeting(PmCall* call) {
    if (!lanes_since_meeting_ || (read_stop(call) & abandon) != 0) return;
    try {
        static_cast<void>(meet(call, {.kind = MeetingKind::end, .text = "the end of " + options_.place}));
    } catch (...) {
        abandon_call(call, stop_thrown, std::current_exception());
    }
}

} // namespace pm::runtime
