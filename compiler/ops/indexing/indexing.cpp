#include "compiler/base/count.hpp"
#include "compiler/ops/complex/parts.hpp"
#include "compiler/ops/core/display_name.hpp"
#include "compiler/ops/indexing/gather_geometry.hpp"

#include <algorithm>

// Reads and writes at indices that are operands: dynamic_slice, dynamic_update, gather. Reads clamp the indices. The
// stager adds a separate instruction that checks the range of an index. scatter is in scatter.cpp.

namespace pm::ops {
namespace {

/// Raises an error unless the operands from number `first` on are i32 or i64 scalars, one for each axis of `x`.
void require_starts(const Inst& inst, const Type& x, std::span<const Type> operands, std::size_t first) {
    const std::string_view op = display_name(inst.op);
    const std::size_t count = operands.size() - std::min(operands.size(), first);
    if (count != x.shape.size()) raise(diagnose(Diag::index_count, {}, op, ir::to_string(x), Count{x.rank()}, count));
    for (const Type& start : operands.subspan(first)) {
        if (start.shape.empty() && (start.dtype == DType::i32 || start.dtype == DType::i64)) continue;
        raise(diagnose(Diag::index_type, {}, op, "a scalar", ir::to_string(start)));
    }
}

void require_window(const Inst& inst, const Type& x, const Shape& window) {
    bool fits = window.size() == x.shape.size();
    for (std::size_t i = 0; fits && i < window.size(); ++i) fits = window[i] >= 0 && window[i] <= x.shape[i];
    if (!fits)
        raise(diagnose(Diag::window_too_large, {}, display_name(inst.op), ir::to_string(window), ir::to_string(x)));
}

/// The start of the window, clamped so that the window fits.
Position clamped_starts(std::span<const Array> starts, const Shape& x, const Shape& window) {
    Position at;
    for (std::size_t i = 0; i < x.size(); ++i)
        at.push_back(std::clamp<std::int64_t>(starts[i].as_i64(), 0, x[i] - window[i]));
    return at;
}

Values starts_of(std::span<const Value> operands, std::size_t first) {
    return {operands.begin() + static_cast<std::ptrdiff_t>(first), operands.end()};
}

/// The starts of a window in an array whose axis 0 is the batch. The start along axis 0 is 0. The other starts are
/// operands, which are not batched.
Values starts_with_batch(BatchContext& c, std::size_t first) {
    Values starts{c.b.constant_i(DType::i32, 0)};
    for (std::size_t i = first; i < c.operands.size(); ++i) starts.push_back(c.in(i));
    return starts;
}

/// The permutation from (batch, indexed axes, others) to (batch, axes of x in order).
Integers window_order(std::size_t rank, const Integers& axes) {
    return with_batch_axis(inverse(joined(axes, other_axes(rank, axes))));
}

// ---- dynamic_slice(x, start per axis): `sizes` elements from the start on

std::vector<Type> dynamic_slice_type(const Inst& inst, std::span<const Type> in) {
    require_dtype(inst, in[0].dtype, anything);
    require_starts(inst, in[0], in, 1);
    const Integers& sizes = require_per_axis(inst, Attr::sizes, in[0]);
    require_window(inst, in[0], sizes);
    return {Type{in[0].dtype, sizes}};
}

std::vector<Array> dynamic_slice_eval(EvalContext& c) {
    const Shape& x = c.in[0].shape();
    const Position start = clamped_starts(c.in.subspan(1), x, c.result_types[0].shape);
    const Integers strides = strides_of(x);
    return eval_moved(c, [&](const Position& at) { return offset_of(at, strides) + offset_of(start, strides); });
}

void dynamic_slice_transpose(TransposeContext& c) {
    const Value ct = *c.ct();
    c.add_into(0, [&](Build& b, Value sum) {
        Values starts;
        for (std::size_t i = 1; i < c.operands.size(); ++i) starts.push_back(c.in(i));
        const Value part = b.dynamic_slice(sum, starts, c.inst.attrs.integers(Attr::sizes));
        return b.dynamic_update(sum, b.add(part, ct), starts);
    });
}

Values dynamic_slice_batch(BatchContext& c) {
    const Integers& sizes = c.inst.attrs.integers(Attr::sizes);
    if (!any_batched(c, 1)) return {c.b.dynamic_slice(c.in(0), starts_with_batch(c, 1), preceded(c.size, sizes))};
    Shape x = c.b.shape(c.in(0));
    if (c.batched[0]) x.erase(x.begin());
    const WindowIndices window = window_indices(c, x, sizes, 1);
    if (window.axes.empty()) return {c.full(0)}; // the window is the whole of x, for every start
    const Value part = c.batched[0] ? c.b.gather(c.in(0), window.arrays, shifted(window.axes), 1)
                                    : c.b.gather(c.in(0), window.arrays, window.axes);
    return {c.b.transpose(part, window_order(x.size(), window.axes))};
}

nest::Ref dynamic_slice_element(ElementContext& c, const nest::Indices& at) {
    const Shape& x = c.operand_types[0].shape;
    nest::Indices from;
    for (std::size_t i = 0; i < at.size(); ++i) {
        const std::int64_t room = x[i] - c.result_type.shape[i];
        from.push_back(room == 0 ? at[i] : c.n.add(c.n.clamp(c.n.from(c.element(1 + i, {})), 0, room), at[i]));
    }
    return c.element(0, from);
}

/// Calls `sample(dtype, shape, window, dtype of the starts)` for arrays and windows of many shapes.
std::vector<Sample> window_samples(Sample (*sample)(DType, const Shape&, const Shape&, DType)) {
    constexpr DType i32 = DType::i32;
    std::vector<Sample> samples;
    for (const auto& [shape, window] : std::vector<std::pair<Shape, Shape>>{{{}, {}},
                                                                            {{7}, {3}},
                                                                            {{7}, {7}},
                                                                            {{7}, {0}},
                                                                            {{3, 5}, {1, 5}},
                                                                            {{4, 5}, {4, 1}},
                                                                            {{0, 4}, {0, 2}},
                                                                            {{70, 33}, {20, 33}},
                                                                            {{2, 3, 4}, {2, 1, 3}},
                                                                            {{133, 127}, {130, 127}}})
        samples.push_back(sample(DType::f32, shape, window, i32));
    samples.push_back(sample(DType::f32, {3, 5}, {2, 3}, DType::i64));
    for (DType dtype : members(every)) samples.push_back(sample(dtype, {5}, {2}, i32));
    return with_doubles(std::move(samples));
}

std::vector<Sample> dynamic_slice_samples() {
    return window_samples([](DType dtype, const Shape& shape, const Shape& window, DType index) {
        Sample made{
            {Type{dtype, shape}}, {{Attr::sizes, window}}, {Domain::any, Domain::index}, 0, runtime::is_float(dtype)};
        made.operands.insert(made.operands.end(), shape.size(), Type{index, {}});
        return made;
    });
}

// ---- dynamic_update(x, update, start per axis): x, in which `update` replaces the window

std::vector<Type> dynamic_update_type(const Inst& inst, std::span<const Type> in) {
    const std::string_view op = display_name(inst.op);
    if (in.size() < 2) raise(diagnose(Diag::index_count, {}, op, "an array", Count{2}, in.size()));
    require_dtype(inst, in[0].dtype, anything);
    if (in[1].dtype != in[0].dtype)
        raise(diagnose(Diag::update_mismatch, {}, op, ir::to_string(in[0]),
                       ir::to_string(Type{in[0].dtype, in[1].shape}), ir::to_string(in[1])));
    require_starts(inst, in[0], in, 2);
    require_window(inst, in[0], in[1].shape);
    return {in[0]};
}

std::vector<Array> dynamic_update_eval(EvalContext& c) {
    Array out = c.in[0].clone();
    const Mover move(out);
    const Position start = clamped_starts(c.in.subspan(2), out.shape(), c.in[1].shape());
    const Integers strides = strides_of(out.shape());
    each_position(c.in[1].shape(), [&](std::int64_t i, const Position& at) {
        move(offset_of(at, strides) + offset_of(start, strides), c.in[1], i);
    });
    return {std::move(out)};
}

Tangents dynamic_update_jvp(JvpContext& c) {
    if (!c.tangent(0) && !c.tangent(1)) return {std::nullopt};
    return {c.b.dynamic_update(tangent_or_zero(c, 0), tangent_or_zero(c, 1), starts_of(c.primals, 2))};
}

void dynamic_update_transpose(TransposeContext& c) {
    const Value ct = *c.ct();
    Values starts;
    for (std::size_t i = 2; i < c.operands.size(); ++i) starts.push_back(c.in(i));
    // The cotangent of the update is read before zeros overwrite it in the cotangent of x. So the write of the zeros
    // can be in place. Then the transpose of a loop with n updates costs O(n).
    if (c.linear(1)) c.add(1, c.b.dynamic_slice(ct, starts, c.operand_types[1].shape));
    if (c.linear(0)) c.add(0, c.b.dynamic_update(ct, c.b.zeros(c.operand_types[1]), starts));
}

Values dynamic_update_batch(BatchContext& c) {
    const Value x = c.full(0);
    const Value update = c.full(1);
    if (!any_batched(c, 2)) return {c.b.dynamic_update(x, update, starts_with_batch(c, 2))};
    Shape whole = c.b.shape(x);
    Shape part = c.b.shape(update);
    whole.erase(whole.begin());
    part.erase(part.begin());
    const WindowIndices window = window_indices(c, whole, part, 2);
    if (window.axes.empty()) return {update};
    const Value moved =
        c.b.transpose(update, with_batch_axis(joined(window.axes, other_axes(whole.size(), window.axes))));
    return {c.b.scatter(x, moved, window.arrays, shifted(window.axes), "set", 1)};
}

std::vector<Sample> dynamic_update_samples() {
    return window_samples([](DType dtype, const Shape& shape, const Shape& window, DType index) {
        Sample made{{Type{dtype, shape}, Type{dtype, window}},
                    {},
                    {Domain::any, Domain::any, Domain::index},
                    0,
                    runtime::is_float(dtype)};
        made.operands.insert(made.operands.end(), shape.size(), Type{index, {}});
        return made;
    });
}

// ---- gather: see GatherGeometry. Indices are clamped into range

std::vector<Type> gather_type(const Inst& inst, std::span<const Type> in) {
    require_dtype(inst, in[0].dtype, anything);
    return {Type{in[0].dtype, require_gather(inst, in, 1)}};
}

std::vector<Array> gather_eval(EvalContext& c) {
    const GatherMap map(c.inst, c.in[0], c.in.subspan(1));
    return eval_moved(c, [&](const Position& at) { return map.clamped(map.locate(at)); });
}

/// Adds the cotangent to the elements that were read. scatter drops indices out of range. So the indices are first
/// clamped, as in gather.
void gather_transpose(TransposeContext& c) {
    const Value ct = *c.ct();
    if (!c.linear(0) || c.b.type(ct).elements() == 0) return;
    c.add_into(0, [&](Build& b, Value sum) {
        const Integers& axes = c.inst.attrs.integers(Attr::axes);
        Values indices;
        for (std::size_t j = 0; j < axes.size(); ++j) {
            const std::int64_t size = c.operand_types[0].shape[static_cast<std::size_t>(axes[j])];
            indices.push_back(clamp_indices(b, c.in(1 + j), 0, size - 1));
        }
        return b.scatter(sum, ct, std::move(indices), axes, "add", c.inst.attrs.integer(Attr::batch, 0));
    });
}

Values gather_batch(BatchContext& c) {
    const Integers& axes = c.inst.attrs.integers(Attr::axes);
    const std::int64_t batch = c.inst.attrs.integer(Attr::batch, 0);
    const auto index_rank = c.rank(1);
    if (!any_batched(c, 1) && batch == 0) { // the batch is an axis of x that is not indexed
        const Value part = c.b.gather(c.in(0), starts_of(c.operands, 1), shifted(axes));
        return {c.b.move_axis(part, index_rank, 0)};
    }
    Values indices;
    for (std::size_t i = 1; i < c.operands.size(); ++i) indices.push_back(c.full(i));
    if (c.batched[0]) return {c.b.gather(c.in(0), std::move(indices), shifted(axes), batch + 1)};
    // x is not batched, so the batch becomes the first axis of S.
    const int front = static_cast<int>(batch);
    for (Value& index : indices) index = c.b.move_axis(index, 0, front);
    return {c.b.move_axis(c.b.gather(c.in(0), std::move(indices), axes, batch), front, 0)};
}

nest::Ref gather_element(ElementContext& c, const nest::Indices& at) {
    const Shape& x = c.operand_types[0].shape;
    const GatherGeometry geometry(c.inst, x.size(), c.operand_types[1].shape.size());
    const nest::Indices index_at(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(geometry.index_rank));
    nest::Indices from(x.size());
    for (std::size_t i = 0; i < geometry.batch; ++i) from[i] = at[i];
    for (std::size_t j = 0; j < geometry.axes.size(); ++j) {
        const auto axis = static_cast<std::size_t>(geometry.axes[j]);
        // An empty x is never read.
        from[axis] =
            x[axis] <= 1 ? nest::Index::constant(0) : c.n.clamp(c.n.from(c.element(1 + j, index_at)), 0, x[axis] - 1);
    }
    for (std::size_t r = 0; r < geometry.rest.size(); ++r)
        from[static_cast<std::size_t>(geometry.rest[r])] = at[geometry.index_rank + r];
    return c.element(0, from);
}

std::vector<Sample> gather_samples() {
    const auto sample = [](DType dtype, Shape shape, Shape index, Integers axes, std::int64_t batch = 0,
                           DType index_type = DType::i32) {
        Sample made{{Type{dtype, std::move(shape)}},
                    {{Attr::axes, axes}, {Attr::batch, batch}},
                    {Domain::any, Domain::index},
                    0,
                    runtime::is_float(dtype)};
        made.operands.insert(made.operands.end(), axes.size(), Type{index_type, std::move(index)});
        return made;
    };
    std::vector<Sample> samples{
        sample(DType::f32, {7}, {}, {0}),
        sample(DType::f32, {7}, {4}, {0}),
        sample(DType::f32, {7}, {0}, {0}),
        sample(DType::f32, {5, 3}, {4}, {0}),
        sample(DType::f32, {5, 3}, {4}, {1}, 0, DType::i64),
        sample(DType::f32, {5, 3}, {2, 2}, {0, 1}),
        sample(DType::f32, {5, 3, 2}, {4}, {2, 0}),
        sample(DType::f32, {4, 5}, {4, 3}, {1}, 1),
        sample(DType::f32, {4, 5, 2}, {4}, {1}, 1),
        sample(DType::f32, {2, 3, 4, 5}, {2, 6}, {3, 1}, 1),
        sample(DType::f32, {0, 3}, {0}, {0}),
        sample(DType::f32, {3, 0}, {2}, {0}),
        sample(DType::f32, {70, 33}, {90}, {0}),
        sample(DType::f32, {17000}, {16500}, {0}),
        sample(DType::f32, {9, 33}, {501}, {0}),
    };
    for (DType dtype : members(every)) samples.push_back(sample(dtype, {5}, {3}, {0}));
    return with_doubles(std::move(samples));
}

} // namespace

const OpRules rule::dynamic_slice = checked<Op::dynamic_slice>({
    .type = dynamic_slice_type,
    .eval = dynamic_slice_eval,
    .jvp = jvp_linear_first,
    .transpose = dynamic_slice_transpose,
    .batch = dynamic_slice_batch,
    .lower = LowerElement{dynamic_slice_element},
    .samples = dynamic_slice_samples,
    .doc = "`sizes` elements from a computed start on, which is clamped so that they lie in the array.",
    .parts = parts::each,
    .cost = 0,
});
const OpRules rule::dynamic_update = checked<Op::dynamic_update>({
    .type = dynamic_update_type,
    .eval = dynamic_update_eval,
    .jvp = dynamic_update_jvp,
    .transpose = dynamic_update_transpose,
    .batch = dynamic_update_batch,
    .lower = LowerKernel{Kernel::dynamic_update},
    .samples = dynamic_update_samples,
    .doc = "The array with the update in place of the elements from a computed start on, which is clamped so that it "
           "fits.",
    .name = "dynamic_update_slice",
    .parts = parts::each,
});
const OpRules rule::gather = checked<Op::gather>({
    .type = gather_type,
    .eval = gather_eval,
    .jvp = jvp_linear_first,
    .transpose = gather_transpose,
    .batch = gather_batch,
    .lower = LowerElement{gather_element},
    .samples = gather_samples,
    .doc = "The elements at index arrays along `axes`, whole along the other axes; indices are clamped into range.",
    .name = "take",
    .parts = parts::each,
    .cost = 0,
});

} // namespace pm::ops
