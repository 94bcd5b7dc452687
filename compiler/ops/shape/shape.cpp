#include "compiler/base/count.hpp"
#include "compiler/ops/complex/parts.hpp"
#include "compiler/ops/core/axes.hpp"
#include "compiler/ops/core/positions.hpp"

#include <algorithm>

// Operations that only move elements: broadcast, reshape, transpose, reverse, slice. pad and concatenate are in
// padding.cpp.

namespace pm::ops {
namespace {

nest::Indices zero_indices(std::size_t rank) { return nest::Indices(rank, nest::Index::constant(0)); }

// ---- broadcast: operand axis i becomes result axis dims[i]; the operand is repeated along the other result axes

std::vector<Type> broadcast_type(const Inst& inst, std::span<const Type> in) {
    require_dtype(inst, in[0].dtype, anything);
    const Type result{in[0].dtype, inst.attrs.integers(Attr::shape)};
    require_shape(result);
    const Integers& dims = require_per_axis(inst, Attr::dims, in[0]);
    for (std::size_t i = 0; i < dims.size(); ++i) {
        require_axis(inst, dims[i], result);
        if (i > 0 && dims[i] <= dims[i - 1])
            raise(diagnose(Diag::broadcast_order, {}, ir::to_string(counting(0, dims.size())), ir::to_string(dims)));
        const std::int64_t size = result.shape[static_cast<std::size_t>(dims[i])];
        if (size != in[0].shape[i])
            raise(diagnose(Diag::broadcast_sizes, {}, ir::to_string(in[0]), ir::to_string(result.shape), i,
                           in[0].shape[i], dims[i], size));
    }
    return {result};
}

std::vector<Array> broadcast_eval(EvalContext& c) {
    const Integers& dims = c.inst.attrs.integers(Attr::dims);
    const Integers strides = strides_of(c.in[0].shape());
    return eval_moved(c, [&](const Position& at) { return offset_of(sizes_of(at, dims), strides); });
}

void broadcast_transpose(TransposeContext& c) {
    const auto rank = static_cast<std::size_t>(c.b.rank(*c.ct()));
    if (c.linear(0)) c.add(0, c.b.sum(*c.ct(), other_axes(rank, c.inst.attrs.integers(Attr::dims))));
}

Values broadcast_batch(BatchContext& c) {
    return {c.b.broadcast(c.in(0), preceded(c.size, c.inst.attrs.integers(Attr::shape)),
                          with_batch_axis(c.inst.attrs.integers(Attr::dims)))};
}

nest::Ref broadcast_element(ElementContext& c, const nest::Indices& at) {
    nest::Indices from;
    for (std::int64_t dim : c.inst.attrs.integers(Attr::dims)) from.push_back(at[static_cast<std::size_t>(dim)]);
    return c.element(0, from);
}

std::vector<Sample> broadcast_samples() {
    const auto sample = [](DType dtype, Shape from, Shape to, Integers dims) {
        return Sample{{Type{dtype, std::move(from)}},
                      {{Attr::shape, std::move(to)}, {Attr::dims, std::move(dims)}},
                      {Domain::any},
                      0,
                      runtime::is_float(dtype)};
    };
    std::vector<Sample> samples{
        sample(DType::f32, {}, {3, 4}, {}),         sample(DType::f32, {3}, {3, 4}, {0}),
        sample(DType::f32, {4}, {3, 4}, {1}),       sample(DType::f32, {2, 3}, {2, 5, 3}, {0, 2}),
        sample(DType::f32, {0}, {0, 4}, {0}),       sample(DType::f32, {2}, {0, 2}, {1}),
        sample(DType::f32, {1}, {1, 1}, {1}),       sample(DType::f32, {65}, {33, 65}, {1}),
        sample(DType::f32, {33}, {33, 65}, {0}),    sample(DType::f32, {127}, {130, 127}, {1}),
        sample(DType::f32, {130}, {130, 127}, {0}),
    };
    for (DType dtype : members(every)) samples.push_back(sample(dtype, {3}, {5, 3}, {1}));
    return with_doubles(std::move(samples));
}

// ---- reshape: the same elements in row-major order

std::vector<Type> reshape_type(const Inst& inst, std::span<const Type> in) {
    require_dtype(inst, in[0].dtype, anything);
    Type result{in[0].dtype, inst.attrs.integers(Attr::shape)};
    require_shape(result);
    if (result.elements() != in[0].elements())
        raise(diagnose(Diag::reshape_size, {}, ir::to_string(in[0]), ir::to_string(result.shape), in[0].elements(),
                       Count{result.elements()}));
    return {std::move(result)};
}

std::vector<Array> reshape_eval(EvalContext& c) { return {c.in[0].reshape(c.result_types[0].shape)}; }

void reshape_transpose(TransposeContext& c) {
    if (c.linear(0)) c.add(0, c.b.reshape(*c.ct(), c.operand_types[0].shape));
}

Values reshape_batch(BatchContext& c) {
    return {c.b.reshape(c.in(0), preceded(c.size, c.inst.attrs.integers(Attr::shape)))};
}

/// Writes the indices of an element along the axes begin .. end - 1 to `to`. `linear` is the linear index of the
/// element within these axes.
void delinearise(nest::Builder& n, nest::Index linear, const Shape& shape, std::size_t begin, std::size_t end,
                 nest::Indices& to) {
    std::size_t first = begin;
    while (first < end && shape[first] == 1) ++first;
    for (std::size_t axis = end; axis-- > first;) {
        if (shape[axis] == 1) continue;
        to[axis] = axis == first ? linear : n.rem(linear, shape[axis]);
        if (axis != first) linear = n.div(linear, shape[axis]);
    }
}

/// Splits both shapes into the shortest possible runs of axes. The runs of the two shapes have equal products. So the
/// index along an unchanged axis is the same in both shapes. Only merged or split axes need a division.
nest::Ref reshape_element(ElementContext& c, const nest::Indices& at) {
    const Shape& from = c.operand_types[0].shape;
    const Shape& to = c.result_type.shape;
    nest::Indices source = zero_indices(from.size());
    if (ir::product(from) == 0) return c.element(0, source);
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < from.size() || j < to.size()) {
        const std::size_t i0 = i;
        std::int64_t a = i < from.size() ? from[i++] : 1;
        std::int64_t b = 1;
        nest::Index linear = nest::Index::constant(0);
        const auto take = [&] {
            if (to[j] != 1) linear = c.n.add(c.n.mul(linear, to[j]), at[j]);
            b *= to[j++];
        };
        if (j < to.size()) take();
        while (a != b) {
            if (a < b)
                a *= from[i++];
            else
                take();
        }
        delinearise(c.n, linear, from, i0, i, source);
    }
    return c.element(0, source);
}

std::vector<Sample> reshape_samples() {
    const auto sample = [](DType dtype, Shape from, Shape to) {
        return Sample{
            {Type{dtype, std::move(from)}}, {{Attr::shape, std::move(to)}}, {Domain::any}, 0, runtime::is_float(dtype)};
    };
    std::vector<Sample> samples{
        sample(DType::f32, {}, {1, 1}),         sample(DType::f32, {1}, {}),
        sample(DType::f32, {6}, {2, 3}),        sample(DType::f32, {2, 3, 4}, {6, 4}),
        sample(DType::f32, {2, 3, 4}, {4, 6}),  sample(DType::f32, {5, 1, 3}, {1, 5, 3, 1}),
        sample(DType::f32, {0, 3}, {4, 0}),     sample(DType::f32, {33, 70}, {70, 33}),
        sample(DType::f32, {2, 3, 5}, {2, 15}), sample(DType::f32, {130, 127}, {127, 65, 2}),
    };
    for (DType dtype : members(every)) samples.push_back(sample(dtype, {6}, {3, 2}));
    return with_doubles(std::move(samples));
}

// ---- transpose: result axis i is operand axis permutation[i]

std::vector<Type> transpose_type(const Inst& inst, std::span<const Type> in) {
    require_dtype(inst, in[0].dtype, anything);
    const Integers& permutation = inst.attrs.integers(Attr::permutation);
    Integers sorted = permutation;
    std::sort(sorted.begin(), sorted.end());
    if (sorted != counting(0, in[0].shape.size()))
        raise(diagnose(Diag::not_a_permutation, {}, ir::to_string(in[0]), ir::to_string(permutation)));
    return {Type{in[0].dtype, sizes_of(in[0].shape, permutation)}};
}

std::vector<Array> transpose_eval(EvalContext& c) {
    const Integers strides = sizes_of(strides_of(c.in[0].shape()), c.inst.attrs.integers(Attr::permutation));
    return eval_moved(c, [&](const Position& at) { return offset_of(at, strides); });
}

void transpose_transpose(TransposeContext& c) {
    if (c.linear(0)) c.add(0, c.b.transpose(*c.ct(), inverse(c.inst.attrs.integers(Attr::permutation))));
}

Values transpose_batch(BatchContext& c) {
    return {c.b.transpose(c.in(0), with_batch_axis(c.inst.attrs.integers(Attr::permutation)))};
}

nest::Ref transpose_element(ElementContext& c, const nest::Indices& at) {
    nest::Indices from(at.size());
    const Integers& permutation = c.inst.attrs.integers(Attr::permutation);
    for (std::size_t i = 0; i < at.size(); ++i) from[static_cast<std::size_t>(permutation[i])] = at[i];
    return c.element(0, from);
}

std::vector<Sample> transpose_samples() {
    const auto sample = [](DType dtype, Shape shape, Integers permutation) {
        return Sample{{Type{dtype, std::move(shape)}},
                      {{Attr::permutation, std::move(permutation)}},
                      {Domain::any},
                      0,
                      runtime::is_float(dtype)};
    };
    std::vector<Sample> samples{
        sample(DType::f32, {}, {}),
        sample(DType::f32, {5}, {0}),
        sample(DType::f32, {3, 5}, {1, 0}),
        sample(DType::f32, {2, 3, 4}, {2, 0, 1}),
        sample(DType::f32, {2, 3, 4}, {0, 2, 1}),
        sample(DType::f32, {0, 3}, {1, 0}),
        sample(DType::f32, {1, 3, 1}, {2, 1, 0}),
        sample(DType::f32, {67, 70}, {1, 0}),
        sample(DType::f32, {130, 127}, {1, 0}),
    };
    for (DType dtype : members(every)) samples.push_back(sample(dtype, {3, 2}, {1, 0}));
    return with_doubles(std::move(samples));
}

// ---- reverse: the elements in reverse order along `axes`

std::vector<Type> reverse_type(const Inst& inst, std::span<const Type> in) {
    require_dtype(inst, in[0].dtype, anything);
    require_axes(inst, inst.attrs.integers(Attr::axes), in[0]);
    return {in[0]};
}

std::vector<Array> reverse_eval(EvalContext& c) {
    const Integers& axes = c.inst.attrs.integers(Attr::axes);
    const Shape& shape = c.in[0].shape();
    const Integers strides = strides_of(shape);
    return eval_moved(c, [&](Position at) {
        for (std::int64_t axis : axes)
            at[static_cast<std::size_t>(axis)] =
                shape[static_cast<std::size_t>(axis)] - 1 - at[static_cast<std::size_t>(axis)];
        return offset_of(at, strides);
    });
}

void reverse_transpose(TransposeContext& c) {
    if (c.linear(0)) c.add(0, c.b.reverse(*c.ct(), c.inst.attrs.integers(Attr::axes)));
}

Values reverse_batch(BatchContext& c) { return {c.b.reverse(c.in(0), shifted(c.inst.attrs.integers(Attr::axes)))}; }

nest::Ref reverse_element(ElementContext& c, const nest::Indices& at) {
    nest::Indices from = at;
    for (std::int64_t axis : c.inst.attrs.integers(Attr::axes)) {
        const auto a = static_cast<std::size_t>(axis);
        from[a] = c.n.add(c.n.mul(at[a], -1), c.result_type.shape[a] - 1);
    }
    return c.element(0, from);
}

std::vector<Sample> reverse_samples() {
    const auto sample = [](DType dtype, Shape shape, Integers axes) {
        return Sample{{Type{dtype, std::move(shape)}},
                      {{Attr::axes, std::move(axes)}},
                      {Domain::any},
                      0,
                      runtime::is_float(dtype)};
    };
    std::vector<Sample> samples{
        sample(DType::f32, {5}, {0}),    sample(DType::f32, {3, 5}, {1}),        sample(DType::f32, {3, 5}, {0, 1}),
        sample(DType::f32, {0, 2}, {0}), sample(DType::f32, {1}, {0}),           sample(DType::f32, {70, 33}, {1}),
        sample(DType::f32, {2, 3}, {}),  sample(DType::f32, {130, 127}, {0, 1}),
    };
    for (DType dtype : members(every)) samples.push_back(sample(dtype, {3, 2}, {0}));
    return with_doubles(std::move(samples));
}

// ---- slice: start:limit:stride per axis, 0 <= start <= limit <= size, stride > 0

std::vector<Type> slice_type(const Inst& inst, std::span<const Type> in) {
    require_dtype(inst, in[0].dtype, anything);
    const Integers& start = require_per_axis(inst, Attr::start, in[0]);
    const Integers& limit = require_per_axis(inst, Attr::limit, in[0]);
    const Integers& stride = require_per_axis(inst, Attr::stride, in[0]);
    Type result = in[0];
    for (std::size_t i = 0; i < start.size(); ++i) {
        if (start[i] < 0 || start[i] > limit[i] || limit[i] > in[0].shape[i] || stride[i] <= 0)
            raise(diagnose(Diag::slice_out_of_range, {}, start[i], limit[i], stride[i], i, ir::to_string(in[0])));
        const std::int64_t span = limit[i] - start[i];
        result.shape[i] = span / stride[i] + (span % stride[i] != 0 ? 1 : 0);
    }
    return {std::move(result)};
}

std::vector<Array> slice_eval(EvalContext& c) {
    const Integers& start = c.inst.attrs.integers(Attr::start);
    const Integers& stride = c.inst.attrs.integers(Attr::stride);
    const Integers strides = strides_of(c.in[0].shape());
    return eval_moved(c, [&](Position at) {
        for (std::size_t i = 0; i < at.size(); ++i) at[i] = start[i] + stride[i] * at[i];
        return offset_of(at, strides);
    });
}

/// An array of the operand's type: the cotangent at the elements of the slice, and zeros elsewhere.
Value spread(Build& b, Value ct, const Inst& inst, const Type& type) {
    const Integers& start = inst.attrs.integers(Attr::start);
    const Integers& stride = inst.attrs.integers(Attr::stride);
    Integers high;
    Integers interior;
    for (std::size_t i = 0; i < start.size(); ++i) {
        const std::int64_t count = b.shape(ct)[i];
        const std::int64_t end = count == 0 ? start[i] : start[i] + (count - 1) * stride[i] + 1;
        high.push_back(type.shape[i] - end);
        interior.push_back(count > 1 ? stride[i] - 1 : 0);
    }
    return b.pad(ct, b.constant(type.dtype, 0.0), start, std::move(high), std::move(interior));
}

/// sum[start:limit] += ct, in place.
Value add_block(Build& b, Value sum, Value ct, const Inst& inst) {
    const Integers& start = inst.attrs.integers(Attr::start);
    const Value part = b.slice(sum, start, inst.attrs.integers(Attr::limit));
    Values starts;
    for (std::int64_t s : start) starts.push_back(b.constant_i(index_dtype(s), s));
    return b.dynamic_update(sum, b.add(part, ct), std::move(starts));
}

/// sum[start:limit:stride] += ct, in place: a scatter along the axes whose sizes differ in `sum` and `ct`.
Value add_strided(Build& b, Value sum, Value ct, const Inst& inst) {
    const Integers& start = inst.attrs.integers(Attr::start);
    const Integers& stride = inst.attrs.integers(Attr::stride);
    const Shape whole = b.shape(sum);
    const Shape part = b.shape(ct);
    Integers axes;
    for (std::size_t i = 0; i < whole.size(); ++i)
        if (part[i] != whole[i]) axes.push_back(static_cast<std::int64_t>(i));
    const Shape window = sizes_of(part, axes);
    Values indices;
    for (std::size_t j = 0; j < axes.size(); ++j) {
        const auto axis = static_cast<std::size_t>(axes[j]);
        const DType dtype = index_dtype(whole[axis]);
        const Value iteration = b.iota(window, static_cast<int>(j), dtype);
        const Value step = b.mul(iteration, b.constant_i(dtype, stride[axis], window));
        indices.push_back(b.add(step, b.constant_i(dtype, start[axis], window)));
    }
    const Value update = b.transpose(ct, joined(axes, other_axes(whole.size(), axes)));
    return b.scatter(sum, update, std::move(indices), axes, "add");
}

/// The transpose of the first slice of an operand makes a dense array of the operand's shape. The transpose of each
/// further slice changes only those elements of this array that the slice reads. So n slices cost O(n).
void slice_transpose(TransposeContext& c) {
    if (!c.linear(0)) return;
    const Value ct = *c.ct();
    if (!c.sums[0]) return c.add(0, spread(c.b, ct, c.inst, c.operand_types[0]));
    if (c.b.type(ct) == c.operand_types[0]) return c.add(0, ct);
    const Integers& stride = c.inst.attrs.integers(Attr::stride);
    const bool block = std::all_of(stride.begin(), stride.end(), [](std::int64_t s) { return s == 1; });
    c.add_into(0, [&](Build& b, Value sum) {
        return block ? add_block(b, sum, ct, c.inst) : add_strided(b, sum, ct, c.inst);
    });
}

Values slice_batch(BatchContext& c) {
    const Attrs& a = c.inst.attrs;
    return {c.b.slice(c.in(0), preceded(0, a.integers(Attr::start)), preceded(c.size, a.integers(Attr::limit)),
                      preceded(1, a.integers(Attr::stride)))};
}

nest::Ref slice_element(ElementContext& c, const nest::Indices& at) {
    const Integers& start = c.inst.attrs.integers(Attr::start);
    const Integers& stride = c.inst.attrs.integers(Attr::stride);
    nest::Indices from;
    for (std::size_t i = 0; i < at.size(); ++i) from.push_back(c.n.add(c.n.mul(at[i], stride[i]), start[i]));
    return c.element(0, from);
}

std::vector<Sample> slice_samples() {
    const auto sample = [](DType dtype, Shape shape, Integers start, Integers limit, Integers stride) {
        return Sample{
            {Type{dtype, std::move(shape)}},
            {{Attr::start, std::move(start)}, {Attr::limit, std::move(limit)}, {Attr::stride, std::move(stride)}},
            {Domain::any},
            0,
            runtime::is_float(dtype)};
    };
    std::vector<Sample> samples{
        sample(DType::f32, {}, {}, {}, {}),
        sample(DType::f32, {7}, {2}, {5}, {1}),
        sample(DType::f32, {7}, {1}, {7}, {3}),
        sample(DType::f32, {7}, {3}, {3}, {2}),
        sample(DType::f32, {3, 5}, {1, 0}, {2, 5}, {1, 1}),
        sample(DType::f32, {4, 7}, {0, 1}, {4, 6}, {2, 3}),
        sample(DType::f32, {0, 4}, {0, 1}, {0, 3}, {1, 1}),
        sample(DType::f32, {70, 33}, {3, 0}, {68, 33}, {1, 2}),
        sample(DType::f32, {260, 127}, {1, 0}, {260, 127}, {2, 1}),
    };
    for (DType dtype : members(every)) samples.push_back(sample(dtype, {5}, {1}, {5}, {2}));
    return with_doubles(std::move(samples));
}

} // namespace

