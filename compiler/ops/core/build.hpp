#pragma once
#include "compiler/ir/ir.hpp"

#include <functional>
#include <optional>

namespace pm::ops {

using ir::Attrs;
using ir::DType;
using ir::Op;
using ir::Shape;
using ir::Type;
using ir::Value;
using ir::Values;

/// The contracted axes and the batch axes of a dot. Axes of the two operands that belong together have the same
/// position in their lists.
struct DotAxes {
    ir::Integers lhs_contract, rhs_contract;
    ir::Integers lhs_batch = {}, rhs_batch = {};
};

/// A block under construction. The type rules of the operations define the types of results. Every function appends at
/// most a few instructions. A function that would change nothing (a broadcast to the same shape, a convert to the same
/// dtype) returns its operand.
class Build {
  public:
    explicit Build(std::string name = {}) : block_(std::move(name)) {}

    // -- the block
    Value param(Type type) { return block_.param(std::move(type)); }
    ir::BlockPtr finish(Values results) { return block_.finish(std::move(results)); }
    const Type& type(Value v) const { return block_.type(v); }
    const Shape& shape(Value v) const { return type(v).shape; }
    DType dtype(Value v) const { return type(v).dtype; }
    int rank(Value v) const { return type(v).rank(); }
    const ir::Inst* definition(Value v) const { return block_.definition(v); }
    void set_span(Span span) { block_.set_span(span); }
    void set_place(ir::Place place) { block_.set_place(std::move(place)); }
    Span span() const { return block_.span(); }
    ir::BlockBuilder& raw() { return block_; }

    /// Appends an instruction, with or without regions. The rules define the types of its results. If a type rule
    /// raises a diagnostic without a place, the diagnostic gets the builder's span.
    Values emit(Op op, Values operands, Attrs attrs = {}, std::vector<ir::BlockPtr> regions = {});
    Value emit1(Op op, Values operands, Attrs attrs = {}) {
        return emit(op, std::move(operands), std::move(attrs)).at(0);
    }
    /// Appends a copy of `inst` on other operands.
    Values copy(const ir::Inst& inst, Values operands);

    // -- creation
    Value constant(DType dtype, double value, Shape shape = {}); ///< every element is `value`, converted to the dtype
    Value constant_i(DType dtype, std::int64_t value, Shape shape = {});
    Value literal(Type type, ir::Literal value);
    Value table(const ir::Integers& numbers, Shape shape); ///< an i32 array of `numbers` in row-major order
    Value zeros(const Type& type) { return constant(type.dtype, 0.0, type.shape); }
    /// A placeholder for a value that no instruction will read. The evaluator computes zeros for it, and the compiler
    /// emits no code.
    Value unread(const Type& type);
    Value zeros_like(Value v) { return zeros(type(v)); }
    Value ones_like(Value v) { return constant(dtype(v), 1.0, shape(v)); }
    Value like(Value v, double value) { return constant(dtype(v), value, shape(v)); }
    Value iota(Shape shape, int axis, DType dtype);

    // -- elementwise; the operands must have equal types
    Value unary(Op op, Value a) { return emit1(op, {a}); }
    Value binary(Op op, Value a, Value b) { return emit1(op, {a, b}); }
    Value neg(Value a) { return unary(Op::neg, a); }
    Value add(Value a, Value b);
    Value sub(Value a, Value b) { return binary(Op::sub, a, b); }
    Value mul(Value a, Value b) { return binary(Op::mul, a, b); }
    Value div(Value a, Value b) { return binary(Op::div, a, b); }
    Value scale(Value a, double factor) { return mul(a, like(a, factor)); }
    Value select(Value c, Value a, Value b) { return emit1(Op::select, {c, a, b}); }
    Value convert(Value a, DType dtype);
    Value compare(Op op, Value a, Value b) { return emit1(op, {a, b}); }
    Value integer_pow(Value a, std::int64_t exponent) {
        return emit1(Op::integer_pow, {a}, {{ir::Attr::exponent, exponent}});
    }

    // -- shape
    Value broadcast(Value a, Shape shape, ir::Integers dims);
    Value broadcast_scalar(Value a, Shape shape) { return broadcast(a, std::move(shape), {}); }
    /// Broadcasts by NumPy's rule: trailing axes are aligned, and axes of size 1 are stretched.
    Value broadcast_to(Value a, const Shape& shape);
    Value reshape(Value a, Shape shape);
    Value transpose(Value a, ir::Integers permutation);
    /// Moves axis `from` to position `to`. The other axes remain in order.
    Value move_axis(Value a, int from, int to);
    Value slice(Value a, ir::Integers start, ir::Integers limit, ir::Integers stride = {});
    Value slice_axis(Value a, int axis, std::int64_t start, std::int64_t limit, std::int64_t stride = 1);
    Value pad(Value a, Value fill, ir::Integers low, ir::Integers high, ir::Integers interior = {});
    Value concatenate(Values parts, int axis);
    Value reverse(Value a, ir::Integers axes);

    // -- reductions, products and accesses at indices
    Value reduce(Op op, Value a, ir::Integers axes);
    Value sum(Value a, ir::Integers axes) { return reduce(Op::reduce_sum, a, std::move(axes)); }
    /// `precision`: a word of ir/precision.hpp. If it is empty, the precision is unspecified.
    Value dot(Value a, Value b, DotAxes axes, std::string_view precision = {});
    Value dynamic_slice(Value a, Values starts, ir::Integers sizes);
    Value dynamic_update(Value a, Value update, Values starts);
    Value gather(Value a, Values indices, ir::Integers axes, std::int64_t batch = 0);
    Value tape_set(Value tapes, Value x, Value index) { return emit1(Op::tape_set, {tapes, x, index}); }
    Value tape_add(Value tapes, Value x, Value index) { return emit1(Op::tape_add, {tapes, x, index}); }
    /// `element`: the type of an entry of one tape.
    Value tape_get(Value tapes, Value index, const Type& element);
    Value scatter(Value a, Value update, Values indices, ir::Integers axes, std::string mode, std::int64_t batch = 0);

    /// Appends the instructions of `block`, with `arguments` in place of the parameters. Returns the values of the
    /// block's results.
    Values inline_block(const ir::Block& block, const Values& arguments) {
        return append_all(block, arguments, nullptr);
    }
    /// Appends the instructions of the callee of `call` at the place of the call. If one of the appended instructions
    /// fails when it runs, the message names the call.
    Values inline_call(const ir::Inst& call, const Values& arguments);

  private:
    Values append_all(const ir::Block& block, const Values& arguments, const ir::Inst* call);

    ir::BlockBuilder block_;
};

/// The shape to which NumPy broadcasts the shapes `a` and `b`. Nullopt if `a` and `b` are not compatible.
std::optional<Shape> broadcast_shapes(const Shape& a, const Shape& b);

} // namespace pm::ops
