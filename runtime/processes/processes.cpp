#include "runtime/processes/processes.hpp"

#include "runtime/memory/packed_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace pm::runtime {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

constexpr std::uint64_t header_magic = 0x31544545'4D4D50; // "PMMEET1" in memory
/// The time for which a process waits for others only to tell them that it stops.
constexpr nanoseconds patience_of_stop = 1s;
/// Messages of a process that has ended may still arrive for this time.
constexpr nanoseconds late_messages = 100ms;

/// The hash of a meeting, in which all processes must agree.
std::uint64_t content_of(const Meeting& m) {
    const std::array<std::int64_t, 4> parts{static_cast<std::int64_t>(m.kind), m.site, m.lanes, m.bytes};
    return hash_of({reinterpret_cast<const char*>(parts.data()), sizeof parts});
}

double seconds(nanoseconds time) { return std::chrono::duration<double>(time).count(); }

} // namespace

struct Processes::Waiting {
    bool noticed = false;
    bool told = false;
    nanoseconds looked{-1};   ///< when it was last asked whether the other processes exist
    std::optional<int> ended; ///< a process that does not exist any more
    nanoseconds ended_since{};
    std::optional<nanoseconds> ending; ///< since when the launcher ends the job

    /// A process does not exist any more. Its messages may still arrive.
    void end_of(int process, nanoseconds waited) {
        if (ended) return;
        ended = process;
        ended_since = waited;
    }
};

Processes::Processes(const PmEngine& engine, ProcessesOptions options)
    : engine_(engine), options_(std::move(options)), names_(static_cast<std::size_t>(engine.count)),
      headers_(static_cast<std::size_t>(engine.count)), attendance_(engine) {}

void Processes::introduce(std::string_view own_name) {
    const std::vector<Reply> replies = meet({.kind = MeetingKind::begin, .text = "the start"}, own_name);
    std::ranges::transform(replies, names_.begin(), &Reply::payload);
}

std::vector<Reply> Processes::meet(const Meeting& meeting, std::string_view payload) {
    meet_with(meeting.kind, payload, meeting, options_.patience);
    check_headers(meeting);
    return replies();
}

std::vector<Reply> Processes::replies() const {
    std::vector<Reply> replies;
    for (const Header& header : headers_)
        replies.push_back(
            {header.kind, std::string(header.payload.data(), std::min<std::size_t>(header.size, longest_payload))});
    return replies;
}

std::string Processes::from_first(const Meeting& meeting, std::string_view text) {
    constexpr std::size_t shortest = longest_payload - sizeof(std::int64_t);
    std::string payload = index() == 0 ? size_payload(text) : std::string();
    if (index() == 0 && text.size() <= shortest) payload += text; // a short text is in the header
    std::vector<Reply> replies = meet(meeting, payload);
    if (replies[0].payload.size() > sizeof(std::int64_t)) return replies[0].payload.substr(sizeof(std::int64_t));
    constexpr std::int64_t most = std::int64_t{1} << 32;
    return all_gather_texts(meeting, replies, index() == 0 ? text : std::string_view(), most)[0];
}

std::string Processes::size_payload(std::string_view text) {
    std::string payload;
    append_number(payload, static_cast<std::int64_t>(text.size()));
    return payload;
}

std::vector<std::string> Processes::all_gather_texts(const Meeting& meeting, const std::vector<Reply>& replies,
                                                     std::string_view own, std::int64_t most) {
    Parts received;
    std::int64_t bytes = 0;
    for (std::size_t p = 0; p < replies.size(); ++p) {
        std::string_view payload = replies[p].payload;
        const std::int64_t size = take_number(payload).value_or(0);
        if (size < 0 || size > most - bytes)
            fail({JobFailureKind::engine,
                  fmt::format("{} sends too long a text", names_of({static_cast<int>(p)})),
                  {static_cast<int>(p)}});
        received.offsets.push_back(bytes);
        received.counts.push_back(size);
        bytes += size;
    }
    std::string all(static_cast<std::size_t>(bytes), '\0');
    if (bytes > 0) all_gather_parts(meeting, own.data(), all.data(), received);
    std::vector<std::string> texts;
    for (std::size_t p = 0; p < replies.size(); ++p)
        texts.push_back(
            all.substr(static_cast<std::size_t>(received.offsets[p]), static_cast<std::size_t>(received.counts[p])));
    return texts;
}

/// Exchanges headers.
void Processes::meet_with(MeetingKind kind, std::string_view payload, const Meeting& meeting, nanoseconds patience) {
    if (failure_) throw *failure_;
    payload = payload.substr(0, longest_payload);
    own_ = {header_magic,
            ++meetings_,
            history_.hash(),
            content_of(meeting),
            kind,
            static_cast<std::uint32_t>(payload.size()),
            {}};
    std::ranges::copy(payload, own_.payload.begin());
    complete(engine_.all_gather(engine_.state, &own_, headers_.data(), sizeof own_), meeting, patience);
}

