#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// Runs a call of `assert` whose arguments have not been evaluated yet. The error message shows the values that the
/// condition compares. Returns false, without any effect, if the call does not have the form `assert(condition)` or
/// `assert(condition, text)`.
bool assertion(Stager& s, const syntax::Call& call, Span span);

} // namespace pm::stage
