#pragma once
#include "compiler/stage/values/flow.hpp"
#include "compiler/stage/values/value.hpp"

namespace pm::stage {

class Stager;

// The rules of the language. interpret/ implements them; folders that must not depend on interpret/ use these
// declarations. All functions work in the current frame.

Value evaluate(Stager& s, syntax::ExprId id);
Value binary(Stager& s, syntax::BinaryOp op, const Value& a, const Value& b, Span span);
Value unary(Stager& s, syntax::UnaryOp op, const Value& a, Span span);
/// `old op value`, as in `op=`.
Value combine(Stager& s, syntax::UpdateOp op, const Value& old, const Value& value, Span span);
/// Runs the statements of a block. `wanted`: the value of the block is used.
Flow run_block(Stager& s, syntax::BlockId id, bool wanted = true);
/// Defines the names of the pattern with the parts of `value`. `span` is the position of the value.
void bind_pattern(Stager& s, syntax::PatternId pattern, const Value& value, bool mut, Span span);

} // namespace pm::stage
