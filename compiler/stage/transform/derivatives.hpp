#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// Runs or stages a call of grad(f) or value_and_grad(f).
Value gradient_call(Stager& s, const Transformed& t, Call call);
/// vjp and linearize. In reverse mode, returns (results, a function of cotangents); in forward mode, (results, a
/// function of tangents). With `has_aux`, the second result of the function is the third item.
Value split_derivative(Stager& s, const Value& function, const std::vector<Value>& primals, bool reverse, bool has_aux,
                       Span span);
/// Runs or stages a call of the function of cotangents or tangents that split_derivative has returned.
Value linear_call(Stager& s, const LinearMap& map, const std::vector<Value>& arguments, Span span);
/// jvp. Returns (results, tangents). With `has_aux`, the second result of the function is the third item.
Value forward_derivative(Stager& s, const Value& function, const std::vector<Value>& primals,
                         const std::vector<Value>& tangents, bool has_aux, Span span);

} // namespace pm::stage
