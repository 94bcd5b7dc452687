#include "compiler/plan/prepare/spmd_collectives.hpp"

#include "compiler/ops/core/halves.hpp"
#include "compiler/ops/shape/slices.hpp"
#include "compiler/optimize/rewrite.hpp"
#include "compiler/plan/memory/memory.hpp"

#include <algorithm>

namespace pm::plan {
namespace {

using ir::Attr;
using ir::Inst;
using ir::Op;
using ir::Value;
using ops::Build;
using ops::Shape;
using ops::with_slices_back;
using ops::with_slices_first;

/// Returns row `at` of `x` along axis 0, without this axis.
Value row_at(Build& b, Value x, Value at) {
    Shape shape = b.shape(x);
    shape[0] = 1;
    const Value one = rows_from(b, x, at, 1);
    shape.erase(shape.begin());
    return b.reshape(one, shape);
}

/// A psum_scatter divides a sum among the slices. Returns the part that slice number `index` gets.
Value own_part(Build& b, const Inst& inst, Value sum, std::int64_t slices, Value index) {
    return row_at(
        b, with_slices_first(b, sum, inst.attrs.integer(Attr::axis), slices, inst.attrs.integer(Attr::tiled, 0) != 0),
        index);
}

class Splitter {
  public:
    Splitter(Build& b, const SplitAxis& axis) : b_(b), axis_(axis) {}

    Value operator()(const Inst& inst, Value x) {
        switch (inst.op) {
        case Op::psum:
        case Op::pmax:
        case Op::pmin: return reduce(inst.op, x);
        case Op::axis_index: return index();
        case Op::all_gather: return join(gather(x), inst);
        case Op::psum_scatter: return scatter(inst, x);
        case Op::ppermute: return permute(inst, x);
        case Op::all_to_all: return exchange(inst, x);
        default: PM_UNREACHABLE();
        }
    }

    /// Emits a print that runs only if the slice is not repeated.
    void print(const Inst& inst, const ir::Values& values) {
        Build then, otherwise;
        then.set_place(inst.place);
        ir::Values in, operands{counts()};
        for (const Value v : values) {
            in.push_back(then.param(b_.type(v)));
            otherwise.param(b_.type(v));
            operands.push_back(v);
        }
        then.copy(inst, in);
        b_.emit(Op::if_, operands, {}, {then.finish({}), otherwise.finish({})});
    }

  private:
    ops::Attrs over(std::int64_t id, std::int64_t size) const {
        return {{Attr::axes, ir::Integers{id}}, {Attr::axis_size, size}};
    }

    /// Reduces first inside each lane, then between the lanes. So the order depends on the number of slices per lane
    /// and on the number of lanes. A sum of f16 or bf16 is rounded once. Repeated slices do not change min and max.
    Value reduce(Op op, Value x) {
        if (axis_.local == 1) return b_.emit1(op, {x}, over(axis_.id, axis_.lanes));
        return ops::in_steps(b_, op, x, [&](Value v) {
            if (op == Op::psum && axis_.repeated() != 0)
                v = b_.select(b_.broadcast_scalar(counts(), b_.shape(v)), v, b_.like(v, -0.0));
            v = b_.emit1(op, {v}, over(axis_.local_id, axis_.local));
            return b_.emit1(op, {v}, over(axis_.id, axis_.lanes));
        });
    }

    Value one_index(std::int64_t id) { return b_.emit1(Op::axis_index, {}, {{Attr::axis_id, id}}); }
    Value number(std::int64_t n) { return b_.constant_i(ir::DType::i32, n); }
    Value index() {
        const Value lane = one_index(axis_.id);
        if (axis_.local == 1) return lane;
        Value first = b_.mul(lane, number(axis_.local));
        if (axis_.repeated() != 0) first = b_.binary(Op::min, first, number(axis_.slices - axis_.local));
        return b_.add(first, one_index(axis_.local_id));
    }
    /// A boolean per slice. The boolean is false for a repeated slice of the last lane, because the previous lane has
    /// this slice too.
    Value counts() {
        const Value inner = b_.compare(Op::less, one_index(axis_.id), number(axis_.lanes - 1));
        return b_.binary(Op::or_, inner, b_.compare(Op::less, number(axis_.repeated() - 1), one_index(axis_.local_id)));
    }

