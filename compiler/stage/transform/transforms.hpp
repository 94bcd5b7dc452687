#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// grad(f, ...), vmap(f, ...) and similar functions as values; `names` are the native's parameters. Options must be
/// known.
Value transform_value(Stager& s, Transformation kind, Arguments& a, const std::vector<std::string>& names);
/// checkpoint(f, policy, loops) as a value; refuses unknown policies.
Value checkpoint_value(Stager& s, Arguments& a);
/// custom_jvp(f, rule), custom_vjp(f, fwd, bwd), _linear_call(f, transpose) as values.
Value custom_value(Stager& s, Transformation kind, const Arguments& a);
/// A call of checkpoint(f).
Value checkpoint_call(Stager& s, const Transformed& t, Call inner);

} // namespace pm::stage
