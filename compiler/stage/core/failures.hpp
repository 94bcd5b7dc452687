#pragma once
#include "compiler/base/diagnostic.hpp"
#include "runtime/failure.hpp"

namespace pm::stage {

/// A failure of the runtime as a diagnostic.
Diagnostic failure_diagnostic(const runtime::Failure& failure, Span span);
/// Adds notes with the iterations of a failed check: "in iteration 2 of `for x in xs`".
void note_iterations(Diagnostic& d, const SourceMap& sources);

} // namespace pm::stage
