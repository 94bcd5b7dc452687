#include "compiler/ops/complex/parts.hpp"
#include "compiler/ops/core/axes.hpp"
#include "compiler/ops/core/positions.hpp"

// pad and concatenate.

namespace pm::ops {
namespace {

// ---- pad adds fill elements: `interior` between neighbours, `low` before and `high` after all elements; a negative
// `low` or `high` cuts off elements

struct Padding {
    const Integers& low;
    const Integers& high;
    const Integers& interior;
    explicit Padding(const Inst& inst)
        : low(inst.attrs.integers(Attr::low)), high(inst.attrs.integers(Attr::high)),
          interior(inst.attrs.integers(Attr::interior)) {}

    /// The size of axis `i` after fill elements have been inserted between neighbours. `size` is the size before that.
    /// Nullopt if the size does not fit 63 bits.
    std::optional<std::int64_t> spread(std::size_t i, std::int64_t size) const {
        if (size == 0) return 0;
        std::int64_t between = 0;
        std::int64_t sum = 0;
        if (__builtin_mul_overflow(size - 1, interior[i], &between) || __builtin_add_overflow(between, size, &sum))
            return std::nullopt;
        return sum;
    }
    std::optional<std::int64_t> result(std::size_t i, std::int64_t size) const {
        std::optional<std::int64_t> sum = spread(i, size);
        if (!sum || __builtin_add_overflow(*sum, low[i], &*sum) || __builtin_add_overflow(*sum, high[i], &*sum))
            return std::nullopt;
        return sum;
    }
};

std::vector<Type> pad_type(const Inst& inst, std::span<const Type> in) {
    require_dtype(inst, in[0].dtype, anything);
    if (in[1] != Type{in[0].dtype, {}})
        raise(
            diagnose(Diag::fill_mismatch, {}, ir::to_string(in[0]), runtime::name(in[0].dtype), ir::to_string(in[1])));
    require_per_axis(inst, Attr::low, in[0]);
    require_per_axis(inst, Attr::high, in[0]);
    require_per_axis(inst, Attr::interior, in[0]);
    const Padding padding(inst);
    Type result = in[0];
    for (std::size_t i = 0; i < result.shape.size(); ++i) {
        const std::optional<std::int64_t> size =
            padding.interior[i] < 0 ? std::nullopt : padding.result(i, in[0].shape[i]);
        if (!size || *size < 0)
            raise(diagnose(Diag::pad_out_of_range, {}, i, ir::to_string(in[0]), padding.low[i], padding.high[i],
                           padding.interior[i]));
        result.shape[i] = *size;
    }
    require_shape(result);
    return {std::move(result)};
}

std::vector<Array> pad_eval(EvalContext& c) {
    const Padding padding(c.inst);
    const Shape& shape = c.in[0].shape();
    const Integers strides = strides_of(shape);
    Array out = new_result(c);
    const Mover move(out);
    each_position(out.shape(), [&](std::int64_t i, const Position& at) {
        std::int64_t from = 0;
        for (std::size_t axis = 0; axis < at.size(); ++axis) {
            const std::int64_t place = at[axis] - padding.low[axis];
            const std::int64_t step = padding.interior[axis] + 1;
            if (place < 0 || place % step != 0 || place / step >= shape[axis]) return move(i, c.in[1], 0);
            from += place / step * strides[axis];
        }
        move(i, c.in[0], from);
    });
    return {std::move(out)};
}

/// A mask that is true where the result of the pad `inst` is the fill element. Nullopt if the pad changes nothing.
std::optional<Value> fill_mask(Build& b, const Inst& inst, const Shape& operand) {
    const Padding padding(inst);
    const Value none = b.constant(DType::b1, 0.0, operand);
    const Value mask = b.pad(none, b.constant(DType::b1, 1.0), padding.low, padding.high, padding.interior);
    if (mask == none) return std::nullopt;
    return mask;
}

/// Returns the elements of `ct` at the indices of the operand's elements. Without the elements that `low` and `high`
/// added, every (interior + 1)-th element of `ct` is such an element.
Value unpad(Build& b, Value ct, const Inst& inst, const Type& type) {
    const Padding padding(inst);
    Integers low;
    Integers high;
    Integers stride;
    for (std::size_t i = 0; i < type.shape.size(); ++i) {
        low.push_back(-padding.low[i]);
        high.push_back(-padding.high[i]);
        stride.push_back(padding.interior[i] + 1);
    }
    const Value spread = b.pad(ct, b.constant(type.dtype, 0.0), std::move(low), std::move(high));
    const Shape limit = b.shape(spread);
    Integers start(limit.size(), 0);
    return b.slice(spread, std::move(start), limit, std::move(stride));
}

void pad_transpose(TransposeContext& c) {
    const Value ct = *c.ct();
    if (c.linear(0) && c.operand_types[0].elements() > 0) c.add(0, unpad(c.b, ct, c.inst, c.operand_types[0]));
    if (!c.linear(1)) return;
    // The cotangent of the fill element is the sum of the elements that the mask selects. Subtracting the operand's
    // part from the total would lose digits by cancellation.
    const std::optional<Value> mask = fill_mask(c.b, c.inst, c.operand_types[0].shape);
    if (!mask) return;
    const Value shown = c.b.select(*mask, ct, c.b.zeros_like(ct));
    c.add(1, c.b.sum(shown, counting(0, static_cast<std::size_t>(c.b.rank(ct)))));
}

Values pad_batch(BatchContext& c) {
    Attrs attrs = c.inst.attrs;
    for (Attr attr : {Attr::low, Attr::high, Attr::interior}) attrs.set(attr, preceded(0, attrs.integers(attr)));
    const Inst inst{Op::pad, {}, {}, attrs, {}, {}};
    const Value x = c.full(0);
    if (!c.batched[1]) return {c.b.emit1(Op::pad, {x, c.in(1)}, attrs)};
    // Each element of the batch has a different fill element. So the code pads with an arbitrary fill element, and then
    // replaces it by the correct one with a select.
    const std::optional<Value> mask = fill_mask(c.b, inst, Shape(c.b.shape(x)));
    if (!mask) return {x};
    const Type type = c.b.type(x);
    const Value some = c.b.literal({type.dtype, {}}, {std::vector<std::uint8_t>(runtime::size_of(type.dtype), 0)});
    const Value padded = c.b.emit1(Op::pad, {x, some}, attrs);
    const Shape shape = c.b.shape(padded);
    return {c.b.select(*mask, c.b.broadcast(c.in(1), shape, {0}), padded)};
}

/// Reads the operand at a clamped index, so that no load is out of bounds. Then selects the fill element wherever the
/// result has a fill element.
nest::Ref pad_element(ElementContext& c, const nest::Indices& at) {
    const Padding padding(c.inst);
    const Shape& shape = c.operand_types[0].shape;
    const nest::Ref fill = c.element(1, {});
    if (ir::product(shape) == 0) return fill;
    std::optional<nest::Ref> inside;
    const auto also = [&](std::optional<nest::Ref> condition) {
        if (!condition) return;
        inside = inside ? c.n.op(ScalarOp::and_, DType::b1, {*inside, *condition}) : *condition;
    };
    nest::Indices from;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const std::int64_t extent = *padding.spread(axis, shape[axis]);
        nest::Index place = c.n.add(at[axis], -padding.low[axis]);
        also(c.n.within(place, 0, extent));
        place = c.n.clamp(place, 0, extent - 1);
        if (padding.interior[axis] > 0) {
            const std::int64_t step = padding.interior[axis] + 1;
            also(c.n.within(c.n.rem(place, step), 0, 1));
            place = c.n.div(place, step);
        }
        from.push_back(place);
    }
    const nest::Ref x = c.element(0, from);
    if (!inside) return x;
    return c.n.op(ScalarOp::select, c.result_type.dtype, {*inside, x, fill});
}

std::vector<Sample> pad_samples() {
    const auto sample = [](DType dtype, Shape shape, Integers low, Integers high, Integers interior) {
        return Sample{
            {Type{dtype, std::move(shape)}, Type{dtype, {}}},
            {{Attr::low, std::move(low)}, {Attr::high, std::move(high)}, {Attr::interior, std::move(interior)}},
            {Domain::any},
            0,
            runtime::is_float(dtype)};
    };
    std::vector<Sample> samples{
        sample(DType::f32, {}, {}, {}, {}),
        sample(DType::f32, {5}, {2}, {1}, {0}),
        sample(DType::f32, {5}, {0}, {0}, {0}),
        sample(DType::f32, {5}, {-1}, {-2}, {0}),
        sample(DType::f32, {5}, {1}, {0}, {2}),
        sample(DType::f32, {5}, {-2}, {1}, {1}),
        sample(DType::f32, {0}, {2}, {1}, {3}),
        sample(DType::f32, {1}, {0}, {3}, {5}),
        sample(DType::f32, {3, 4}, {1, 0}, {0, 2}, {0, 1}),
        sample(DType::f32, {0, 2}, {1, 0}, {0, 1}, {0, 0}),
        sample(DType::f32, {3}, {-2}, {-1}, {0}),
        sample(DType::f32, {33, 65}, {1, 2}, {3, 0}, {0, 0}),
        sample(DType::f32, {65, 127}, {1, -2}, {0, 3}, {1, 0}),
    };
    for (DType dtype : members(every)) samples.push_back(sample(dtype, {3}, {1}, {1}, {1}));
    return with_doubles(std::move(samples));
}

// ---- concatenate: the operands one after another along `axis`

std::vector<Type> concatenate_type(const Inst& inst, std::span<const Type> in) {
    if (in.empty()) raise(diagnose(Diag::concatenate_nothing, {}));
    require_dtype(inst, in[0].dtype, anything);
    require_axis(inst, inst.attrs.integer(Attr::axis), in[0]);
    Type result = in[0];
    for (const Type& type : in.subspan(1)) {
        Type like = type;
        if (type.rank() == in[0].rank()) like.shape[axis_of(inst)] = in[0].shape[axis_of(inst)];
        if (like != in[0])
            raise(diagnose(Diag::concatenate_sizes, {}, ir::to_string(in[0]), ir::to_string(type), axis_of(inst)));
        std::int64_t& size = result.shape[axis_of(inst)];
        if (__builtin_add_overflow(size, type.shape[axis_of(inst)], &size))
            raise(diagnose(Diag::concatenate_sizes, {}, ir::to_string(in[0]), ir::to_string(type), axis_of(inst)));
    }
    require_shape(result);
    return {std::move(result)};
}

std::vector<Array> concatenate_eval(EvalContext& c) {
    Array out = new_result(c);
    const Mover move(out);
    const Integers strides = strides_of(out.shape());
    std::int64_t begin = 0;
    for (const Array& part : c.in) {
        each_position(part.shape(), [&](std::int64_t i, Position at) {
            at[axis_of(c.inst)] += begin;
            move(offset_of(at, strides), part, i);
        });
        begin += part.shape()[axis_of(c.inst)];
    }
    return {std::move(out)};
}

void concatenate_transpose(TransposeContext& c) {
    const std::size_t axis = axis_of(c.inst);
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < c.operand_types.size(); ++i) {
        const std::int64_t end = begin + c.operand_types[i].shape[axis];
        if (c.linear(i)) c.add(i, c.b.slice_axis(*c.ct(), static_cast<int>(axis), begin, end));
        begin = end;
    }
}

