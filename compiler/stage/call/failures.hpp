#pragma once
#include "compiler/base/diagnostic.hpp"
#include "runtime/failure.hpp"

namespace pm::stage {

/// A failure of the runtime as a diagnostic.
Diagnostic failure_diagnostic(const runtime::Failure& failure, Span span);
/// Moves the repair in the text of a check, which follows a `|`, to the help.
void split_repair(Diagnostic& d);

} // namespace pm::stage