/// Checks the headers of the others, and adds the meeting to the history. All processes have the same headers, so all
/// find the same error.
void Processes::check_headers(const Meeting& meeting) {
    std::vector<int> stopped;
    for (int p = 0; p < count(); ++p) {
        const Header& header = headers_[static_cast<std::size_t>(p)];
        if (header.magic != header_magic || header.size > longest_payload)
            fail({JobFailureKind::engine,
                  fmt::format("{} runs another release of Polymap, or the network changes bytes", names_of({p})),
                  {p}});
        if (header.kind == MeetingKind::failed) stopped.push_back(p);
    }
    if (!stopped.empty()) {
        const Header& first = headers_[static_cast<std::size_t>(stopped[0])];
        fail({JobFailureKind::stopped,
              fmt::format("{} has stopped: {}", names_of({stopped[0]}),
                          std::string_view(first.payload.data(), first.size)),
              stopped});
    }
    const auto fails = [](const Header& header) { return header.kind == MeetingKind::check; };
    const auto meets = std::ranges::find_if_not(headers_, fails);
    for (const Header& header : headers_)
        if (header.number != headers_[0].number || header.history != headers_[0].history ||
            (!fails(header) && header.content != meets->content))
            fail_apart(meeting);
    if (std::ranges::none_of(headers_, fails)) history_.add(own_.content, meeting.text);
}

/// Exchanges the last events, to name the first difference.
void Processes::fail_apart(const Meeting& meeting) {
    history_.add(own_.content, meeting.text);
    const std::vector<char> own = history_.packed();
    std::vector<char> all(own.size() * headers_.size());
    complete(engine_.all_gather(engine_.state, own.data(), all.data(), static_cast<std::int64_t>(own.size())),
             {.kind = MeetingKind::failed, .text = "the comparison of histories"}, options_.patience);
    std::vector<std::vector<HistoryEvent>> histories;
    for (std::size_t p = 0; p < headers_.size(); ++p)
        histories.push_back(History::unpacked({all.data() + p * own.size(), own.size()}));
    fail({JobFailureKind::apart,
          "the processes are not at the same place of the program",
          {},
          divergence_of(histories)});
}

void Processes::all_gather(const Meeting& meeting, const void* in, void* out, std::int64_t bytes) {
    complete(engine_.all_gather(engine_.state, in, out, bytes), meeting, options_.patience);
}

void Processes::all_gather_parts(const Meeting& meeting, const void* in, void* out, const Parts& received) {
    complete(engine_.all_gather_parts(engine_.state, in, out, received.counts.data(), received.offsets.data()), meeting,
             options_.patience);
}

void Processes::all_to_all(const Meeting& meeting, const void* in, const Parts& sent, void* out,
                           const Parts& received) {
    complete(engine_.all_to_all(engine_.state, in, sent.counts.data(), sent.offsets.data(), out, received.counts.data(),
                                received.offsets.data()),
             meeting, options_.patience);
}

char* Processes::outgoing(std::int64_t bytes) {
    if (const auto size = static_cast<std::size_t>(bytes); outgoing_.size() < size) outgoing_.resize(size);
    return outgoing_.data();
}

char* Processes::incoming(std::int64_t bytes) {
    if (const auto size = static_cast<std::size_t>(bytes); incoming_.size() < size) incoming_.resize(size);
    return incoming_.data();
}

std::vector<Reply> Processes::stop(std::string_view why) noexcept {
    try {
        meet_with(MeetingKind::failed, why, {.kind = MeetingKind::failed, .text = "the end"},
                  std::min(options_.patience, patience_of_stop));
        std::vector<Reply> told = replies();
        // If all have stopped, they may go on together. Otherwise the others have found the job closed.
        if (std::ranges::any_of(told, [](const Reply& r) { return r.kind != MeetingKind::failed; }))
            failure_ = {JobFailureKind::stopped, fmt::format("this process has stopped: {}", why), {index()}};
        return told;
    } catch (...) { // the others may be gone too
        return {};
    }
}

// ---- waiting

Processes::Time Processes::now() const { return options_.now ? options_.now() : ProcessesOptions::Clock::now(); }

/// Spins at first, because most waits are short. Then the pauses grow, so that a long wait costs nothing.
void Processes::pause(nanoseconds waited) const {
    if (waited < options_.spin) return;
    const nanoseconds time = std::clamp<nanoseconds>(waited / 50, 20us, 1ms);
    if (options_.sleep)
        options_.sleep(time);
    else
        std::this_thread::sleep_for(time);
}

