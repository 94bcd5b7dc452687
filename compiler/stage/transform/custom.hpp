#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// A call of custom_jvp(f, rule) or custom_vjp(f, fwd, bwd): of `f`, and with it the functions that say what its
/// derivative is, staged for as many derivatives as are taken around the call. `arguments` are all that f has, in its
/// order.
Value custom_call(Stager& s, const Transformed& t, const std::vector<Value>& arguments, Span span);

} // namespace pm::stage
