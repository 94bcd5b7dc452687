#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// Stages a call of custom_jvp(f, rule), custom_vjp(f, fwd, bwd) or of a linear function. Within n nested derivatives,
/// the rules of f are staged too. If n is greater than 1, the rules of custom functions that these rules call are also
/// staged, to a nesting depth of n. `arguments` has all arguments of f, in the order of the parameters of f.
Value custom_call(Stager& s, const Transformed& t, const std::vector<Value>& arguments, Span span);

} // namespace pm::stage
