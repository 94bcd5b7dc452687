#include "compiler/ops/core/axes.hpp"
#include "compiler/base/count.hpp"
#include "compiler/ops/core/display_name.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace pm::ops {

void require_axis(const Inst& inst, std::int64_t axis, const Type& type) {
    if (axis >= 0 && axis < type.rank()) return;
    raise(diagnose(Diag::axis_missing, {}, display_name(inst.op), axis, ir::to_string(type), Count{type.rank()}));
}

void require_axes(const Inst& inst, const Integers& axes, const Type& type) {
    for (std::size_t i = 0; i < axes.size(); ++i) {
        require_axis(inst, axes[i], type);
        if (std::find(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(i), axes[i]) !=
            axes.begin() + static_cast<std::ptrdiff_t>(i))
            raise(diagnose(Diag::axis_repeated, {}, display_name(inst.op), axes[i]));
    }
}

const Integers& require_per_axis(const Inst& inst, Attr attr, const Type& type) {
    const Integers& list = inst.attrs.integers(attr);
    if (list.size() != type.shape.size())
        raise(diagnose(Diag::entries_per_axis, {}, display_name(inst.op), ir::to_string(type), ir::name(attr),
                       Count{type.rank()}, list.size()));
    return list;
}

Integers counting(std::int64_t from, std::size_t count) {
    Integers list(count);
    std::iota(list.begin(), list.end(), from);
    return list;
}

Integers shifted(Integers axes) {
    for (std::int64_t& axis : axes) ++axis;
    return axes;
}

Integers with_batch_axis(const Integers& axes) { return preceded(0, shifted(axes)); }

Integers preceded(std::int64_t value, const Integers& list) {
    Integers made{value};
    made.insert(made.end(), list.begin(), list.end());
    return made;
}

bool holds(const Integers& list, std::int64_t value) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

Integers other_axes(std::size_t rank, const Integers& axes) {
    Integers others;
    for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(rank); ++axis)
        if (!holds(axes, axis)) others.push_back(axis);
    return others;
}

Shape sizes_of(const Shape& shape, const Integers& axes) {
    Shape sizes;
    for (std::int64_t axis : axes) sizes.push_back(shape[static_cast<std::size_t>(axis)]);
    return sizes;
}

Integers joined(Integers first, const Integers& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

Integers inverse(const Integers& permutation) {
    Integers back(permutation.size());
    for (std::size_t i = 0; i < permutation.size(); ++i)
        back[static_cast<std::size_t>(permutation[i])] = static_cast<std::int64_t>(i);
    return back;
}

std::vector<Sample> with_doubles(std::vector<Sample> samples) {
    const std::size_t count = samples.size();
    for (std::size_t i = 0; i < count; ++i) {
        Sample wide = samples[i];
        bool changed = false;
        for (Type& type : wide.operands) {
            if (type.dtype != DType::f32) continue;
            type.dtype = DType::f64;
            changed = true;
        }
        if (changed) samples.push_back(std::move(wide));
    }
    return samples;
}

DType index_dtype(std::int64_t size) {
    return size <= std::numeric_limits<std::int32_t>::max() ? DType::i32 : DType::i64;
}

Values batch_along_axis(BatchContext& c) {
    Attrs attrs = c.inst.attrs;
    attrs.set(Attr::axis, attrs.integer(Attr::axis) + 1);
    Values operands;
    for (std::size_t i = 0; i < c.operands.size(); ++i) operands.push_back(c.full(i));
    return c.b.emit(c.inst.op, std::move(operands), std::move(attrs));
}

} // namespace pm::ops
