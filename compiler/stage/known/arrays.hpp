#pragma once
#include "compiler/stage/core/stager.hpp"
#include "compiler/stage/values/promotion.hpp"

/// Array arithmetic in the current context: promotion and broadcasting.
namespace pm::stage {

/// The result of an elementwise operation. Before the operation, the operands are promoted and broadcast.
Value elementwise(Stager& s, ir::Op op, std::vector<Value> operands, Span span);
/// The result of an elementwise operation on one operand. Before the operation, an integer operand is converted to a
/// float.
Value elementwise_float(Stager& s, ir::Op op, const Value& x, Span span);
/// The operand `x` in the current block. Integers are converted to floats.
ir::Value as_float(Stager& s, const Value& x, bool* weak = nullptr);
/// The result of `dtype(v)` in a program. Raises if `v` cannot be converted to the dtype.
Value cast(Stager& s, const Value& v, DType dtype, Span span);
/// The dtype to which several values are promoted.
Promoted promoted_type(const std::vector<Value>& values, Span span);
/// Converts all values to one dtype, and broadcasts them to one shape. Raises if the shapes do not broadcast. If `type`
/// is not null, `*type` is set to the promoted type.
std::vector<ir::Value> aligned(Stager& s, const std::vector<Value>& values, Span span, Promoted* type = nullptr);
/// The real part of `x` if `real` is true. Otherwise the imaginary part.
Value complex_part(Stager& s, const Value& x, bool real, Span span);

} // namespace pm::stage
