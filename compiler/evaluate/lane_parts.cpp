#include "compiler/evaluate/lanes.hpp"

#include <cstring>

namespace pm::evaluate {
namespace {

/// The layout of an array, seen as [outer, size of the axis, inner bytes].
struct AxisSplit {
    std::size_t outer = 1;
    std::size_t size = 1;
    std::size_t inner = 1; ///< in bytes
};

AxisSplit layout(const Array& x, std::size_t axis) {
    AxisSplit l;
    for (std::size_t i = 0; i < axis; ++i) l.outer *= static_cast<std::size_t>(x.shape()[i]);
    l.size = static_cast<std::size_t>(x.shape()[axis]);
    l.inner = runtime::size_of(x.dtype());
    for (std::size_t i = axis + 1; i < x.shape().size(); ++i) l.inner *= static_cast<std::size_t>(x.shape()[i]);
    return l;
}

} // namespace

Array part(const Array& x, std::size_t axis, std::int64_t begin, std::int64_t end, const Memory& memory) {
    runtime::Shape shape = x.shape();
    shape[axis] = end - begin;
    Array out = Array::empty(x.dtype(), std::move(shape), memory);
    if (out.elements() == 0) return out;
    const AxisSplit l = layout(x, axis);
    const auto* from = static_cast<const std::byte*>(x.data());
    auto* to = static_cast<std::byte*>(out.mutable_data());
    const std::size_t row = static_cast<std::size_t>(end - begin) * l.inner;
    for (std::size_t o = 0; o < l.outer; ++o)
        std::memcpy(to + o * row, from + (o * l.size + static_cast<std::size_t>(begin)) * l.inner, row);
    return out;
}

Array item(const Array& x, std::size_t axis, std::int64_t i, const Memory& memory) {
    runtime::Shape shape = x.shape();
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
    return part(x, axis, i, i + 1, memory).reshape(std::move(shape));
}

Array join(const std::vector<Array>& parts, std::size_t axis, const Memory& memory) {
    runtime::Shape shape = parts.front().shape();
    shape[axis] = 0;
    for (const Array& x : parts) shape[axis] += x.shape()[axis];
    Array out = Array::empty(parts.front().dtype(), std::move(shape), memory);
    if (out.elements() == 0) return out;
    const AxisSplit whole = layout(out, axis);
    auto* to = static_cast<std::byte*>(out.mutable_data());
    std::size_t begin = 0;
    for (const Array& x : parts) {
        const AxisSplit l = layout(x, axis);
        const std::size_t row = l.size * l.inner;
        const auto* from = static_cast<const std::byte*>(x.data());
        for (std::size_t o = 0; o < l.outer && row != 0; ++o)
            std::memcpy(to + (o * whole.size + begin) * whole.inner, from + o * row, row);
        begin += l.size;
    }
    return out;
}

Array stack(const std::vector<Array>& items, std::size_t axis, const Memory& memory) {
    std::vector<Array> parts;
    parts.reserve(items.size());
    for (const Array& x : items) {
        runtime::Shape shape = x.shape();
        shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), 1);
        parts.push_back(x.reshape(std::move(shape)));
    }
    return join(parts, axis, memory);
}

} // namespace pm::evaluate