const OpRules rule::broadcast = checked<Op::broadcast>({
    .type = broadcast_type,
    .eval = broadcast_eval,
    .jvp = jvp_linear,
    .transpose = broadcast_transpose,
    .batch = broadcast_batch,
    .lower = LowerElement{broadcast_element},
    .samples = broadcast_samples,
    .doc = "An array of shape `shape` in which operand axis i is axis dims[i] and the other axes repeat it.",
    .name = "broadcast_to",
    .parts = parts::each,
    .cost = 0,
});
const OpRules rule::reshape = checked<Op::reshape>({
    .type = reshape_type,
    .eval = reshape_eval,
    .jvp = jvp_linear,
    .transpose = reshape_transpose,
    .batch = reshape_batch,
    .lower = LowerElement{reshape_element},
    .samples = reshape_samples,
    .doc = "The same elements, in row-major order, with another shape.",
    .parts = parts::each,
    .cost = 0,
});
const OpRules rule::transpose = checked<Op::transpose>({
    .type = transpose_type,
    .eval = transpose_eval,
    .jvp = jvp_linear,
    .transpose = transpose_transpose,
    .batch = transpose_batch,
    .lower = LowerElement{transpose_element},
    .samples = transpose_samples,
    .doc = "The axes in another order: result axis i is operand axis permutation[i].",
    .parts = parts::each,
    .cost = 0,
});
const OpRules rule::slice = checked<Op::slice>({
    .type = slice_type,
    .eval = slice_eval,
    .jvp = jvp_linear,
    .transpose = slice_transpose,
    .batch = slice_batch,
    .lower = LowerElement{slice_element},
    .samples = slice_samples,
    .doc = "Every stride-th element from `start` to before `limit` along each axis.",
    .parts = parts::each,
    .cost = 0,
});
const OpRules rule::reverse = checked<Op::reverse>({
    .type = reverse_type,
    .eval = reverse_eval,
    .jvp = jvp_linear,
    .transpose = reverse_transpose,
    .batch = reverse_batch,
    .lower = LowerElement{reverse_element},
    .samples = reverse_samples,
    .doc = "The elements in reverse order along `axes`.",
    .name = "flip",
    .parts = parts::each,
    .cost = 0,
});

} // namespace pm::ops
