#pragma once
#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/values/promotion.hpp"

/// Array arithmetic in the current context: promotion and broadcasting.
namespace pm::stage {

/// The result of an elementwise operation. The operands are promoted and broadcast first.
Value elementwise(Stager& s, ir::Op op, std::vector<Value> operands, Span span);
/// The result of an elementwise operation on one operand. An integer operand is converted to a float first.
Value elementwise_float(Stager& s, ir::Op op, const Value& x, Span span);
/// The operand in the current block. Integers are converted to floats.
ir::Value as_float(Stager& s, const Value& x, bool* weak = nullptr);
/// `dtype(v)`. Raises if the dtype cannot hold v.
Value cast(Stager& s, const Value& v, DType dtype, Span span);
/// The dtype to which several values are promoted.
Promoted promoted_type(const std::vector<Value>& values, Span span);
/// Converts and broadcasts all values to one dtype and shape. If an operand does not fit, the message names this
/// operand.
std::vector<ir::Value> aligned(Stager& s, const std::vector<Value>& values, Span span, Promoted* type = nullptr);
/// The real or the imaginary part: `x.real`, `imag(x)`.
Value complex_part(Stager& s, const Value& x, bool real, Span span);

} // namespace pm::stage
