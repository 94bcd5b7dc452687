#include "compiler/base/diagnostic.hpp"
#include "compiler/ops/halves.hpp"
#include "compiler/transform/batcher.hpp"
#include "runtime/dtype.hpp"

#include <algorithm>

/// Collectives under vmap. Over other axes an operation carries the batch along; over the batch axis it
/// becomes an ordinary operation on axis 0, and what all elements then have in common is no longer batched.
/// Over several axes, the batch axis among them, it does its part and leaves the rest.
namespace pm::transform {

using ir::Attr;
using ir::Attrs;

namespace {

/// The axes of a collective without the batch axis. Indices over several axes count row by row, the first
/// axis slowest.
struct Rest {
    ir::Integers axes;
    std::int64_t size = 1;    ///< their product
    bool batch_first = false; ///< the batch axis is the slowest
    bool batch_last = false;
};

Rest rest_of(const Inst& inst, std::int64_t axis, std::int64_t size) {
    Rest rest;
    const ir::Integers& axes = inst.attrs.integers(Attr::axes);
    for (const std::int64_t id : axes)
        if (id != axis) rest.axes.push_back(id);
    rest.batch_first = axes.front() == axis;
    rest.batch_last = axes.back() == axis;
    if (!rest.axes.empty()) rest.size = size == 0 ? 0 : inst.attrs.integer(Attr::axis_size) / size;
    return rest;
}

Attrs over_rest(const Inst& inst, const Rest& rest) {
    Attrs attrs = inst.attrs;
    attrs.set(Attr::axes, rest.axes);
    attrs.set(Attr::axis_size, rest.size);
    return attrs;
}

[[noreturn]] void refuse(const Inst& inst) {
    raise(diagnose(Diag::vmap_collective_axes, inst.span, ir::info(inst.op).name)
              .fix("apply it over one axis after the other"));
}

/// Merges axis `at` of `x` with the one behind it.
Value merged(Build& b, Value x, std::size_t at) {
    ir::Shape shape = b.shape(x);
    shape[at] *= shape[at + 1];
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    return b.reshape(x, std::move(shape));
}
/// Takes axis `at` of `x` apart into (outer, the rest).
Value apart(Build& b, Value x, std::size_t at, std::int64_t outer) {
    ir::Shape shape = b.shape(x);
    const std::int64_t inner = outer == 0 ? 0 : shape[at] / outer;
    shape[at] = inner;
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at), outer);
    return b.reshape(x, std::move(shape));
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

Item Batcher::reduced(Build& b, const Inst& inst, const Item& x) const {
    const Rest rest = rest_of(inst, axis_, size_);
    const auto over_batch = [&](Value v) {
        if (x.batched) {
            const Op reduction = inst.op == Op::psum   ? Op::reduce_sum
                                 : inst.op == Op::pmax ? Op::reduce_max
                                                       : Op::reduce_min;
            return b.reduce(reduction, v, {0});
        }
        if (inst.op != Op::psum) return v;
        const ir::DType dtype = b.dtype(v);
        return b.mul(v, runtime::is_integer(dtype) ? b.constant_i(dtype, size_, b.shape(v))
                                                   : b.like(v, static_cast<double>(size_)));
    };
    const auto over_all = [&](Value v) {
        v = over_batch(v);
        return rest.axes.empty() ? v : b.emit1(inst.op, {v}, over_rest(inst, rest));
    };
    return {ops::in_steps(b, inst.op, x.value, over_all), false};
}

Item Batcher::gathered(Build& b, const Inst& inst, const Item& x) const {
    const Rest rest = rest_of(inst, axis_, size_);
    const auto at = static_cast<std::size_t>(inst.attrs.integer(Attr::axis));
    const bool tiled = inst.attrs.integer(Attr::tiled, 0) != 0;
    Value v = full(b, x);
    if (rest.axes.empty()) {
        v = b.move_axis(v, 0, static_cast<int>(at));
        return {tiled ? merged(b, v, at) : v, false};
    }
    Attrs attrs = over_rest(inst, rest);
    if (rest.batch_first) {
        attrs.set(Attr::axis, static_cast<std::int64_t>(at + 1));
        v = b.emit1(inst.op, {v}, attrs);
        return {merged(b, b.move_axis(v, 0, static_cast<int>(at)), at), false};
    }
    if (!rest.batch_last) refuse(inst);
    v = b.move_axis(v, 0, static_cast<int>(at));
    if (tiled) v = merged(b, v, at);
    v = b.emit1(inst.op, {v}, attrs);
    return {tiled ? v : merged(b, v, at), false};
}

/// The sum over the batch, of which each element then takes its part.
Item Batcher::scattered(Build& b, const Inst& inst, const Item& x) const {
    const Rest rest = rest_of(inst, axis_, size_);
    const auto at = static_cast<std::size_t>(inst.attrs.integer(Attr::axis));
    const bool tiled = inst.attrs.integer(Attr::tiled, 0) != 0;
    const Value sum = b.reduce(Op::reduce_sum, full(b, x), {0});
    if (rest.axes.empty()) return {b.move_axis(tiled ? apart(b, sum, at, size_) : sum, static_cast<int>(at), 0), true};
    Value v;
    if (rest.batch_first) {
        v = b.move_axis(apart(b, sum, at, size_), static_cast<int>(at), 0);
    } else {
        if (!rest.batch_last) refuse(inst);
        v = apart(b, apart(b, sum, at, rest.size), at + 1, size_); // rest, batch, part
        v = merged(b, b.move_axis(v, static_cast<int>(at + 1), 0), at + 1);
    }
    Attrs attrs = over_rest(inst, rest);
    attrs.set(Attr::axis, static_cast<std::int64_t>(at + 1));
    return {b.emit1(inst.op, {v}, attrs), true};
}

/// Runs of neighbours become slices; many of them become one gather. Elements that nobody sends to are zero.
Item Batcher::permuted_items(Build& b, const Inst& inst, const Item& x) const {
    if (!rest_of(inst, axis_, size_).axes.empty()) refuse(inst);
    const ir::Integers& pairs = inst.attrs.integers(Attr::pairs);
    const Value v = full(b, x);
    std::vector<std::int64_t> source(static_cast<std::size_t>(size_), -1);
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) source[static_cast<std::size_t>(pairs[i + 1])] = pairs[i];
    struct Run {
        std::int64_t from, length; ///< from -1: zeros
    };
    std::vector<Run> runs;
    for (const std::int64_t s : source) {
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
    ir::Literal indices, present;
    for (const std::int64_t s : source) {
        const auto index = static_cast<std::uint32_t>(std::max<std::int64_t>(s, 0));
        for (int byte = 0; byte < 4; ++byte) indices.bytes.push_back(static_cast<std::uint8_t>(index >> (8 * byte)));
        present.bytes.push_back(s < 0 ? 0 : 1);
    }
    const Value taken = b.gather(v, {b.literal({ir::DType::i32, {size_}}, std::move(indices))}, {0});
    if (std::find(source.begin(), source.end(), -1) == source.end()) return {taken, true};
    const Value mask = b.literal({ir::DType::b1, {size_}}, std::move(present));
    return {b.select(b.broadcast(mask, b.shape(taken), {0}), taken, b.zeros_like(taken)), true};
}

/// Element i's part j goes to element j, where it stands at i.
Item Batcher::exchanged(Build& b, const Inst& inst, const Item& x) const {
    if (!rest_of(inst, axis_, size_).axes.empty()) refuse(inst);
    const auto split = static_cast<std::size_t>(inst.attrs.integer(Attr::split_axis)) + 1;
    const auto concat = static_cast<int>(inst.attrs.integer(Attr::concat_axis)) + 1;
    const bool tiled = inst.attrs.integer(Attr::tiled, 0) != 0;
    Value v = full(b, x);
    if (tiled) v = apart(b, v, split, size_);
    v = b.move_axis(v, static_cast<int>(split), 0); // (receiver, sender, ...)
    v = b.move_axis(v, 1, concat);
    return {tiled ? merged(b, v, static_cast<std::size_t>(concat)) : v, true};
}

} // namespace pm::transform
