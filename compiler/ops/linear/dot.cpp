#include "compiler/base/count.hpp"
#include "compiler/base/stop.hpp"
#include "compiler/ir/precision.hpp"
#include "compiler/ops/complex/parts.hpp"
#include "compiler/ops/core/axes.hpp"
#include "compiler/ops/core/display_name.hpp"
#include "compiler/ops/core/nans.hpp"
#include "compiler/ops/core/positions.hpp"
#include "compiler/ops/core/precision.hpp"

#include <fmt/format.h>

#include <algorithm>

// dot(a, b) is jax.lax.dot_general: the sum of products over the contracted axes, for each index along the batch axes.
// The result has the batch axes (in the order of lhs_batch), then the other axes of a, then the other axes of b. The
// result has the operands' dtype; integers wrap.

namespace pm::ops {
namespace {

/// The axes of one operand, by role.
struct Side {
    Integers contract;
    Integers batch;
    Integers rest;
    Side(const Inst& inst, Attr contract_attr, Attr batch_attr, std::size_t rank)
        : contract(inst.attrs.integers(contract_attr)), batch(inst.attrs.integers(batch_attr)),
          rest(other_axes(rank, joined(contract, batch))) {}
};
Side lhs_of(const Inst& inst, std::size_t rank) { return {inst, Attr::lhs_contract, Attr::lhs_batch, rank}; }
Side rhs_of(const Inst& inst, std::size_t rank) { return {inst, Attr::rhs_contract, Attr::rhs_batch, rank}; }

void require_pairs(Diag mismatch, const Integers& a_axes, const Integers& b_axes, const Type& a, const Type& b) {
    if (a_axes.size() != b_axes.size())
        raise(diagnose(Diag::dot_axes, {}, Count{a_axes.size()}, ir::to_string(a), Count{b_axes.size()},
                       ir::to_string(b)));
    for (std::size_t i = 0; i < a_axes.size(); ++i) {
        const std::int64_t x = a.shape[static_cast<std::size_t>(a_axes[i])];
        const std::int64_t y = b.shape[static_cast<std::size_t>(b_axes[i])];
        if (x != y) raise(diagnose(mismatch, {}, x, y, a_axes[i], ir::to_string(a), b_axes[i], ir::to_string(b)));
    }
}

std::vector<Type> dot_type(const Inst& inst, std::span<const Type> in) {
    if (inst.attrs.has(Attr::precision) && !ir::precision::is(precision_of(inst)))
        raise(diagnose(Diag::wrong_kind, {}, "`precision`", ir::precision::choices,
                       fmt::format("\"{}\"", precision_of(inst))));
    require_dtype(inst, in[0].dtype, fields);
    if (in[1].dtype != in[0].dtype)
        raise(diagnose(Diag::operands_disagree, {}, display_name(inst.op), ir::to_string(in[0]), ir::to_string(in[1])));
    require_axes(inst, joined(inst.attrs.integers(Attr::lhs_contract), inst.attrs.integers(Attr::lhs_batch)), in[0]);
    require_axes(inst, joined(inst.attrs.integers(Attr::rhs_contract), inst.attrs.integers(Attr::rhs_batch)), in[1]);
    const Side a = lhs_of(inst, in[0].shape.size());
    const Side b = rhs_of(inst, in[1].shape.size());
    require_pairs(Diag::dot_sizes, a.contract, b.contract, in[0], in[1]);
    require_pairs(Diag::dot_batch_sizes, a.batch, b.batch, in[0], in[1]);
    Type result{in[0].dtype, sizes_of(in[0].shape, joined(a.batch, a.rest))};
    result.shape = joined(result.shape, sizes_of(in[1].shape, b.rest));
    require_shape(result);
    return {std::move(result)};
}

/// The offsets of all positions along the axes `axes`, in row-major order of these axes.
std::vector<std::int64_t> offsets(const Shape& shape, const Integers& axes) {
    const Integers strides = sizes_of(strides_of(shape), axes);
    std::vector<std::int64_t> all;
    each_position(sizes_of(shape, axes),
                  [&](std::int64_t, const Position& at) { all.push_back(offset_of(at, strides)); });
    return all;
}

std::vector<Array> dot_eval(EvalContext& c) {
    const Shape& lhs = c.in[0].shape();
    const Shape& rhs = c.in[1].shape();
    const Side a = lhs_of(c.inst, lhs.size());
    const Side b = rhs_of(c.inst, rhs.size());
    const auto a_batch = offsets(lhs, a.batch);
    const auto b_batch = offsets(rhs, b.batch);
    const auto a_rest = offsets(lhs, a.rest);
    const auto b_rest = offsets(rhs, b.rest);
    const auto a_inner = offsets(lhs, a.contract);
    const auto b_inner = offsets(rhs, b.contract);
    Array out = new_result(c);
    visit_dtype(out.dtype(), [&](auto e) {
        using E = decltype(e);
        using A = AccumulatorOf<typename E::Value>;
        const auto* x = c.in[0].template as<typename E::Stored>();
        const auto* y = c.in[1].template as<typename E::Stored>();
        auto* z = out.template mutable_as<typename E::Stored>();
        for (std::size_t batch = 0; batch < a_batch.size(); ++batch)
            for (std::int64_t m : a_rest)
                for (std::int64_t n : b_rest) {
                    poll_stop();
                    A sum = 0;
                    for (std::size_t k = 0; k < a_inner.size(); ++k)
                        sum += static_cast<A>(E::load(x[a_batch[batch] + m + a_inner[k]])) *
                               static_cast<A>(E::load(y[b_batch[batch] + n + b_inner[k]]));
                    *z++ = E::store(static_cast<typename E::Value>(sum));
                }
    });
    return {std::move(out)};
}

Value dot_lhs(JvpContext& c, Value t) { return c.b.copy(c.inst, {t, c.in(1)}).at(0); }
Value dot_rhs(JvpContext& c, Value t) { return c.b.copy(c.inst, {c.in(0), t}).at(0); }

/// Returns the contracted axes `own` of one operand in another order. `partners` are the axes of the other operand with
/// which the axes `own` are contracted. The result is in increasing order of the partners.
Integers in_partner_order(const Integers& own, const Integers& partners) {
    Integers sorted = partners;
    std::sort(sorted.begin(), sorted.end());
    Integers axes;
    for (std::int64_t partner : sorted) {
        const auto at = std::find(partners.begin(), partners.end(), partner) - partners.begin();
        axes.push_back(own[static_cast<std::size_t>(at)]);
    }
    return axes;
}

/// The cotangent of the result has the axes (batch, free axes of a, free axes of b). For the cotangent of one operand,
/// the cotangent of the result is contracted with the other operand, over the free axes of that other operand. The
/// product has the axes (batch, free, contracted) for a, and (batch, contracted, free) for b. The axes are then
/// transposed to the order of the operand's axes.
void dot_transpose(TransposeContext& c) {
    Build& b = c.b;
    const Value ct = *c.ct();
    const Side lhs = lhs_of(c.inst, c.operand_types[0].shape.size());
    const Side rhs = rhs_of(c.inst, c.operand_types[1].shape.size());
    const auto batches = static_cast<std::int64_t>(lhs.batch.size());
    const auto lhs_rest = static_cast<std::int64_t>(lhs.rest.size());
    const Integers ct_batch = counting(0, lhs.batch.size());
    if (c.linear(0)) {
        const Value product =
            b.dot(ct, c.in(1), {counting(batches + lhs_rest, rhs.rest.size()), rhs.rest, ct_batch, rhs.batch},
                  precision_of(c.inst));
        const Integers order = joined(joined(lhs.batch, lhs.rest), in_partner_order(lhs.contract, rhs.contract));
        c.add(0, b.transpose(product, inverse(order)));
    }
    if (c.linear(1)) {
        const Value product = b.dot(c.in(0), ct, {lhs.rest, counting(batches, lhs.rest.size()), lhs.batch, ct_batch},
                                    precision_of(c.inst));
        const Integers order = joined(joined(rhs.batch, in_partner_order(rhs.contract, lhs.contract)), rhs.rest);
        c.add(1, b.transpose(product, inverse(order)));
    }
}

/// If both operands are batched, the batch is one more batch axis. If one operand is batched, the batch is one more
/// free axis of that operand. So the result is again one dot.
Values dot_batch(BatchContext& c) {
    const Attrs& attrs = c.inst.attrs;
    const auto axes = [&](Attr attr, bool batched) {
        return batched ? shifted(attrs.integers(attr)) : attrs.integers(attr);
    };
    const bool left = c.batched[0];
    const bool right = c.batched[1];
    Integers lhs_batch = axes(Attr::lhs_batch, left);
    Integers rhs_batch = axes(Attr::rhs_batch, right);
    const auto batches = static_cast<int>(lhs_batch.size());
    const bool both = left && right;
    if (both) {
        lhs_batch = preceded(0, lhs_batch);
        rhs_batch = preceded(0, rhs_batch);
    }
    const Value product = c.b.dot(
        c.in(0), c.in(1), {axes(Attr::lhs_contract, left), axes(Attr::rhs_contract, right), lhs_batch, rhs_batch},
        precision_of(c.inst));
    if (both) return {product};
    const auto lhs_rest = c.rank(0) - batches - static_cast<int>(attrs.integers(Attr::lhs_contract).size());
    return {c.b.move_axis(product, left ? batches : batches + lhs_rest, 0)};
}

std::vector<Sample> dot_samples() {
    const auto sample = [](DType dtype, Shape a, Shape b, Integers a_contract, Integers b_contract,
                           Integers a_batch = {}, Integers b_batch = {}) {
        Sample made{{Type{dtype, std::move(a)}, Type{dtype, std::move(b)}},
                    {{Attr::lhs_contract, std::move(a_contract)},
                     {Attr::rhs_contract, std::move(b_contract)},
                     {Attr::lhs_batch, std::move(a_batch)},
                     {Attr::rhs_batch, std::move(b_batch)}},
                    {Domain::any}};
        made.differentiable = runtime::is_float(dtype);
        return made;
    };
    std::vector<Sample> samples{
        sample(DType::f32, {3, 5}, {5, 7}, {1}, {0}),
        sample(DType::f32, {5}, {5}, {0}, {0}),
        sample(DType::f32, {}, {}, {}, {}),
        sample(DType::f32, {3}, {4}, {}, {}),
        sample(DType::f32, {3, 5}, {5}, {1}, {0}),
        sample(DType::f32, {5, 3}, {7, 5}, {0}, {1}),
        sample(DType::f32, {3, 0}, {0, 2}, {1}, {0}),
        sample(DType::f32, {0, 3}, {3, 2}, {1}, {0}),
        sample(DType::f32, {1, 1}, {1, 1}, {1}, {0}),
        sample(DType::f32, {2, 3, 5}, {2, 5, 4}, {2}, {1}, {0}, {0}),
        sample(DType::f32, {3, 2, 5}, {5, 4, 2}, {2}, {0}, {1}, {2}),
        sample(DType::f32, {2, 3, 4}, {4, 5, 3}, {1, 2}, {2, 0}),
        sample(DType::f32, {2, 3, 4, 5}, {3, 5, 2, 6}, {3}, {1}, {0, 1}, {2, 0}),
        sample(DType::f32, {4, 3}, {4, 3}, {}, {}, {0, 1}, {0, 1}),
        sample(DType::f32, {33, 70}, {70, 65}, {1}, {0}),
        sample(DType::f32, {16500}, {16500}, {0}, {0}),
        sample(DType::f32, {130, 17}, {17, 127}, {1}, {0}),
        sample(DType::f32, {5, 3301}, {3301}, {1}, {0}),
    };
    for (DType dtype : members(numbers)) samples.push_back(sample(dtype, {3, 4}, {4, 2}, {1}, {0}));
    return with_doubles(std::move(samples));
}

/// Returns one boolean for each index along the batch and free axes of one operand of a dot. It is true if the operand
/// contains a NaN at this index. The result is broadcast to the shape of the dot.
Value nan_in_side(Build& b, Value v, const Integers& batch, const Integers& contract, const Shape& shape,
                  std::int64_t rest_begin) {
    const Value found = contract.empty() ? is_nan(b, v) : b.reduce(Op::reduce_or, is_nan(b, v), contract);
    // `left` has the axes that are not contracted. `place` has, for each of these axes, the axis of the result that it
    // becomes.
    const Integers left = other_axes(b.shape(v).size(), contract);
    Integers place;
    std::int64_t rest = rest_begin;
    for (const std::int64_t axis : left) {
        const auto at = std::find(batch.begin(), batch.end(), axis);
        place.push_back(at != batch.end() ? at - batch.begin() : rest++);
    }
    Integers order = counting(0, left.size());
    std::sort(order.begin(), order.end(), [&](std::int64_t x, std::int64_t y) {
        return place[static_cast<std::size_t>(x)] < place[static_cast<std::size_t>(y)];
    });
    std::sort(place.begin(), place.end());
    return b.broadcast(b.transpose(found, order), shape, place);
}

Value nan_in_product(Build& b, const ir::Inst& inst, const Values& in) {
    const Integers& a_batch = inst.attrs.integers(Attr::lhs_batch);
    const Integers& a_inner = inst.attrs.integers(Attr::lhs_contract);
    const Integers& b_batch = inst.attrs.integers(Attr::rhs_batch);
    const Integers& b_inner = inst.attrs.integers(Attr::rhs_contract);
    const Shape shape = result_types(inst, std::vector<Type>{b.type(in[0]), b.type(in[1])}).at(0).shape;
    const auto batches = static_cast<std::int64_t>(a_batch.size());
    const auto a_rest = static_cast<std::int64_t>(b.shape(in[0]).size() - a_inner.size()) - batches;
    return b.binary(Op::or_, nan_in_side(b, in[0], a_batch, a_inner, shape, batches),
                    nan_in_side(b, in[1], b_batch, b_inner, shape, batches + a_rest));
}

std::vector<Parts> dot_parts(PartsContext& c) { return {parts::dot(c.b, c.inst, c.in[0], c.in[1])}; }

} // namespace

const OpRules rule::dot = checked<Op::dot>({
    .type = dot_type,
    .eval = dot_eval,
    .jvp = jvp_binary<dot_lhs, dot_rhs>,
    .transpose = dot_transpose,
    .batch = dot_batch,
    .lower = LowerKernel{Kernel::dot},
    .samples = dot_samples,
    .doc = "The sums of products over the contracted axes: batch axes first, then the other axes of both operands.",
    .nans = {.made = makes_nans, .given = nan_in_product},
    .parts = dot_parts,
    .wraps = 2,
});

} // namespace pm::ops
