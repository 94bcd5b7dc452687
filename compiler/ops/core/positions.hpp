#pragma once
#include "compiler/base/stop.hpp"
#include "compiler/ops/core/combinators.hpp"

#include <cmath>
#include <cstring>
#include <limits>

/// Loops over the elements of dense arrays, for `eval` rules. The loops are simple and slow.
namespace pm::ops {

/// The index of an element along each axis.
using Position = std::vector<std::int64_t>;

/// The strides of a dense row-major array, in elements.
inline Integers strides_of(const Shape& shape) {
    Integers strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
    return strides;
}

inline std::int64_t offset_of(const Position& at, const Integers& strides) {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < at.size(); ++i) offset += at[i] * strides[i];
    return offset;
}

/// Calls fn(i, position) for every element of an array of shape `shape`, in row-major order. `i` counts the elements.
template <class Fn>
void each_position(const Shape& shape, Fn&& fn) {
    const std::int64_t count = ir::product(shape);
    Position at(shape.size(), 0);
    for (std::int64_t i = 0; i < count; ++i) {
        poll_stop();
        fn(i, std::as_const(at));
        for (std::size_t axis = shape.size(); axis-- > 0;) {
            if (++at[axis] < shape[axis]) break;
            at[axis] = 0;
        }
    }
}

/// Copies single elements between arrays of one dtype.
class Mover {
  public:
    explicit Mover(Array& to) : to_(static_cast<std::byte*>(to.mutable_data())), width_(runtime::size_of(to.dtype())) {}
    /// Copies element `j` of `from` to element `i`.
    void operator()(std::int64_t i, const Array& from, std::int64_t j) const {
        std::memcpy(to_ + static_cast<std::size_t>(i) * width_,
                    static_cast<const std::byte*>(from.data()) + static_cast<std::size_t>(j) * width_, width_);
    }

  private:
    std::byte* to_;
    std::size_t width_;
};

/// Computes a result. Its element at index `position` is element number source(position) of operand 0.
template <class Source>
std::vector<Array> eval_moved(EvalContext& c, Source&& source) {
    Array out = new_result(c);
    const Mover move(out);
    each_position(out.shape(), [&](std::int64_t i, const Position& at) { move(i, c.in[0], source(at)); });
    return {std::move(out)};
}

/// The type in which `eval` computes sums and products. For floats it is f64. For integers it is u64, so these sums and
/// products wrap modulo 2^64.
template <class V>
struct Accumulator {
    using Type = std::uint64_t;
};
template <Float V>
struct Accumulator<V> {
    using Type = double;
};
template <class V>
using AccumulatorOf = typename Accumulator<V>::Type;

/// a + b and a * b, rounded to V; integers wrap.
template <class V>
V wrapped_add(V a, V b) {
    if constexpr (Float<V>)
        return a + b;
    else
        return static_cast<V>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
template <class V>
V wrapped_mul(V a, V b) {
    if constexpr (Float<V>)
        return a * b;
    else
        return static_cast<V>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

/// greater_of and lesser_of return the greater and the lesser of two elements. If one element is NaN, the result is
/// NaN. 0 is greater than -0.
template <class V>
V greater_of(V a, V b) {
    if constexpr (Float<V>) {
        if (a != a) return a;
        if (b != b) return b;
        if (a == b) return std::signbit(a) ? b : a;
    }
    return a < b ? b : a;
}
template <class V>
V lesser_of(V a, V b) {
    if constexpr (Float<V>) {
        if (a != a) return a;
        if (b != b) return b;
        if (a == b) return std::signbit(a) ? a : b;
    }
    return b < a ? b : a;
}

/// least() is the initial value of a maximum: the least element of the type. greatest() is the initial value of a
/// minimum.
template <class V>
constexpr V least() {
    if constexpr (Float<V>)
        return -std::numeric_limits<V>::infinity();
    else
        return std::numeric_limits<V>::lowest();
}
template <class V>
constexpr V greatest() {
    if constexpr (Float<V>)
        return std::numeric_limits<V>::infinity();
    else
        return std::numeric_limits<V>::max();
}

} // namespace pm::ops
