// Simplifies operations that move elements, compositions of such operations, and reductions over axes of size 1.
#include "compiler/optimize/simplify.hpp"

#include <algorithm>
#include <numeric>

namespace pm::optimize {
namespace {

using ir::Attr;
using ir::Integers;
using ir::Op;
using ir::Shape;
using Result = std::optional<Value>;

std::size_t at(std::int64_t axis) { return static_cast<std::size_t>(axis); }

Integers counting(std::size_t n) {
    Integers axes(n);
    std::iota(axes.begin(), axes.end(), 0);
    return axes;
}

bool has(const Integers& axes, std::size_t axis) {
    return std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(axis)) != axes.end();
}

Value broadcast_to(Simplify& s, Value x, Shape shape, Integers dims) {
    return s.make(Op::broadcast, {x}, {{Attr::shape, std::move(shape)}, {Attr::dims, std::move(dims)}});
}
Value reshape_to(Simplify& s, Value x, Shape shape) {
    return s.make(Op::reshape, {x}, {{Attr::shape, std::move(shape)}});
}

Result broadcast(Simplify& s, const Inst& inst) {
    const Value x = inst.operands[0];
    const Shape& shape = inst.attrs.integers(Attr::shape);
    const Integers& dims = inst.attrs.integers(Attr::dims);
    if (s.b.shape(x) == shape && dims == counting(shape.size())) return x;
    const auto first = s.made_by(x, Op::broadcast);
    if (!first) return std::nullopt;
    Integers both;
    for (const std::int64_t d : first->attrs.integers(Attr::dims)) both.push_back(dims[at(d)]);
    return broadcast_to(s, first->operands[0], shape, std::move(both));
}

/// For each axis of `from` whose size is not 1: the index of the corresponding axis of `to`. Empty if the two shapes
/// differ even without their axes of size 1.
std::optional<Integers> same_but_ones(const Shape& from, const Shape& to) {
    Integers where(from.size(), -1);
    std::size_t next = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (from[i] == 1) continue;
        while (next < to.size() && to[next] == 1) ++next;
        if (next == to.size() || to[next] != from[i]) return std::nullopt;
        where[i] = static_cast<std::int64_t>(next++);
    }
    while (next < to.size() && to[next] == 1) ++next;
    if (next != to.size()) return std::nullopt;
    return where;
}

Result reshape(Simplify& s, const Inst& inst) {
    const Value x = inst.operands[0];
    const Shape& shape = inst.attrs.integers(Attr::shape);
    if (s.b.shape(x) == shape) return x;
    if (const auto first = s.made_by(x, Op::reshape)) return reshape_to(s, first->operands[0], shape);
    const auto spread = s.made_by(x, Op::broadcast);
    if (!spread) return std::nullopt;
    const Value small = spread->operands[0];
    const Shape kept = s.b.shape(small);
    if (kept.empty()) return broadcast_to(s, small, shape, {});
    const auto where = same_but_ones(s.b.shape(x), shape);
    if (!where || std::find(kept.begin(), kept.end(), 1) != kept.end()) return std::nullopt;
    Integers dims;
    for (const std::int64_t d : spread->attrs.integers(Attr::dims)) dims.push_back((*where)[at(d)]);
    return broadcast_to(s, small, shape, std::move(dims));
}

Result transpose(Simplify& s, const Inst& inst) {
    const Value x = inst.operands[0];
    const Integers& permutation = inst.attrs.integers(Attr::permutation);
    const Shape from = s.b.shape(x);
    if (permutation == counting(permutation.size())) return x;
    if (const auto first = s.made_by(x, Op::transpose)) {
        Integers both;
        for (const std::int64_t p : permutation) both.push_back(first->attrs.integers(Attr::permutation)[at(p)]);
        return s.make(Op::transpose, {first->operands[0]}, {{Attr::permutation, std::move(both)}});
    }
    Shape to;
    Integers longer; // the axes whose size is greater than 1, in their new order
    for (const std::int64_t p : permutation) {
        to.push_back(from[at(p)]);
        if (from[at(p)] != 1) longer.push_back(p);
    }
    if (std::is_sorted(longer.begin(), longer.end())) return reshape_to(s, x, std::move(to));
    const auto spread = s.made_by(x, Op::broadcast);
    if (!spread) return std::nullopt;
    const Value small = spread->operands[0];
    const Integers& dims = spread->attrs.integers(Attr::dims);
    // Transposes the operand of the broadcast instead of its result.
    Integers order;
    Integers places;
    for (std::size_t i = 0; i < permutation.size(); ++i) {
        const auto d = std::find(dims.begin(), dims.end(), permutation[i]);
        if (d == dims.end()) continue;
        order.push_back(d - dims.begin());
        places.push_back(static_cast<std::int64_t>(i));
    }
    const Value turned = s.make(Op::transpose, {small}, {{Attr::permutation, std::move(order)}});
    return broadcast_to(s, turned, std::move(to), std::move(places));
}

