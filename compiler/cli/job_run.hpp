#pragma once
#include "compiler/api/job.hpp"
#include "compiler/cli/options.hpp"

#include <memory>

namespace pm::cli {

/// Whether the options ask for several processes, and this one is not one of them.
bool starts_processes(const Options& options);
/// Starts the program in several processes by mpirun, and again if one of them is lost and the options permit it.
/// Returns the exit code. Throws pm::Error if mpirun cannot be started.
int launch(const Options& options);

/// Joins the job whose launcher has started this process, and sets the options of the session for it. Only the first
/// process shows output and messages. Returns null if no launcher has started this process. Throws
/// runtime::JobFailure.
std::unique_ptr<api::Job> join_job(Options& options);
/// Ends the program in all processes of the job. `said` has the error of this process, if there is one. The first
/// process with an error shows it. Returns the exit code, or ends this process at once if the others cannot be waited
/// for.
int end_job(api::Job& job, Said said);

} // namespace pm::cli
