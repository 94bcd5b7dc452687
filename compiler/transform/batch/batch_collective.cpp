#include "compiler/ops/core/halves.hpp"
#include "compiler/ops/shape/slices.hpp"
#include "compiler/transform/batch/batcher.hpp"
#include "runtime/dtype.hpp"

#include <algorithm>

/// Collectives under vmap. A collective that is not over the batch axis remains a collective. The batch then is an axis
/// of its operand. A collective over the batch axis alone becomes an ordinary operation on axis 0. A collective over
/// the batch axis and other axes becomes two operations: one on axis 0, and a collective over the other axes. A result
/// that is equal for all elements of the batch is not batched.
namespace pm::transform {

using ir::Attr;
using ir::Attrs;

namespace {

/// The axes of a collective without the batch axis. An index over all axes of the collective is row-major: (before,
/// batch, after).
struct Rest {
    ir::Integers axes;       ///< all axes but the batch axis
    ir::Integers sizes;      ///< of `axes`
    std::int64_t before = 1; ///< the product of the sizes of the axes before the batch axis
    std::int64_t after = 1;
    std::int64_t size() const { return before * after; }
};

Rest rest_of(const Inst& inst, std::int64_t axis) {
    Rest rest;
    const ir::Integers& axes = inst.attrs.integers(Attr::axes);
    bool after_axis = false;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (axes[i] == axis) {
            after_axis = true;
            continue;
        }
        rest.axes.push_back(axes[i]);
        rest.sizes.push_back(inst.attrs.integers(Attr::sizes).at(i));
        (after_axis ? rest.after : rest.before) *= rest.sizes.back();
    }
    return rest;
}

Attrs over_rest(const Inst& inst, const Rest& rest) {
    Attrs attrs = inst.attrs;
    attrs.set(Attr::axes, rest.axes);
    attrs.set(Attr::sizes, rest.sizes);
    attrs.set(Attr::axis_size, rest.size());
    return attrs;
}

/// Splits axis `at` of `x` into axes of the sizes `sizes`, such as (before, batch, after).
Value apart(Build& b, Value x, std::size_t at, const std::vector<std::int64_t>& sizes) {
    ir::Shape shape = b.shape(x);
    const auto place = shape.begin() + static_cast<std::ptrdiff_t>(at);
    shape.insert(shape.erase(place), sizes.begin(), sizes.end());
    return b.reshape(x, std::move(shape));
}
/// Merges `count` axes of `x`, beginning with axis `at`, into one axis.
Value merged(Build& b, Value x, std::size_t at, std::size_t count) {
    ir::Shape shape = b.shape(x);
    const auto first = shape.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = first + static_cast<std::ptrdiff_t>(count);
    const std::int64_t size = ir::product({first, end});
    shape.insert(shape.erase(first, end), size);
    return b.reshape(x, std::move(shape));
}

/// Takes rows of `rows`: the table `sources` has the numbers of the rows, or -1 for a row of zeros. `own` returns the
/// part of a table that belongs to this device.
template <class Own>
Value taken_rows(Build& b, Value rows, const ir::Integers& sources, const Own& own) {
    const Value numbers = own(b.table(sources, {static_cast<std::int64_t>(sources.size())}));
    if (std::find(sources.begin(), sources.end(), -1) == sources.end()) return b.gather(rows, {numbers}, {0});
    const Value none = b.like(numbers, 0);
    const Value taken = b.gather(rows, {b.binary(ir::Op::max, numbers, none)}, {0});
    const Value mask = b.compare(ir::Op::less_equal, none, numbers);
    return b.select(b.broadcast(mask, b.shape(taken), {0}), taken, b.zeros_like(taken));
}

} // namespace

