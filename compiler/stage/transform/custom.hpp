#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// Stages a call of custom_jvp(f, rule) or custom_vjp(f, fwd, bwd). Within n nested derivatives, its rules are staged
/// with `f`, n levels deep. `arguments` has all arguments of f, in its order.
Value custom_call(Stager& s, const Transformed& t, const std::vector<Value>& arguments, Span span);

} // namespace pm::stage
