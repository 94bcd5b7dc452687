#pragma once
#include "runtime/processes/engine.h"

#include <cstdint>
#include <vector>

namespace pm::runtime {

/// Finds the processes that have not come to a meeting. Processes that wait send each other the number of the meeting.
/// A process from which no such message comes is somewhere else, or gone.
class Attendance {
  public:
    explicit Attendance(const PmEngine& engine);

    /// Begins to listen to the others. Further calls have no effect.
    void listen();
    /// Tells all others that this process waits at the meeting `number`. Once for each meeting.
    void tell(std::uint64_t number);
    /// Receives the messages that have come. Returns whether a process has told that it waits at the meeting `number`.
    bool receive(std::uint64_t number);
    /// The processes that have not told that they wait at the meeting `number`, or at a later one.
    std::vector<int> missing(std::uint64_t number) const;

  private:
    struct Peer {
        PmOperation* receiving = nullptr;
        PmOperation* sending = nullptr;
        std::uint64_t received = 0; ///< the buffer of `receiving`
        std::uint64_t sent = 0;     ///< the buffer of `sending`
        std::uint64_t seen = 0;     ///< the last number that has come
    };
    bool others(int process) const { return process != engine_.index; }

    const PmEngine& engine_;
    std::vector<Peer> peers_;
    bool listening_ = false;
    std::uint64_t told_ = 0;
};

} // namespace pm::runtime