Items Batcher::collective(Build& b, const Inst& inst, const Items& operands) const {
    if (inst.op == Op::axis_index) {
        if (axis_ < 0 || inst.attrs.integer(Attr::axis_id) != axis_) return copy(b, inst, operands);
        return {{b.iota({size_}, 0, ir::DType::i32), true}};
    }
    const ir::Integers& axes = inst.attrs.integers(Attr::axes);
    if (axis_ < 0 || std::find(axes.begin(), axes.end(), axis_) == axes.end()) return flat(b, inst, operands);
    switch (inst.op) {
    case Op::psum:
    case Op::pmax:
    case Op::pmin: return {reduced(b, inst, operands[0])};
    case Op::all_gather: return {gathered(b, inst, operands[0])};
    case Op::psum_scatter: return {scattered(b, inst, operands[0])};
    case Op::ppermute: return {permuted_items(b, inst, operands[0])};
    case Op::all_to_all: return {exchanged(b, inst, operands[0])};
    default: PM_CHECK(false, std::string(ir::info(inst.op).name) + " over a batch axis"); return {};
    }
}

Value Batcher::sum_of(Build& b, const Item& x) const {
    if (x.batched) return b.reduce(Op::reduce_sum, x.value, {0});
    const ir::DType dtype = b.dtype(x.value);
    return b.mul(x.value, runtime::is_integer(dtype) ? b.constant_i(dtype, size_, b.shape(x.value))
                                                     : b.like(x.value, static_cast<double>(size_)));
}

Item Batcher::reduced(Build& b, const Inst& inst, const Item& x) const {
    const Rest rest = rest_of(inst, axis_);
    const auto over_batch = [&](Value v) {
        if (inst.op == Op::psum) return sum_of(b, {v, x.batched});
        return x.batched ? b.reduce(inst.op == Op::pmax ? Op::reduce_max : Op::reduce_min, v, {0}) : v;
    };
    const auto over_all = [&](Value v) {
        v = over_batch(v);
        return rest.axes.empty() ? v : b.emit1(inst.op, {v}, over_rest(inst, rest));
    };
    return {ops::in_steps(b, inst.op, x.value, over_all), false};
}

/// Returns one array with a new axis 0. Along axis 0, the array has the operand of each batch element on each device of
/// the other axes. The order is row-major over the axes of the collective.
Value Batcher::all_rows(Build& b, const Inst& inst, const Item& x) const {
    const Rest rest = rest_of(inst, axis_);
    Value v = full(b, x);
    if (rest.axes.empty()) return v;
    Attrs attrs = over_rest(inst, rest);
    attrs.set(Attr::axis, std::int64_t{0});
    attrs.set(Attr::tiled, std::int64_t{0});
    v = apart(b, b.emit1(Op::all_gather, {v}, attrs), 0, {rest.before, rest.after});
    return merged(b, b.move_axis(v, 2, 1), 0, 3);
}

Item Batcher::gathered(Build& b, const Inst& inst, const Item& x) const {
    return {ops::with_slices_back(b, all_rows(b, inst, x), inst.attrs.integer(Attr::axis),
                                  inst.attrs.integer(Attr::tiled, 0) != 0),
            false};
}

/// Sums over all elements of the batch. Each batch element gets its own part of the sum.
Item Batcher::scattered(Build& b, const Inst& inst, const Item& x) const {
    const Rest rest = rest_of(inst, axis_);
    const auto over_all = [&](Value v) {
        v = ops::with_slices_first(b, sum_of(b, {v, x.batched}), inst.attrs.integer(Attr::axis), rest.size() * size_,
                                   inst.attrs.integer(Attr::tiled, 0) != 0);
        v = b.move_axis(apart(b, v, 0, {rest.before, size_, rest.after}), 1, 0);
        if (rest.axes.empty()) return merged(b, v, 0, 3);
        Attrs attrs = over_rest(inst, rest);
        attrs.set(Attr::axis, std::int64_t{1});
        attrs.set(Attr::tiled, std::int64_t{0});
        return b.emit1(inst.op, {merged(b, v, 1, 2)}, attrs);
    };
    return {ops::in_steps(b, Op::psum, x.value, over_all), true};
}

