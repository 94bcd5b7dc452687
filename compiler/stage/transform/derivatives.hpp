#pragma once
#include "compiler/stage/core/stager.hpp"

namespace pm::stage {

/// Runs or stages a call of grad(f) or value_and_grad(f).
Value gradient_call(Stager& s, const Transformed& t, Call call);
/// Computes vjp and linearize. If `reverse` is true, returns (results, a function of cotangents). Otherwise returns
/// (results, a function of tangents). If `has_aux` is true, the third item of the returned tuple is the second result
/// of the function.
Value split_derivative(Stager& s, const Value& function, const std::vector<Value>& primals, bool reverse, bool has_aux,
                       Span span);
/// Runs or stages a call of `map`, the linear function that split_derivative has returned.
Value linear_call(Stager& s, const LinearMap& map, const std::vector<Value>& arguments, Span span);
/// Computes jvp. Returns (results, tangents). If `has_aux` is true, the third item of the returned tuple is the second
/// result of the function.
Value forward_derivative(Stager& s, const Value& function, const std::vector<Value>& primals,
                         const std::vector<Value>& tangents, bool has_aux, Span span);

} // namespace pm::stage
