#pragma once
#include "compiler/base/diagnostic.hpp"
#include "runtime/failure.hpp"
#include "runtime/processes/processes.hpp"

namespace pm::stage {

/// The diagnostic for a failure of the runtime.
Diagnostic failure_diagnostic(const runtime::Failure& failure, Span span);
/// ", train.pm:16", the place of a meeting of processes; empty without a place.
std::string place_text(const SourceMap& sources, Span span);
/// The diagnostic for a failure of the processes of a job.
Diagnostic job_diagnostic(const runtime::JobFailure& failure, Span span);
/// Adds notes that name the iterations in which a check failed: "in iteration 2 of `for x in xs`".
void note_iterations(Diagnostic& d, const SourceMap& sources);

} // namespace pm::stage