/// Consecutive sources form a run. Up to 16 runs become slices; more runs become one gather. Elements without a sender
/// are zero. permuted_among handles collectives over several axes.
Item Batcher::permuted_items(Build& b, const Inst& inst, const Item& x) const {
    const Rest rest = rest_of(inst, axis_);
    if (!rest.axes.empty()) return permuted_among(b, inst, x);
    const Value v = full(b, x);
    const ir::Integers sources = ops::sources_of(inst, size_);
    struct Run {
        std::int64_t from, length; ///< `from` is -1 for zeros
    };
    std::vector<Run> runs;
    for (const std::int64_t s : sources) {
        const bool continues =
            !runs.empty() &&
            (s < 0 ? runs.back().from < 0 : runs.back().from >= 0 && s == runs.back().from + runs.back().length);
        if (continues)
            ++runs.back().length;
        else
            runs.push_back({s, 1});
    }
    constexpr std::size_t most_slices = 16;
    if (runs.empty()) return {v, true};
    if (runs.size() <= most_slices) {
        Values parts;
        for (const Run& run : runs) {
            ir::Shape shape = b.shape(v);
            shape[0] = run.length;
            parts.push_back(run.from < 0 ? b.zeros({b.dtype(v), shape})
                                         : b.slice_axis(v, 0, run.from, run.from + run.length));
        }
        return {b.concatenate(std::move(parts), 0), true};
    }
    return {taken_rows(b, v, sources, [](Value table) { return table; }), true};
}

Item Batcher::permuted_among(Build& b, const Inst& inst, const Item& x) const {
    const Rest rest = rest_of(inst, axis_);
    const Value rows = all_rows(b, inst, x);
    if (b.shape(rows)[0] == 0) return {full(b, x), true};
    // The tables have a row for each index along the other axes, and a column for each element of the batch.
    const ir::Integers sources = ops::sources_of(inst, rest.size() * size_);
    ir::Integers by_place;
    for (std::int64_t before = 0; before < rest.before; ++before)
        for (std::int64_t after = 0; after < rest.after; ++after)
            for (std::int64_t i = 0; i < size_; ++i)
                by_place.push_back(sources[static_cast<std::size_t>((before * size_ + i) * rest.after + after)]);
    Value place = b.constant_i(ir::DType::i32, 0);
    for (std::size_t i = 0; i < rest.axes.size(); ++i)
        place = b.add(b.mul(place, b.constant_i(ir::DType::i32, rest.sizes[i])),
                      b.emit1(Op::axis_index, {}, {{Attr::axis_id, rest.axes[i]}}));
    const auto own = [&](Value table) {
        const Value all = b.reshape(table, {rest.size(), size_});
        return b.reshape(b.dynamic_slice(all, {place, b.constant_i(ir::DType::i32, 0)}, {1, size_}), {size_});
    };
    return {taken_rows(b, rows, by_place, own), true};
}

/// For all i and j, part j of element i becomes part i of element j. If the collective is over the batch axis alone,
/// two axes of the operand are exchanged. Otherwise the devices also exchange blocks. The first two axes of a block are
/// the receiver and the sender within the batch.
Item Batcher::exchanged(Build& b, const Inst& inst, const Item& x) const {
    const Rest rest = rest_of(inst, axis_);
    const bool tiled = inst.attrs.integer(Attr::tiled, 0) != 0;
    Value v =
        ops::with_slices_first(b, full(b, x), inst.attrs.integer(Attr::split_axis) + 1, rest.size() * size_, tiled);
    v = b.move_axis(apart(b, v, 0, {rest.before, size_, rest.after}), 1,
                    2); // axes: (receiver along the other axes, receiver within the batch, sender)
    if (!rest.axes.empty()) {
        Attrs attrs = over_rest(inst, rest);
        attrs.set(Attr::split_axis, std::int64_t{0});
        attrs.set(Attr::concat_axis, std::int64_t{0});
        attrs.set(Attr::tiled, std::int64_t{0});
        v = apart(b, b.emit1(inst.op, {merged(b, v, 0, 2)}, attrs), 0, {rest.before, rest.after});
    }
    v = merged(b, b.move_axis(v, 3, 1), 0, 3); // (senders, receiver)
    return {ops::with_slices_back(b, v, inst.attrs.integer(Attr::concat_axis) + 1, tiled), true};
}

} // namespace pm::transform
