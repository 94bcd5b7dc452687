#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// A call of `assert` whose arguments are not evaluated yet: the message shows the values that the condition compares.
/// Returns false, and has done nothing, when the call is no plain `assert(condition)` or `assert(condition, text)`.
bool assertion(Stager& s, const syntax::Call& call, Span span);

} // namespace pm::stage
