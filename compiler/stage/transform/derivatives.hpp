#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// A call of grad(f) or value_and_grad(f).
Value gradient_call(Stager& s, const Transformed& t, Call call);

} // namespace pm::stage
