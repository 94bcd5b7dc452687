#pragma once
#include "runtime/processes/processes.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pm::api {

/// The processes that a launcher has started to run one program. Only one thread at a time may use a job and its
/// processes.
class Job {
  public:
    /// Joins the job of this process's launcher. `engine` is the library of the engine: a path, or a name for the
    /// system's dynamic linker. The job sets `exists` and `spin` of the options. Throws runtime::JobFailure if the
    /// engine is missing, or if the processes run different releases.
    Job(const std::string& engine, runtime::ProcessesOptions options);

    runtime::Processes& processes() { return *processes_; }
    bool is_first() const { return processes_->index() == 0; }

    /// Compares texts, such as the program, of all processes. `items` are pairs of a name for messages and a text.
    /// Throws runtime::JobFailure(differ) with the first that is not the same.
    void require_equal(const std::vector<std::pair<std::string, std::string>>& items);

    /// Ends the job after the program has ended, with or without an error. All processes come to this meeting. `error`
    /// is empty or one line. Returns the errors of all processes; only the own one after a failure of the job.
    std::vector<std::string> end(const std::string& error);

  private:
    void find_neighbours();

    const PmEngine* engine_ = nullptr;
    std::vector<int> neighbours_; ///< for each process its number in the system, or 0 if it is on another host
    std::unique_ptr<runtime::Processes> processes_;
};

/// Whether a launcher of several processes has started this one, by its environment.
bool in_job();
/// The number of processes that the launcher has started on this host, at least 1.
int processes_of_host();

} // namespace pm::api
