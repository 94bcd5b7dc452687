#include "compiler/plan/spmd_collectives.hpp"

#include "compiler/ops/halves.hpp"
#include "compiler/optimize/rewrite.hpp"

namespace pm::plan {
namespace {

using ir::Attr;
using ir::Inst;
using ir::Op;
using ir::Value;
using ops::Build;
using ops::Shape;

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

  private:
    ops::Attrs over(std::int64_t id, std::int64_t size) const {
        return {{Attr::axes, ir::Integers{id}}, {Attr::axis_size, size}};
    }

    /// Inside the lane first, then between lanes: the order is fixed by the sizes. A sum of halves is rounded once.
    Value reduce(Op op, Value x) {
        if (axis_.local == 1) return b_.emit1(op, {x}, over(axis_.id, axis_.lanes));
        return ops::in_steps(b_, op, x, [&](Value v) {
            v = b_.emit1(op, {v}, over(axis_.local_id, axis_.local));
            return b_.emit1(op, {v}, over(axis_.id, axis_.lanes));
        });
    }

    Value one_index(std::int64_t id) { return b_.emit1(Op::axis_index, {}, {{Attr::axis_id, id}}); }
    Value index() {
        const Value lane = one_index(axis_.id);
        if (axis_.local == 1) return lane;
        return b_.add(b_.mul(lane, b_.constant_i(ir::DType::i32, axis_.local)), one_index(axis_.local_id));
    }

    Value gather_over(std::int64_t id, std::int64_t size, Value x) {
        ops::Attrs attrs = over(id, size);
        attrs.set(Attr::axis, std::int64_t{0});
        attrs.set(Attr::tiled, std::int64_t{0});
        return b_.emit1(Op::all_gather, {x}, attrs);
    }
    /// All slices' values along a new axis 0.
    Value gather(Value x) {
        if (axis_.local == 1) return gather_over(axis_.id, axis_.lanes, x);
        Shape shape = b_.shape(x);
        shape.insert(shape.begin(), axis_.size());
        const Value all = gather_over(axis_.id, axis_.lanes, gather_over(axis_.local_id, axis_.local, x));
        return b_.reshape(all, shape);
    }

    Value join(Value parts, const Inst& inst) {
        return with_slices_back(b_, parts, inst.attrs.integer(Attr::axis), inst.attrs.integer(Attr::tiled, 0) != 0);
    }

    /// Row `at` of axis 0, which goes.
    Value row(Value x, Value at) {
        Shape shape = b_.shape(x);
        ops::Values starts{at};
        for (std::size_t d = 1; d < shape.size(); ++d) starts.push_back(b_.constant_i(ir::DType::i32, 0));
        shape[0] = 1;
        const Value one = b_.dynamic_slice(x, starts, shape);
        shape.erase(shape.begin());
        return b_.reshape(one, shape);
    }

    Value scatter(const Inst& inst, Value x) {
        const Value sum = reduce(Op::psum, x);
        return row(with_slices_first(b_, sum, inst.attrs.integer(Attr::axis), axis_.size(),
                                     inst.attrs.integer(Attr::tiled, 0) != 0),
                   index());
    }

    Value permute(const Inst& inst, Value x) {
        const ir::Integers& pairs = inst.attrs.integers(Attr::pairs);
        if (axis_.local == 1) {
            ops::Attrs attrs = over(axis_.id, axis_.lanes);
            attrs.set(Attr::pairs, pairs);
            return b_.emit1(Op::ppermute, {x}, attrs);
        }
        // Where each slice's value comes from; B: from none, a row of zeros behind the others.
        ir::Literal sources;
        for (std::int64_t to = 0; to < axis_.size(); ++to) {
            std::int64_t from = axis_.size();
            for (std::size_t i = 0; i + 1 < pairs.size(); i += 2)
                if (pairs[i + 1] == to) from = pairs[i];
            for (int byte = 0; byte < 4; ++byte) sources.bytes.push_back(static_cast<std::uint8_t>(from >> (8 * byte)));
        }
        const Value table = b_.literal({ir::DType::i32, {axis_.size()}}, std::move(sources));
        Shape none = b_.shape(x);
        none.insert(none.begin(), 1);
        const Value all = b_.concatenate({gather(x), b_.zeros({b_.dtype(x), none})}, 0);
        return row(all, row(table, index()));
    }

    Value exchange(const Inst& inst, Value x) {
        const std::int64_t split = inst.attrs.integer(Attr::split_axis);
        const bool tiled = inst.attrs.integer(Attr::tiled, 0) != 0;
        const Value parts = with_slices_first(b_, x, split, axis_.size(), tiled);
        Value received;
        if (axis_.local == 1) {
            ops::Attrs attrs = over(axis_.id, axis_.lanes);
            attrs.set(Attr::split_axis, std::int64_t{0});
            attrs.set(Attr::concat_axis, std::int64_t{0});
            attrs.set(Attr::tiled, std::int64_t{0});
            received = b_.emit1(Op::all_to_all, {parts}, attrs);
        } else {
            // [sender, receiver, ...]: the receiver's own column.
            received = row(b_.move_axis(gather(parts), 1, 0), index());
        }
        return with_slices_back(b_, received, inst.attrs.integer(Attr::concat_axis), tiled);
    }

    Build& b_;
    const SplitAxis& axis_;
};

bool is_over(const Inst& inst, const SplitAxis& axis) {
    if (!ir::info(inst.op).has(ir::collective)) return false;
    if (inst.op == Op::axis_index) return inst.attrs.integer(Attr::axis_id) == axis.id;
    const ir::Integers& axes = inst.attrs.integers(Attr::axes);
    PM_CHECK(axes.size() == 1 && axes[0] == axis.id, "a collective over an axis that is not there");
    return true;
}

} // namespace

Value with_slices_first(Build& b, Value v, std::int64_t axis, std::int64_t slices, bool tiled) {
    if (tiled) {
        Shape shape = b.shape(v);
        shape[static_cast<std::size_t>(axis)] /= slices;
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

ir::BlockPtr split_collectives(const ir::BlockPtr& block, const SplitAxis& axis) {
    return optimize::bottom_up(block, [&](const ir::BlockPtr& one) {
        bool any = false;
        for (const Inst& inst : one->insts) any = any || is_over(inst, axis);
        if (!any) return one;
        optimize::Rebuild to(*one);
        for (const Inst& inst : one->insts) {
            if (!is_over(inst, axis)) {
                to.copy(inst);
                continue;
            }
            to.b.set_span(inst.span);
            to.set(inst.results[0], Splitter(to.b, axis)(inst, inst.operands.empty() ? Value{} : to(inst.operands[0])));
        }
        return to.finish();
    });
}

} // namespace pm::plan
