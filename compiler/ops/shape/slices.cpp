#include "compiler/ops/shape/slices.hpp"

namespace pm::ops {

Value with_slices_first(Build& b, Value v, std::int64_t axis, std::int64_t slices, bool tiled) {
    if (tiled) {
        Shape shape = b.shape(v);
        std::int64_t& size = shape[static_cast<std::size_t>(axis)];
        size = slices == 0 ? 0 : size / slices;
        shape.insert(shape.begin() + axis, slices);
        v = b.reshape(v, shape);
    }
    return b.move_axis(v, static_cast<int>(axis), 0);
}

Value with_slices_back(Build& b, Value v, std::int64_t axis, bool tiled) {
    v = b.move_axis(v, 0, static_cast<int>(axis));
    if (!tiled) return v;
    Shape shape = b.shape(v);
    shape[static_cast<std::size_t>(axis)] *= shape[static_cast<std::size_t>(axis) + 1];
    shape.erase(shape.begin() + axis + 1);
    return b.reshape(v, shape);
}

ir::Integers sources_of(const ir::Inst& permute, std::int64_t devices) {
    const ir::Integers& pairs = permute.attrs.integers(ir::Attr::pairs);
    ir::Integers sources(static_cast<std::size_t>(devices), -1);
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) sources[static_cast<std::size_t>(pairs[i + 1])] = pairs[i];
    return sources;
}

} // namespace pm::ops