Value slice_of(Simplify& s, Value x, Integers start, Integers limit, Integers stride) {
    return s.make(
        Op::slice, {x},
        {{Attr::start, std::move(start)}, {Attr::limit, std::move(limit)}, {Attr::stride, std::move(stride)}});
}

/// The number of elements of a slice. The sum limit + stride could overflow, because strides have no upper bound. So
/// the function does not compute it.
std::int64_t taken(std::int64_t start, std::int64_t limit, std::int64_t stride) {
    return limit <= start ? 0 : (limit - start - 1) / stride + 1;
}

Result slice_of_slice(Simplify& s, const Inst& inst, const Inst& first) {
    const Integers& first_stride = first.attrs.integers(Attr::stride);
    Integers start = inst.attrs.integers(Attr::start);
    Integers limit = inst.attrs.integers(Attr::limit);
    Integers stride = inst.attrs.integers(Attr::stride);
    for (std::size_t i = 0; i < start.size(); ++i) {
        const std::int64_t count = taken(start[i], limit[i], stride[i]);
        start[i] = count == 0 ? 0 : first.attrs.integers(Attr::start)[i] + start[i] * first_stride[i];
        stride[i] = count < 2 ? 1 : stride[i] * first_stride[i];
        limit[i] = count == 0 ? 0 : start[i] + (count - 1) * stride[i] + 1;
    }
    return slice_of(s, first.operands[0], std::move(start), std::move(limit), std::move(stride));
}

/// `ends`: for each part of the concatenation, the index at which it ends.
Result slice_of_concatenate(Simplify& s, const Inst& inst, const Integers& ends) {
    const Inst& parts = *s.b.definition(inst.operands[0]);
    const auto axis = at(parts.attrs.integer(Attr::axis));
    Integers start = inst.attrs.integers(Attr::start);
    Integers limit = inst.attrs.integers(Attr::limit);
    const auto end = std::upper_bound(ends.begin(), ends.end(), start[axis]);
    if (end == ends.end() || limit[axis] > *end) return std::nullopt;
    const Value part = parts.operands[static_cast<std::size_t>(end - ends.begin())];
    const std::int64_t before = end == ends.begin() ? 0 : *std::prev(end);
    start[axis] -= before;
    limit[axis] -= before;
    return slice_of(s, part, std::move(start), std::move(limit), inst.attrs.integers(Attr::stride));
}

Result slice(Simplify& s, const Inst& inst) {
    const Value x = inst.operands[0];
    const Integers& start = inst.attrs.integers(Attr::start);
    const Integers& limit = inst.attrs.integers(Attr::limit);
    const Integers& stride = inst.attrs.integers(Attr::stride);
    const Shape from = s.b.shape(x);
    const auto all = [](const Integers& list, std::int64_t n) {
        return std::all_of(list.begin(), list.end(), [n](std::int64_t i) { return i == n; });
    };
    if (limit == from && all(start, 0) && all(stride, 1)) return x;
    if (const auto first = s.made_by(x, Op::slice)) return slice_of_slice(s, inst, *first);
    if (const Integers& ends = s.part_ends(x); !ends.empty()) return slice_of_concatenate(s, inst, ends);
    const auto spread = s.made_by(x, Op::broadcast);
    if (!spread) return std::nullopt;
    Shape to;
    for (std::size_t i = 0; i < from.size(); ++i) to.push_back(taken(start[i], limit[i], stride[i]));
    const Integers dims = spread->attrs.integers(Attr::dims);
    Integers small_start, small_limit, small_stride;
    for (const std::int64_t d : dims) {
        small_start.push_back(start[at(d)]);
        small_limit.push_back(limit[at(d)]);
        small_stride.push_back(stride[at(d)]);
    }
    const Value small =
        slice_of(s, spread->operands[0], std::move(small_start), std::move(small_limit), std::move(small_stride));
    return broadcast_to(s, small, std::move(to), dims);
}

