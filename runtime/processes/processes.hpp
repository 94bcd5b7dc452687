#pragma once
#include "runtime/processes/attendance.hpp"
#include "runtime/processes/engine.h"
#include "runtime/processes/meeting_history.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pm::runtime {

/// The reason for a meeting of processes.
enum class MeetingKind : std::uint32_t {
    begin,      ///< a call with lanes begins
    collective, ///< a collective of compiled code
    read,       ///< the parts of an array are read
    write,      ///< process 0 prints or writes
    end,        ///< a call with lanes ends
    check,      ///< a check has failed in the lanes of a process: it ends the call in which all others are
    failed,     ///< a process leaves because of an error
};

/// A meeting. All processes of a job come to equal meetings in the same order.
struct Meeting {
    MeetingKind kind = MeetingKind::begin;
    std::int64_t site = 0;  ///< the position in the program
    std::int64_t lanes = 0; ///< the number of lanes of all processes
    std::int64_t bytes = 0; ///< the size of the exchange that follows
    std::string text = {};  ///< the place for messages, such as "`pmean`, train.pm:16"; not compared
};

/// The message of a process at a meeting.
struct Reply {
    MeetingKind kind = MeetingKind::begin;
    std::string payload;
};

/// Why the processes of a job cannot go on together.
enum class JobFailureKind : std::uint8_t {
    lost,    ///< processes are gone, or have not come to a meeting within the patience
    apart,   ///< processes are at different places of the program
    stopped, ///< a process has stopped because of its own error
    differ,  ///< a value that must be the same on all processes is not
    engine   ///< the engine cannot begin an operation, or has sent bytes that are no header
};

class JobFailure : public std::exception {
  public:
    JobFailure(JobFailureKind kind, std::string message, std::vector<int> processes, Divergence divergence = {})
        : kind_(kind), message_(std::move(message)), processes_(std::move(processes)),
          divergence_(std::move(divergence)) {}

    JobFailureKind kind() const { return kind_; }
    const std::string& message() const { return message_; }
    /// The processes that are gone, have not come, or have stopped. Empty for `apart`.
    const std::vector<int>& processes() const { return processes_; }
    const Divergence& divergence() const { return divergence_; } ///< for `apart`
    const char* what() const noexcept override { return message_.c_str(); }

  private:
    JobFailureKind kind_;
    std::string message_;
    std::vector<int> processes_;
    Divergence divergence_;
};

/// "process 2", "processes 1 and 3", "processes 1, 2, 3 and 40 others", followed by the verb.
std::string processes_text(const std::vector<int>& processes, std::string_view verb = {});

struct ProcessesOptions {
    using Clock = std::chrono::steady_clock;
    /// The longest time for which a process waits for others at a meeting.
    std::chrono::nanoseconds patience = std::chrono::seconds(300);
    /// The time after which one waiting process names the ones that it waits for, once for a meeting.
    std::chrono::nanoseconds notice_after = std::chrono::seconds(10);
    /// The time for which a wait spins before it sleeps. An engine makes progress only in a call, so a sleep of 20 us
    /// costs 70 us. Sums of two processes on two processors, with 30 us and with 300: 1 MB through shared memory 880 us
    /// and 253, 4 KB through TCP 522 us and 22. It is 0 if there are more processes than processors.
    std::chrono::nanoseconds spin = std::chrono::microseconds(300);
    std::function<void(std::string_view)> notice = {}; ///< receives this message
    /// Called while the process waits. An exception from `poll` ends the wait, and with it the job.
    std::function<void()> poll = {};
    /// Whether the launcher ends the job, because a process is lost. Asked during waits. Null: it does not.
    std::function<bool()> ends = {};
    /// Whether the process on this host with this number of the system exists. Null: it is not asked.
    std::function<bool(int process)> exists = {};
    std::function<Clock::time_point()> now = {};              ///< null: Clock::now
    std::function<void(std::chrono::nanoseconds)> sleep = {}; ///< null: the thread sleeps
};

/// The processes of one job. Each of them runs the same program. They meet before each exchange: an all-gather of a
/// header of 256 bytes tells where each one is. A meeting of processes at different places is an error on all of them,
/// and not a wrong message. A process that does not come is an error after the patience.
///
/// After a JobFailure the object is closed: further meetings throw it again, and operations that are under way keep
/// their buffers.
class Processes {
  public:
    /// The longest payload of a header.
    static constexpr std::size_t longest_payload = 216;

    /// `engine` lives until the process ends.
    Processes(const PmEngine& engine, ProcessesOptions options);
    ~Processes() = default;
    Processes(const Processes&) = delete;
    Processes& operator=(const Processes&) = delete;

