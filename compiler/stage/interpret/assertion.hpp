#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// Runs a call of `assert` whose arguments are not evaluated yet. The message shows the values that the condition
/// compares. Returns false without any effect unless the call is a plain `assert(condition)` or `assert(condition,
/// text)`.
bool assertion(Stager& s, const syntax::Call& call, Span span);

} // namespace pm::stage
