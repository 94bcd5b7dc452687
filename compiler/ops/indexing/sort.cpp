#include "compiler/base/count.hpp"
#include "compiler/ops/complex/parts.hpp"
#include "compiler/ops/core/axes.hpp"
#include "compiler/ops/core/positions.hpp"

#include <algorithm>
#include <numeric>

// sort(x_0, .. x_(m-1)) along `axis`, ascending and stable, by the first `keys` operands in their order. The other
// operands are permuted like these keys. NaNs come last and are equal to each other. 0 and -0 are equal. false comes
// before true. Complex numbers are ordered by their real parts, and for equal real parts by their imaginary parts.

namespace pm::ops {
namespace {

std::int64_t keys_of(const Inst& inst) { return inst.attrs.integer(Attr::keys, 1); }

std::vector<Type> sort_type(const Inst& inst, std::span<const Type> in) {
    const std::int64_t keys = keys_of(inst);
    if (keys < 1 || keys > static_cast<std::int64_t>(in.size()))
        raise(diagnose(Diag::sort_keys, {}, Count{in.size()}, keys));
    for (std::size_t i = 0; i < in.size(); ++i)
        require_dtype(inst, in[i].dtype, static_cast<std::int64_t>(i) < keys ? fields | bools : anything & ~tapes);
    require_same_shape(inst, in);
    require_axis(inst, inst.attrs.integer(Attr::axis), in[0]);
    return {in.begin(), in.end()};
}

/// Negative if element i of `x` is ordered before element j, zero if they are equal, otherwise positive.
int order(const Array& x, std::int64_t i, std::int64_t j) {
    return visit_dtype(x.dtype(), [&](auto e) {
        using E = decltype(e);
        const auto* data = x.template as<typename E::Stored>();
        const auto a = E::load(data[i]);
        const auto b = E::load(data[j]);
        if constexpr (Float<typename E::Value>) {
            if (a != a || b != b) return static_cast<int>(a != a) - static_cast<int>(b != b);
        }
        return static_cast<int>(b < a) - static_cast<int>(a < b);
    });
}

std::vector<Array> sort_eval(EvalContext& c) {
    std::vector<Array> outs;
    std::vector<Mover> moves;
    for (std::size_t k = 0; k < c.in.size(); ++k) outs.push_back(new_result(c, k));
    for (Array& out : outs) moves.emplace_back(out);
    const std::size_t axis = axis_of(c.inst);
    const std::int64_t n = c.in[0].shape()[axis];
    const std::int64_t step = strides_of(c.in[0].shape())[axis];
    each_position(c.in[0].shape(), [&](std::int64_t row, const Position& at) {
        if (at[axis] != 0) return;
        std::vector<std::int64_t> from(static_cast<std::size_t>(n));
        for (std::int64_t i = 0; i < n; ++i) from[static_cast<std::size_t>(i)] = row + i * step;
        std::stable_sort(from.begin(), from.end(), [&](std::int64_t i, std::int64_t j) {
            for (std::int64_t k = 0; k < keys_of(c.inst); ++k)
                if (const int way = order(c.in[static_cast<std::size_t>(k)], i, j); way != 0) return way < 0;
            return false;
        });
        for (std::size_t k = 0; k < outs.size(); ++k)
            for (std::int64_t i = 0; i < n; ++i) moves[k](row + i * step, c.in[k], from[static_cast<std::size_t>(i)]);
    });
    return outs;
}

/// Per element of the results: the position along the axis that the element had before the sort. If an operand is an
/// iota along the axis, its sorted form has these positions. Otherwise a second sort computes them.
Value permutation(JvpContext& c) {
    Build& b = c.b;
    const auto axis = static_cast<int>(axis_of(c.inst));
    const Shape shape = b.shape(c.in(0));
    for (std::size_t i = static_cast<std::size_t>(keys_of(c.inst)); i < c.primals.size(); ++i) {
        const Inst* made = b.definition(c.in(i));
        const bool index = b.dtype(c.in(i)) == DType::i32 || b.dtype(c.in(i)) == DType::i64;
        if (index && made != nullptr && made->op == Op::iota && made->attrs.integer(Attr::axis) == axis)
            return c.out(i);
    }
    Values operands(c.primals.begin(), c.primals.end());
    operands.push_back(b.iota(shape, axis, index_dtype(shape[static_cast<std::size_t>(axis)])));
    return b.copy(c.inst, std::move(operands)).back();
}

/// Permutes the tangents in the same way as the elements.
Tangents sort_jvp(JvpContext& c) {
    Tangents tangents(c.primals.size());
    if (std::none_of(c.tangents.begin(), c.tangents.end(), [](const Tangent& t) { return t.has_value(); }))
        return tangents;
    Build& b = c.b;
    const int axis = static_cast<int>(axis_of(c.inst));
    const int last = b.rank(c.in(0)) - 1;
    const Value from = b.move_axis(permutation(c), axis, last);
    for (std::size_t i = 0; i < tangents.size(); ++i) {
        if (!c.tangent(i) || b.type(*c.tangent(i)).elements() == 0) continue;
        const Value moved = b.move_axis(*c.tangent(i), axis, last);
        tangents[i] = b.move_axis(b.gather(moved, {from}, {last}, last), last, axis);
    }
    return tangents;
}

std::vector<Sample> sort_samples() {
    const auto sample = [](const std::vector<DType>& dtypes, const Shape& shape, std::int64_t axis,
                           std::int64_t keys = 1) {
        Sample made{{}, {{Attr::axis, axis}, {Attr::keys, keys}}, {Domain::any}, 0, false};
        for (DType dtype : dtypes) {
            made.operands.push_back({dtype, shape});
            made.differentiable = made.differentiable || runtime::is_float(dtype);
        }
        return made;
    };
    std::vector<Sample> samples{
        sample({DType::f32}, {7}, 0),
        sample({DType::f32}, {1}, 0),
        sample({DType::f32}, {0}, 0),
        sample({DType::f32}, {3, 5}, 0),
        sample({DType::f32}, {3, 5}, 1),
        sample({DType::f32}, {2, 5, 3}, 1),
        sample({DType::f32}, {4, 0}, 1),
        sample({DType::f32}, {3, 300}, 1),
        sample({DType::f32}, {16500}, 0),
        sample({DType::i32, DType::f32}, {5501, 3}, 0),
        sample({DType::f32, DType::f32}, {7}, 0),
        sample({DType::i32, DType::f32, DType::b1}, {3, 5}, 1, 2),
        sample({DType::b1, DType::key}, {9}, 0),
    };
    for (DType dtype : members(ordered)) samples.push_back(sample({dtype, DType::i32}, {2, 6}, 1));
    return with_doubles(std::move(samples));
}

/// A complex sort key becomes two keys: first the real part, then the imaginary part.
std::vector<Parts> sort_parts(PartsContext& c) {
    const auto& [b, inst, in, types, out] = c;
    const auto keys = static_cast<std::size_t>(inst.attrs.integer(Attr::keys, 1));
    Values operands;
    std::int64_t all_keys = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
        operands.push_back(in[i].re);
        if (runtime::is_complex(types[i].dtype)) operands.push_back(parts::imaginary(b, in[i]));
        if (i + 1 == keys) all_keys = static_cast<std::int64_t>(operands.size());
    }
    ir::Attrs attrs = inst.attrs;
    attrs.set(Attr::keys, all_keys);
    return parts::gathered(b.emit(Op::sort, std::move(operands), std::move(attrs)), types);
}

} // namespace

const OpRules rule::sort = checked<Op::sort>({
    .type = sort_type,
    .eval = sort_eval,
    .jvp = sort_jvp,
    .transpose = none,
    .batch = batch_along_axis,
    .lower = LowerKernel{Kernel::sort},
    .samples = sort_samples,
    .doc = "The operands in ascending order of the first `keys` of them along `axis`; stable, NaNs last.",
    .parts = sort_parts,
});

} // namespace pm::ops
