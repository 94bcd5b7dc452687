#pragma once
#include "compiler/base/diagnostic.hpp"
#include "runtime/failure.hpp"

namespace pm::stage {

/// A failure of the runtime as a diagnostic.
Diagnostic failure_diagnostic(const runtime::Failure& failure, Span span);

} // namespace pm::stage
