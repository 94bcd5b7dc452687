#include "compiler/ops/indexing/gather_geometry.hpp"
#include "compiler/base/count.hpp"
#include "compiler/ops/core/display_name.hpp"

#include <algorithm>

namespace pm::ops {

GatherGeometry::GatherGeometry(const Inst& inst, std::size_t x_rank, std::size_t index_rank_)
    : batch(static_cast<std::size_t>(inst.attrs.integer(Attr::batch, 0))), index_rank(index_rank_),
      axes(inst.attrs.integers(Attr::axes)) {
    rest = other_axes(x_rank, joined(counting(0, batch), axes));
}

Shape GatherGeometry::part(const Shape& x, const Shape& index) const { return joined(index, sizes_of(x, rest)); }

namespace {

void require_index_arrays(const Inst& inst, std::span<const Type> indices) {
    for (const Type& index : indices) {
        if (index.dtype != DType::i32 && index.dtype != DType::i64)
            raise(diagnose(Diag::index_type, {}, display_name(inst.op), "arrays", ir::to_string(index)));
        if (index.shape != indices[0].shape)
            raise(diagnose(Diag::index_shapes, {}, display_name(inst.op), ir::to_string(indices[0].shape),
                           ir::to_string(index.shape)));
    }
}

} // namespace

Shape require_gather(const Inst& inst, std::span<const Type> operands, std::size_t first_index) {
    const std::string_view op = display_name(inst.op);
    const Integers& axes = inst.attrs.integers(Attr::axes);
    const std::int64_t batch = inst.attrs.integer(Attr::batch, 0);
    const Type& x = operands[0];
    require_axes(inst, axes, x);
    const std::size_t count = operands.size() - std::min(operands.size(), first_index);
    if (count == 0 || count != axes.size())
        raise(
            diagnose(Diag::index_count, {}, op, ir::to_string(x), Count{std::max<std::size_t>(axes.size(), 1)}, count));
    const std::span<const Type> indices = operands.subspan(first_index);
    require_index_arrays(inst, indices);
    const Shape& index = indices[0].shape;
    const bool leads = batch >= 0 && batch <= x.rank() && batch <= indices[0].rank() &&
                       std::equal(x.shape.begin(), x.shape.begin() + batch, index.begin());
    if (!leads) raise(diagnose(Diag::index_batch, {}, op, ir::to_string(x), Count{batch}, ir::to_string(index)));
    for (std::int64_t axis : axes) {
        if (axis < batch) raise(diagnose(Diag::axis_repeated, {}, op, axis));
        const bool reads = inst.op == Op::gather && ir::product(index) > 0;
        if (reads && x.shape[static_cast<std::size_t>(axis)] == 0)
            raise(diagnose(Diag::empty_axis, {}, op, axis, ir::to_string(x)));
    }
    const Type part{x.dtype, GatherGeometry(inst, x.shape.size(), index.size()).part(x.shape, index)};
    require_shape(part);
    return part.shape;
}

GatherMap::GatherMap(const Inst& inst, const Array& x, std::span<const Array> indices)
    : geometry_(inst, x.shape().size(), indices[0].shape().size()), shape_(x.shape()), strides_(strides_of(x.shape())),
      index_strides_(strides_of(indices[0].shape())), indices_(indices) {}

Position GatherMap::locate(const Position& at) const {
    Position place(shape_.size());
    const Position index_at(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(geometry_.index_rank));
    const std::int64_t index = offset_of(index_at, index_strides_);
    for (std::size_t i = 0; i < geometry_.batch; ++i) place[i] = at[i];
    for (std::size_t j = 0; j < geometry_.axes.size(); ++j)
        place[static_cast<std::size_t>(geometry_.axes[j])] = indices_[j].as_i64(index);
    for (std::size_t r = 0; r < geometry_.rest.size(); ++r)
        place[static_cast<std::size_t>(geometry_.rest[r])] = at[geometry_.index_rank + r];
    return place;
}

bool GatherMap::within(const Position& place) const {
    for (std::size_t i = 0; i < place.size(); ++i)
        if (place[i] < 0 || place[i] >= shape_[i]) return false;
    return true;
}

std::int64_t GatherMap::clamped(Position place) const {
    for (std::size_t i = 0; i < place.size(); ++i) place[i] = std::clamp<std::int64_t>(place[i], 0, shape_[i] - 1);
    return offset(place);
}

Value updates_first(Build& b, Value v, const Shape& index, std::int64_t batch) {
    const Shape& from = b.shape(v);
    const auto lead = static_cast<std::ptrdiff_t>(batch);
    Shape flat(from.begin(), from.begin() + lead);
    flat.push_back(ir::product(Shape(index.begin() + lead, index.end())));
    flat.insert(flat.end(), from.begin() + static_cast<std::ptrdiff_t>(index.size()), from.end());
    return b.move_axis(b.reshape(v, std::move(flat)), static_cast<int>(batch), 0);
}

Value updates_back(Build& b, Value v, const Shape& index, std::int64_t batch) {
    const Value moved = b.move_axis(v, 0, static_cast<int>(batch));
    const Shape& from = b.shape(moved);
    Shape whole = index;
    whole.insert(whole.end(), from.begin() + batch + 1, from.end());
    return b.reshape(moved, std::move(whole));
}

Value clamp_indices(Build& b, Value index, std::int64_t low, std::int64_t high) {
    const DType dtype = b.dtype(index);
    const Shape shape = b.shape(index);
    const Value raised = b.binary(Op::max, index, b.constant_i(dtype, low, shape));
    return b.binary(Op::min, raised, b.constant_i(dtype, high, shape));
}

WindowIndices window_indices(BatchContext& c, const Shape& x, const Shape& window, std::size_t first_start) {
    WindowIndices made;
    for (std::size_t axis = 0; axis < x.size(); ++axis)
        if (window[axis] != x[axis]) made.axes.push_back(static_cast<std::int64_t>(axis));
    const Shape shape = preceded(c.size, sizes_of(window, made.axes));
    for (std::size_t j = 0; j < made.axes.size(); ++j) {
        const auto axis = static_cast<std::size_t>(made.axes[j]);
        const std::size_t operand = first_start + axis;
        const Value start = clamp_indices(c.b, c.in(operand), 0, x[axis] - window[axis]);
        const Value spread = c.b.broadcast(start, shape, c.batched[operand] ? Integers{0} : Integers{});
        made.arrays.push_back(c.b.add(spread, c.b.iota(shape, static_cast<int>(j) + 1, c.b.dtype(start))));
    }
    return made;
}

bool any_batched(const BatchContext& c, std::size_t first) {
    for (std::size_t i = first; i < c.batched.size(); ++i)
        if (c.batched[i]) return true;
    return false;
}

} // namespace pm::ops
