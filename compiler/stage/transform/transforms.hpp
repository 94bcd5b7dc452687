#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// The value of grad(f, ...), vmap(f, ...) and similar calls. `names` are the parameters of the native function. Raises
/// if a number in an option cannot be known.
Value transform_value(Stager& s, Transformation kind, Arguments& a, const std::vector<std::string>& names);
/// The value of checkpoint(f, policy, loops). Raises if the policy is unknown.
Value checkpoint_value(Stager& s, Arguments& a);
/// The value of custom_jvp(f, rule), custom_vjp(f, fwd, bwd) or _linear_call(f, transpose).
Value custom_value(Stager& s, Transformation kind, const Arguments& a);
/// Runs or stages a call of checkpoint(f).
Value checkpoint_call(Stager& s, const Transformed& t, Call inner);

} // namespace pm::stage
