#pragma once
#include "runtime/processes/processes.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pm::runtime::test {

/// The network of a simulated job. A message of n bytes arrives after `latency` + n / `bytes_per_second`. The sender is
/// busy for `per_message` + n / `bytes_per_second` before its next message.
struct Network {
    std::chrono::nanoseconds latency{2000};
    std::chrono::nanoseconds per_message{500};
    double bytes_per_second = 1e10;
    std::chrono::nanoseconds jitter{0}; ///< the greatest random addition to the latency of a message
    std::uint64_t seed = 1;
    /// The time after which a process learns that another one has been killed. nullopt: the engine does not tell it.
    std::optional<std::chrono::nanoseconds> notice_of_death = {};
};

/// What happens to a process at an event. The events of a process are its calls of engine functions that begin
/// operations, counted from 0.
struct Fate {
    enum class Kind : std::uint8_t { killed, paused, late } kind = Kind::killed;
    int process = 0;
    int event = 0;
    std::chrono::nanoseconds time{0}; ///< of a process that is late
};

/// How a process of a simulated job has ended.
struct Ending {
    enum class Kind : std::uint8_t { done, killed, paused, failed } kind = Kind::done;
    std::optional<JobFailure> failure = {}; ///< if `kind` is failed
    std::chrono::nanoseconds time{0};       ///< when it ended
    std::int64_t messages = 0;              ///< that it has sent
    std::int64_t bytes = 0;                 ///< that it has sent
    std::vector<std::string> notices = {};
};

/// Runs body(processes) for each process of a job in virtual time, on one thread. The processes alternate when they
/// wait. A run with the same arguments is the same to the last event.
std::vector<Ending> simulate(int count, const Network& network, const std::vector<Fate>& fates,
                             const ProcessesOptions& options, const std::function<void(Processes&)>& body);

} // namespace pm::runtime::test
