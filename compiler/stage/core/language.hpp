#pragma once
#include "compiler/stage/values/flow.hpp"
#include "compiler/stage/values/value.hpp"

namespace pm::stage {

class Stager;

// The rules of the language. interpret/ implements them; folders that must not depend on interpret/ use these
// declarations. All these functions work in the current frame.

Value evaluate(Stager& s, syntax::ExprId id);
Value binary(Stager& s, syntax::BinaryOp op, const Value& a, const Value& b, Span span);
Value unary(Stager& s, syntax::UnaryOp op, const Value& a, Span span);
/// The new value of a variable after an update such as `+=`: `old op value`.
Value combine(Stager& s, syntax::UpdateOp op, const Value& old, const Value& value, Span span);
/// Runs the statements of a block. `wanted`: true if the value of the block is used.
Flow run_block(Stager& s, syntax::BlockId id, bool wanted = true);
/// Defines each name of the pattern with its part of `value`. `span` is the position of the value.
void bind_pattern(Stager& s, syntax::PatternId pattern, const Value& value, bool mut, Span span);

} // namespace pm::stage