/// The element at an index belongs to the last operand that begins at the index or before it. The code reads an element
/// of each operand, at a clamped index. A chain of selects chooses one of these elements.
nest::Ref concatenate_element(ElementContext& c, const nest::Indices& at) {
    const std::size_t axis = axis_of(c.inst);
    nest::Ref value;
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < c.operand_types.size(); ++i) {
        const std::int64_t size = c.operand_types[i].shape[axis];
        if (size == 0) continue;
        nest::Indices from = at;
        from[axis] = c.n.clamp(c.n.add(at[axis], -begin), 0, size - 1);
        const nest::Ref part = c.element(i, from);
        if (!value) {
            value = part;
        } else if (const std::optional<nest::Ref> before = c.n.within(at[axis], 0, begin)) {
            value = c.n.op(ScalarOp::select, c.result_type.dtype, {*before, value, part});
        } // otherwise no index that is read is in `part` or after it
        begin += size;
    }
    return value ? value : c.n.constant_bits(c.result_type.dtype, 0); // an empty result is never read
}

std::vector<Sample> concatenate_samples() {
    const auto sample = [](DType dtype, std::vector<Shape> shapes, std::int64_t axis) {
        Sample made{{}, {{Attr::axis, axis}}, {Domain::any}, 0, runtime::is_float(dtype)};
        for (Shape& shape : shapes) made.operands.push_back({dtype, std::move(shape)});
        return made;
    };
    std::vector<Sample> samples{
        sample(DType::f32, {{3}}, 0),
        sample(DType::f32, {{3}, {1}, {4}}, 0),
        sample(DType::f32, {{0}, {2}, {0}, {3}}, 0),
        sample(DType::f32, {{0}, {0}}, 0),
        sample(DType::f32, {{2, 3}, {2, 1}}, 1),
        sample(DType::f32, {{1, 3}, {4, 3}, {2, 3}}, 0),
        sample(DType::f32, {{2, 0}, {3, 0}}, 0),
        sample(DType::f32, {{33, 20}, {33, 50}}, 1),
        sample(DType::f32, {{1}}, 0),
        sample(DType::f32, {{70, 127}, {61, 127}}, 0),
    };
    for (DType dtype : members(every)) samples.push_back(sample(dtype, {{2}, {3}}, 0));
    return with_doubles(std::move(samples));
}

} // namespace

const OpRules rule::pad = checked<Op::pad>({
    .type = pad_type,
    .eval = pad_eval,
    .jvp = jvp_linear,
    .transpose = pad_transpose,
    .batch = pad_batch,
    .lower = LowerElement{pad_element},
    .samples = pad_samples,
    .doc = "The array with a fill element `low` times before, `high` times after and `interior` times between; "
           "negative counts cut.",
    .parts = parts::each,
    .cost = 2,
    .size = 4,
});
const OpRules rule::concatenate = checked<Op::concatenate>({
    .type = concatenate_type,
    .eval = concatenate_eval,
    .jvp = jvp_linear,
    .transpose = concatenate_transpose,
    .batch = batch_along_axis,
    .lower = LowerElement{concatenate_element},
    .samples = concatenate_samples,
    .doc = "The operands one after another along `axis`.",
    .parts = parts::each,
    .cost = 2,
    .size = 0,
    .size_of_operand = 3,
});

} // namespace pm::ops
