#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// A call of grad(f) or value_and_grad(f).
Value gradient_call(Stager& s, const Transformed& t, Call call);
/// vjp and linearize: returns (results, a function of cotangents) for reverse mode, (results, a function of tangents)
/// for forward mode. With `has_aux` the second result of the function follows.
Value split_derivative(Stager& s, const Value& function, const std::vector<Value>& primals, bool reverse, bool has_aux,
                       Span span);
/// A call of the function of cotangents or tangents that split_derivative returned.
Value linear_call(Stager& s, const LinearMap& map, const std::vector<Value>& arguments, Span span);
/// jvp: returns (results, tangents), and with `has_aux` the second result of the function.
Value forward_derivative(Stager& s, const Value& function, const std::vector<Value>& primals,
                         const std::vector<Value>& tangents, bool has_aux, Span span);

} // namespace pm::stage