Result reverse(Simplify& s, const Inst& inst) {
    const Value x = inst.operands[0];
    const Shape from = s.b.shape(x);
    const auto first = s.made_by(x, Op::reverse);
    const auto spread = s.made_by(x, Op::broadcast);
    Integers axes;
    for (const std::int64_t axis : inst.attrs.integers(Attr::axes)) {
        const bool no_effect = from[at(axis)] <= 1 || (spread && !has(spread->attrs.integers(Attr::dims), at(axis)));
        if (!no_effect) axes.push_back(axis);
    }
    if (first) // a second reversal of an axis cancels the first reversal
        for (const std::int64_t axis : first->attrs.integers(Attr::axes)) {
            const auto twice = std::find(axes.begin(), axes.end(), axis);
            if (twice != axes.end())
                axes.erase(twice);
            else
                axes.push_back(axis);
        }
    std::sort(axes.begin(), axes.end());
    const Value from_value = first ? first->operands[0] : x;
    if (axes.empty()) return from_value;
    if (!first && axes.size() == inst.attrs.integers(Attr::axes).size()) return std::nullopt;
    return s.make(Op::reverse, {from_value}, {{Attr::axes, std::move(axes)}});
}

Result pad(const Inst& inst) {
    for (const Attr attr : {Attr::low, Attr::high, Attr::interior})
        for (const std::int64_t n : inst.attrs.integers(attr))
            if (n != 0) return std::nullopt;
    return inst.operands[0];
}

/// Collects the parts of a concatenation. Adjacent slices of one value are joined to one slice.
class JoinedParts {
  public:
    JoinedParts(Simplify& s, std::size_t axis) : s_(s), axis_(axis) {}

    void add(Value part) {
        const auto inst = s_.made_by(part, Op::slice);
        const bool is_slice = inst && is_dense(inst->attrs.integers(Attr::stride));
        if (is_slice && follows(*inst)) {
            limit_[axis_] = inst->attrs.integers(Attr::limit)[axis_];
            ++count_;
            return;
        }
        flush();
        last_ = part;
        count_ = 1;
        from_ = is_slice ? inst->operands[0] : Value();
        if (!is_slice) return;
        start_ = inst->attrs.integers(Attr::start);
        limit_ = inst->attrs.integers(Attr::limit);
    }
    Values finish() {
        flush();
        return std::move(parts_);
    }

  private:
    static bool is_dense(const Integers& stride) {
        return std::all_of(stride.begin(), stride.end(), [](std::int64_t n) { return n == 1; });
    }
    bool follows(const Inst& slice) const {
        if (!from_ || slice.operands[0] != from_) return false;
        const Integers& start = slice.attrs.integers(Attr::start);
        const Integers& limit = slice.attrs.integers(Attr::limit);
        for (std::size_t i = 0; i < start.size(); ++i)
            if (i == axis_ ? start[i] != limit_[i] : start[i] != start_[i] || limit[i] != limit_[i]) return false;
        return true;
    }
    void flush() {
        if (count_ == 1) parts_.push_back(last_);
        if (count_ > 1) parts_.push_back(slice_of(s_, from_, start_, limit_, Integers(start_.size(), 1)));
        count_ = 0;
    }

    Simplify& s_;
    std::size_t axis_;
    Values parts_;
    std::size_t count_ = 0; ///< the number of parts joined since flush()
    Value last_;
    Value from_; ///< if the last part is a slice: the value that is sliced; otherwise null
    Integers start_, limit_;
};

Result concatenate(Simplify& s, const Inst& inst) {
    const auto axis = at(inst.attrs.integer(Attr::axis));
    JoinedParts joined(s, axis);
    for (const Value v : inst.operands)
        if (s.b.shape(v)[axis] != 0) joined.add(v);
    Values parts = joined.finish();
    if (parts.size() == 1) return parts[0];
    if (parts.empty() || parts.size() == inst.operands.size()) return std::nullopt;
    return s.make(Op::concatenate, std::move(parts), inst.attrs);
}

/// The start indices of a read or write. They are the operands of `inst` after the first `skip` operands. The indices
/// are clamped so that a part of shape `sizes` fits into the shape `whole`. Empty unless all start indices are
/// constants.
std::optional<Integers> known_starts(const Simplify& s, const Inst& inst, std::size_t skip, const Shape& whole,
                                     const Shape& sizes) {
    Integers starts;
    for (std::size_t i = skip; i < inst.operands.size(); ++i) {
        const auto known = s.constant(inst.operands[i]);
        if (!known) return std::nullopt;
        const std::size_t axis = i - skip;
        starts.push_back(std::clamp<std::int64_t>(known->array().as_i64(), 0, whole[axis] - sizes[axis]));
    }
    return starts;
}