    Value gather_over(std::int64_t id, std::int64_t size, Value x) {
        ops::Attrs attrs = over(id, size);
        attrs.set(Attr::axis, std::int64_t{0});
        attrs.set(Attr::tiled, std::int64_t{0});
        return b_.emit1(Op::all_gather, {x}, attrs);
    }
    /// Returns the values of all slices, stacked along a new axis 0.
    Value gather(Value x) {
        if (axis_.local == 1) return gather_over(axis_.id, axis_.lanes, x);
        Shape shape = b_.shape(x);
        shape.insert(shape.begin(), axis_.lanes * axis_.local);
        const Value all = gather_over(axis_.id, axis_.lanes, gather_over(axis_.local_id, axis_.local, x));
        return without_repeated(b_, b_.reshape(all, shape), axis_);
    }

    Value join(Value parts, const Inst& inst) {
        return with_slices_back(b_, parts, inst.attrs.integer(Attr::axis), inst.attrs.integer(Attr::tiled, 0) != 0);
    }

    Value row(Value x, Value at) { return row_at(b_, x, at); }

    Value scatter(const Inst& inst, Value x) {
        // Lanes of one process sum once for all lanes. Between processes, each value goes only to the lane that adds
        // it: half of the bytes of a psum. Two processes, shared memory, psum and this: 16 KB 8.2 us and 10.3, 1 MB
        // 0.17 ms and 0.19, 16 MB 13.8 ms and 6.7.
        constexpr std::int64_t least_bytes = std::int64_t{4} << 20;
        constexpr std::int64_t most_lanes = 64; // their additions are separate operations
        const bool sends = axis_.processes > 1 && axis_.lanes <= most_lanes && axis_.repeated() == 0 &&
                           bytes_of(b_.type(x)) >= least_bytes;
        if (!sends) return own_part(b_, inst, reduce(Op::psum, x), axis_.slices, index());
        if (axis_.local == 1)
            return ops::in_steps(b_, Op::psum, send(parts_of(inst, x)), [&](Value v) { return sum_of_rows(v); });
        return ops::in_steps(b_, Op::psum, x, [&](Value v) {
            v = parts_of(inst, b_.emit1(Op::psum, {v}, over(axis_.local_id, axis_.local)));
            Shape of_lanes = b_.shape(v);
            of_lanes[0] = axis_.local;
            of_lanes.insert(of_lanes.begin(), axis_.lanes);
            return row(sum_of_rows(send(b_.reshape(v, of_lanes))), one_index(axis_.local_id));
        });
    }

    /// The parts that the slices get, along a new axis 0.
    Value parts_of(const Inst& inst, Value x) {
        return with_slices_first(b_, x, inst.attrs.integer(Attr::axis), axis_.slices,
                                 inst.attrs.integer(Attr::tiled, 0) != 0);
    }

    /// ((row 0 + row 1) + row 2) .., in the order of a psum.
    Value sum_of_rows(Value x) {
        Shape shape = b_.shape(x);
        shape.erase(shape.begin());
        const auto one = [&](std::int64_t i) { return b_.reshape(b_.slice_axis(x, 0, i, i + 1), shape); };
        Value sum = one(0);
        for (std::int64_t i = 1; i < b_.shape(x)[0]; ++i) sum = b_.add(sum, one(i));
        return sum;
    }

    /// Sends row l of `x` to lane l. Returns the rows that this lane receives, in the order of lanes.
    Value send(Value x) {
        ops::Attrs attrs = over(axis_.id, axis_.lanes);
        attrs.set(Attr::split_axis, std::int64_t{0});
        attrs.set(Attr::concat_axis, std::int64_t{0});
        attrs.set(Attr::tiled, std::int64_t{0});
        return b_.emit1(Op::all_to_all, {x}, attrs);
    }

    Value permute(const Inst& inst, Value x) {
        if (axis_.local == 1) {
            ops::Attrs attrs = over(axis_.id, axis_.lanes);
            attrs.set(Attr::pairs, inst.attrs.integers(Attr::pairs));
            return b_.emit1(Op::ppermute, {x}, attrs);
        }
        // If a slice has no sender, it reads a row of zeros, which follows the other rows.
        ir::Integers sources = ops::sources_of(inst, axis_.slices);
        std::replace(sources.begin(), sources.end(), std::int64_t{-1}, axis_.slices);
        const Value table = b_.table(sources, {axis_.slices});
        Shape none = b_.shape(x);
        none.insert(none.begin(), 1);
        const Value all = b_.concatenate({gather(x), b_.zeros({b_.dtype(x), none})}, 0);
        return row(all, row(table, index()));
    }

