#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// A call of a vmapped or pmapped function.
Value map_call(Stager& s, const Transformed& t, Call call);

} // namespace pm::stage
