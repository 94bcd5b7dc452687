#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// Stages a call of custom_jvp(f, rule), custom_vjp(f, fwd, bwd) or of a linear function. Within n nested derivatives,
/// rules are also staged, to a nesting depth of n: the rules of f, the rules of custom functions that these rules call,
/// and so on. `arguments` has all arguments of f, in the order of its parameters.
Value custom_call(Stager& s, const Transformed& t, const std::vector<Value>& arguments, Span span);

} // namespace pm::stage