    int index() const { return engine_.index; }
    int count() const { return engine_.count; }
    History& history() { return history_; }
    /// The failure that has closed the object.
    const std::optional<JobFailure>& failure() const { return failure_; }
    /// Whether all processes run on one host and see each other there.
    bool on_one_host() const { return on_one_host_; }
    void set_on_one_host(bool is) { on_one_host_ = is; }
    const std::string& name(int process) const { return names_[static_cast<std::size_t>(process)]; }

    /// Tells all processes the names of the others, "host b, pid 4711". Called once, before the first meeting.
    void introduce(std::string_view own_name);
    /// Meets all other processes. Returns what each process has told. A process may come to a meeting of the kind
    /// `check` while others come to another one. Then the others have not had their meeting. Throws JobFailure.
    std::vector<Reply> meet(const Meeting& meeting, std::string_view payload = {});

    /// A number for an array that is divided among the processes, in the order in which they divide arrays.
    std::int64_t next_array() { return ++arrays_; }

    /// Meets all other processes, and returns the text of process 0. Throws JobFailure.
    std::string from_first(const Meeting& meeting, std::string_view text);

    // The exchanges of engine.h, which follow a meeting of the same place. They return when they are complete. Throw
    // JobFailure.
    void all_gather(const Meeting& meeting, const void* in, void* out, std::int64_t bytes);
    struct Parts {
        std::vector<std::int64_t> counts, offsets; ///< in bytes, for each process
    };
    /// Memory for `bytes` bytes that an exchange sends, until the next call. An exchange that has failed may still read
    /// its memory, so this memory lives as long as the object.
    char* outgoing(std::int64_t bytes);
    char* incoming(std::int64_t bytes); ///< the same for bytes that an exchange receives
    /// The texts of all processes, of any length. The payload of each at the meeting began with size_payload() of its
    /// text. A payload that is too short stands for no text. Fails if all texts together have more than `most` bytes.
    std::vector<std::string> all_gather_texts(const Meeting& meeting, const std::vector<Reply>& replies,
                                              std::string_view own, std::int64_t most);
    static std::string size_payload(std::string_view text);
    void all_gather_parts(const Meeting& meeting, const void* in, void* out, const Parts& received);
    void all_to_all(const Meeting& meeting, const void* in, const Parts& sent, void* out, const Parts& received);

    /// Closes the object, and throws the failure.
    [[noreturn]] void fail(JobFailure failure);
    /// Comes to the next meeting to tell the others that this process has stopped, and why. Waits for at most a second.
    /// Returns the replies of all processes; none if the others did not come.
    std::vector<Reply> stop(std::string_view why) noexcept;

  private:
    using Time = ProcessesOptions::Clock::time_point;
    struct Header {
        std::uint64_t magic = 0;
        std::uint64_t number = 0;  ///< of the meeting, from 1
        std::uint64_t history = 0; ///< the hash of the process's history before the meeting
        std::uint64_t content = 0; ///< the hash of the meeting, see Meeting
        MeetingKind kind = MeetingKind::begin;
        std::uint32_t size = 0; ///< of the payload
        std::array<char, longest_payload> payload{};
    };
    static_assert(sizeof(Header) == 256);
    struct Waiting; ///< the state of a wait

    Time now() const;
    /// Waits until an operation that has just begun is complete.
    void complete(PmOperation* operation, const Meeting& meeting, std::chrono::nanoseconds patience);
    void pause(std::chrono::nanoseconds waited) const;
    void meet_with(MeetingKind kind, std::string_view payload, const Meeting& meeting,
                   std::chrono::nanoseconds patience);
    void check_headers(const Meeting& meeting);
    std::vector<Reply> replies() const;
    [[noreturn]] void fail_apart(const Meeting& meeting);
    void look_around(const Meeting& meeting, std::chrono::nanoseconds waited, std::chrono::nanoseconds patience,
                     Waiting& state);
    [[noreturn]] void fail_lost(std::vector<int> processes, const Meeting& meeting, std::string_view why);
    std::string names_of(const std::vector<int>& processes) const;

    const PmEngine& engine_;
    ProcessesOptions options_;
    History history_;
    std::vector<std::string> names_;
    Header own_;                  ///< sent to the current meeting
    std::vector<Header> headers_; ///< received in the current meeting
    std::uint64_t meetings_ = 0;
    std::int64_t arrays_ = 0; ///< the number of arrays that have been divided
    bool on_one_host_ = false;
    Attendance attendance_;
    std::vector<char> outgoing_, incoming_;
    std::optional<JobFailure> failure_;
};

} // namespace pm::runtime