Result dynamic_slice(Simplify& s, const Inst& inst) {
    const Value x = inst.operands[0];
    const Shape from = s.b.shape(x);
    const Integers& sizes = inst.attrs.integers(Attr::sizes);
    if (from == sizes) return x;
    if (const auto starts = known_starts(s, inst, 1, from, sizes)) {
        Integers limit = *starts;
        for (std::size_t i = 0; i < limit.size(); ++i) limit[i] += sizes[i];
        return slice_of(s, x, *starts, std::move(limit), Integers(sizes.size(), 1));
    }
    // The slice reads exactly the elements that the update has written.
    const auto update = s.made_by(x, Op::dynamic_update);
    if (update && s.b.shape(update->operands[1]) == sizes &&
        std::equal(inst.operands.begin() + 1, inst.operands.end(), update->operands.begin() + 2,
                   update->operands.end()))
        return update->operands[1];
    return std::nullopt;
}

Result dynamic_update(const Simplify& s, const Inst& inst) {
    const Value x = inst.operands[0];
    const Value update = inst.operands[1];
    if (s.b.shape(x) == s.b.shape(update)) return update;
    if (s.b.type(update).elements() == 0) return x;
    return std::nullopt;
}

bool is_reduction(Op op) {
    return op == Op::reduce_sum || op == Op::reduce_prod || op == Op::reduce_max || op == Op::reduce_min ||
           op == Op::reduce_and || op == Op::reduce_or;
}

Result reduce(Simplify& s, const Inst& inst) {
    const Value x = inst.operands[0];
    const Shape from = s.b.shape(x);
    const Integers& axes = inst.attrs.integers(Attr::axes);
    Shape to;
    for (std::size_t i = 0; i < from.size(); ++i)
        if (!has(axes, i)) to.push_back(from[i]);
    if (std::all_of(axes.begin(), axes.end(), [&](std::int64_t a) { return from[at(a)] == 1; })) {
        const Value same = reshape_to(s, x, std::move(to));
        // A sum starts at +0. So the sum over a single -0 is +0.
        const bool signed_zero = inst.op == Op::reduce_sum && runtime::is_inexact(s.b.dtype(x));
        return signed_zero ? s.b.add(same, s.b.zeros_like(same)) : same;
    }
    if (inst.op == Op::reduce_sum || inst.op == Op::reduce_prod) return std::nullopt;
    // The max, min, `and` or `or` of equal elements is one of these elements.
    const auto spread = s.made_by(x, Op::broadcast);
    if (!spread) return std::nullopt;
    const Integers& dims = spread->attrs.integers(Attr::dims);
    for (const std::int64_t a : axes)
        if (from[at(a)] == 0 || has(dims, at(a))) return std::nullopt;
    Integers places;
    for (const std::int64_t d : dims)
        places.push_back(d - std::count_if(axes.begin(), axes.end(), [d](std::int64_t a) { return a < d; }));
    return broadcast_to(s, spread->operands[0], std::move(to), std::move(places));
}

Result along_axis(Simplify& s, const Inst& inst) {
    const Value x = inst.operands[0];
    if (s.b.shape(x)[at(inst.attrs.integer(Attr::axis))] != 1) return std::nullopt;
    if (inst.op != Op::argmax && inst.op != Op::argmin) return x;
    Shape to = s.b.shape(x);
    to.erase(to.begin() + inst.attrs.integer(Attr::axis));
    return s.b.constant_i(ir::DType::i32, 0, std::move(to));
}

} // namespace

std::optional<Value> simplify_shape(Simplify& s, const Inst& inst) {
    if (inst.op == Op::broadcast) return broadcast(s, inst);
    if (inst.op == Op::reshape) return reshape(s, inst);
    if (inst.op == Op::transpose) return transpose(s, inst);
    if (inst.op == Op::slice) return slice(s, inst);
    if (inst.op == Op::reverse) return reverse(s, inst);
    if (inst.op == Op::pad) return pad(inst);
    if (inst.op == Op::concatenate) return concatenate(s, inst);
    if (inst.op == Op::dynamic_slice) return dynamic_slice(s, inst);
    if (inst.op == Op::dynamic_update) return dynamic_update(s, inst);
    if (is_reduction(inst.op)) return reduce(s, inst);
    if (inst.op == Op::cumsum || inst.op == Op::cumprod || inst.op == Op::cummax || inst.op == Op::cummin ||
        inst.op == Op::argmax || inst.op == Op::argmin)
        return along_axis(s, inst);
    return std::nullopt;
}

} // namespace pm::optimize