    Value exchange(const Inst& inst, Value x) {
        const std::int64_t split = inst.attrs.integer(Attr::split_axis);
        const bool tiled = inst.attrs.integer(Attr::tiled, 0) != 0;
        const Value parts = with_slices_first(b_, x, split, axis_.slices, tiled);
        Value received;
        if (axis_.local == 1) {
            received = send(parts);
        } else {
            // The axes are [sender, receiver, ...]. The column of this receiver is selected.
            received = row(b_.move_axis(gather(parts), 1, 0), index());
        }
        return with_slices_back(b_, received, inst.attrs.integer(Attr::concat_axis), tiled);
    }

    Build& b_;
    const SplitAxis& axis_;
};

bool is_over(const Inst& inst, std::int64_t axis) {
    if (!ir::info(inst.op).has(ir::collective)) return false;
    if (inst.op == Op::axis_index) return inst.attrs.integer(Attr::axis_id) == axis;
    const ir::Integers& axes = inst.attrs.integers(Attr::axes);
    PM_CHECK(axes.size() == 1 && axes[0] == axis, "a collective over an axis that is not there");
    return true;
}

} // namespace

Value rows_from(Build& b, Value x, Value at, std::int64_t count) {
    Shape shape = b.shape(x);
    ops::Values starts{at};
    for (std::size_t d = 1; d < shape.size(); ++d) starts.push_back(b.constant_i(ir::DType::i32, 0));
    shape[0] = count;
    return b.dynamic_slice(x, starts, shape);
}

Value without_repeated(Build& b, Value rows, const SplitAxis& axis) {
    if (axis.repeated() == 0) return rows;
    const std::int64_t last = (axis.lanes - 1) * axis.local; // the number of the first row of the last lane
    return b.concatenate(
        {b.slice_axis(rows, 0, 0, last), b.slice_axis(rows, 0, last + axis.repeated(), axis.lanes * axis.local)}, 0);
}

ir::BlockPtr split_collectives(const ir::BlockPtr& block, const SplitAxis& axis) {
    const auto is_repeated_print = [&](const Inst& inst) { return inst.op == Op::print && axis.repeated() != 0; };
    return optimize::bottom_up(block, [&](const ir::BlockPtr& one) {
        bool any = false;
        for (const Inst& inst : one->insts) any = any || is_over(inst, axis.id) || is_repeated_print(inst);
        if (!any) return one;
        optimize::Rebuild to(*one);
        for (const Inst& inst : one->insts) {
            to.b.set_place(inst.place);
            if (is_repeated_print(inst))
                Splitter(to.b, axis).print(inst, to(inst.operands));
            else if (is_over(inst, axis.id))
                to.set(inst.results[0],
                       Splitter(to.b, axis)(inst, inst.operands.empty() ? Value{} : to(inst.operands[0])));
            else
                to.copy(inst);
        }
        return to.finish();
    });
}

ir::BlockPtr exact_sums(const ir::BlockPtr& block, std::int64_t axis, std::int64_t slices) {
    const auto is_sum = [&](const Inst& inst) {
        return (inst.op == Op::psum || inst.op == Op::psum_scatter) &&
               inst.attrs.integers(Attr::axes) == ir::Integers{axis};
    };
    return optimize::bottom_up(block, [&](const ir::BlockPtr& one) {
        if (std::none_of(one->insts.begin(), one->insts.end(), is_sum)) return one;
        optimize::Rebuild to(*one);
        for (const Inst& inst : one->insts) {
            to.b.set_place(inst.place);
            if (!is_sum(inst)) {
                to.copy(inst);
                continue;
            }
            const Value sum = ops::in_steps(to.b, Op::psum, to(inst.operands[0]), [&](Value v) {
                const ops::Attrs attrs{{Attr::axis, std::int64_t{0}},
                                       {Attr::axes, ir::Integers{axis}},
                                       {Attr::tiled, std::int64_t{0}},
                                       {Attr::axis_size, slices}};
                return to.b.sum(to.b.emit1(Op::all_gather, {v}, attrs), {0});
            });
            const auto index = [&] { return to.b.emit1(Op::axis_index, {}, {{Attr::axis_id, axis}}); };
            to.set(inst.results[0], inst.op == Op::psum ? sum : own_part(to.b, inst, sum, slices, index()));
        }
        return to.finish();
    });
}

} // namespace pm::plan
