#pragma once
#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/values/promotion.hpp"

/// Array arithmetic in the current context: promotion and broadcasting.
namespace pm::stage {

/// An elementwise operation on promoted and broadcast operands.
Value elementwise(Stager& s, ir::Op op, std::vector<Value> operands, Span span);
/// An elementwise operation on one operand. Integers become floats.
Value elementwise_float(Stager& s, ir::Op op, const Value& x, Span span);
/// The operand in the current block; integers as floats.
ir::Value as_float(Stager& s, const Value& x, bool* weak = nullptr);
/// `dtype(v)`. Raises if the dtype cannot hold v.
Value cast(Stager& s, const Value& v, DType dtype, Span span);
/// The promoted dtype of several values.
Promoted promoted_type(const std::vector<Value>& values, Span span);
/// Converts and broadcasts all values to one dtype and shape. The message names an operand that does not fit.
std::vector<ir::Value> aligned(Stager& s, const std::vector<Value>& values, Span span, Promoted* type = nullptr);
/// The real or the imaginary part: `x.real`, `imag(x)`.
Value complex_part(Stager& s, const Value& x, bool real, Span span);

} // namespace pm::stage