void Processes::complete(PmOperation* operation, const Meeting& meeting, nanoseconds patience) {
    if (operation == nullptr)
        fail(
            {JobFailureKind::engine, fmt::format("{} cannot begin an exchange at {}", engine_.name, meeting.text), {}});
    constexpr nanoseconds longest_step = 1s; // of the loop. A longer one is a time in which this process was stopped
    Time begin = now(), last = begin;
    Waiting state;
    for (;;) {
        const char* why = nullptr;
        std::int32_t lost = -1;
        switch (engine_.test(engine_.state, operation, &why, &lost)) {
        case PM_OPERATION_DONE: return;
        case PM_OPERATION_FAILED:
            fail_lost(lost < 0 ? std::vector<int>{} : std::vector<int>{lost}, meeting, why == nullptr ? "" : why);
        case PM_OPERATION_RUNNING: break;
        }
        const Time present = now();
        if (present - last > longest_step) begin += present - last;
        last = present;
        const nanoseconds waited = present - begin;
        if (lost >= 0) state.end_of(lost, waited);
        try {
            if (options_.poll) options_.poll();
        } catch (...) {
            failure_ = {
                JobFailureKind::stopped, fmt::format("this process has stopped at {}", meeting.text), {index()}};
            throw;
        }
        look_around(meeting, waited, patience, state);
        pause(waited);
    }
}

/// Finds the processes that are missing in a wait, tells it, and ends the wait after the patience.
void Processes::look_around(const Meeting& meeting, nanoseconds waited, nanoseconds patience, Waiting& state) {
    if (waited < std::min<nanoseconds>(100ms, patience / 8)) return;
    const nanoseconds answers = std::min<nanoseconds>(300ms, patience / 4); // the time in which others answer
    attendance_.listen();
    const bool asked = attendance_.receive(meetings_);
    if (!state.told && (asked || state.ending || waited >= std::min(options_.notice_after, patience - 2 * answers))) {
        state.told = true;
        attendance_.tell(meetings_);
    }
    if (options_.exists && waited - state.looked >= 50ms) {
        state.looked = waited;
        for (int p = 0; p < count() && !state.ended; ++p)
            if (p != index() && !options_.exists(p)) state.end_of(p, waited);
    }
    // The others still wait, if they wait here, and tell it. The time is enough for their answers.
    if (!state.ending && options_.ends && options_.ends()) state.ending = waited;
    if (state.ending && waited - *state.ending >= answers) {
        std::vector<int> missing = attendance_.missing(meetings_);
        fail_lost(std::move(missing), meeting, "the launcher ends the job");
    }
    if (state.ended && waited - state.ended_since >= late_messages) fail_lost({*state.ended}, meeting, "it has ended");
    if (!state.noticed && waited >= options_.notice_after + answers) {
        state.noticed = true;
        const std::vector<int> missing = attendance_.missing(meetings_);
        const bool all_before_are_missing =
            static_cast<int>(std::ranges::count_if(missing, [&](int p) { return p < index(); })) == index();
        if (options_.notice && !missing.empty() && all_before_are_missing)
            options_.notice(fmt::format("waiting for {} at {}", names_of(missing), meeting.text));
    }
    if (waited < patience) return;
    std::vector<int> missing = attendance_.missing(meetings_);
    const std::string why = missing.empty() ? "all processes wait, but the network brings nothing"
                                            : fmt::format("no answer within {:g} s", seconds(patience));
    fail_lost(std::move(missing), meeting, why);
}

// ---- failures

void Processes::fail(JobFailure failure) {
    failure_ = std::move(failure);
    throw *failure_;
}

void Processes::fail_lost(std::vector<int> processes, const Meeting& meeting, std::string_view why) {
    const std::string who = processes.empty() ? "a process" : names_of(processes);
    fail(
        {JobFailureKind::lost, fmt::format("{} did not come to {}: {}", who, meeting.text, why), std::move(processes)});
}

/// As processes_text(). One process is shown with its name: "process 2 (host b, pid 4711)".
std::string Processes::names_of(const std::vector<int>& processes) const {
    std::string text = processes_text(processes);
    if (processes.size() != 1 || name(processes[0]).empty()) return text;
    return fmt::format("{} ({})", text, name(processes[0]));
}

std::string processes_text(const std::vector<int>& processes, std::string_view verb) {
    constexpr std::size_t most = 8;
    const std::string end = verb.empty() ? "" : fmt::format(" {}", verb);
    if (processes.size() == 1) return fmt::format("process {}{}", processes[0], end);
    const std::size_t shown = processes.size() > most ? most - 1 : processes.size() - 1;
    const std::string list =
        fmt::format("{}", fmt::join(processes.begin(), processes.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
    return processes.size() > most ? fmt::format("processes {} and {} others{}", list, processes.size() - shown, end)
                                   : fmt::format("processes {} and {}{}", list, processes.back(), end);
}

} // namespace pm::runtime
