#include "compiler/ops/complex/parts.hpp"
#include "compiler/ops/core/axes.hpp"
#include "compiler/ops/core/display_name.hpp"
#include "compiler/ops/core/nans.hpp"
#include "compiler/ops/core/positions.hpp"
#include "compiler/ops/reduce/extremum.hpp"
#include "compiler/ops/reduce/pair_scan.hpp"
#include "compiler/ops/reduce/product_tangent.hpp"
#include "runtime/element.hpp"

// Reductions over `axes`, which are removed. A reduction over an empty axis returns the operation's identity. If an
// element is NaN, max and min are NaN. argmax and argmin return the position along one axis.

#include <limits>

namespace pm::ops {
namespace {

const Integers& axes_of(const Inst& inst) { return inst.attrs.integers(Attr::axes); }

template <DTypes Taken>
std::vector<Type> reduce_type(const Inst& inst, std::span<const Type> in) {
    require_dtype(inst, in[0].dtype, Taken);
    require_axes(inst, axes_of(inst), in[0]);
    return {Type{in[0].dtype, sizes_of(in[0].shape, other_axes(in[0].shape.size(), axes_of(inst)))}};
}

Values reduce_batch(BatchContext& c) { return {c.b.reduce(c.inst.op, c.in(0), shifted(axes_of(c.inst)))}; }

// ---- eval: combines every element of the operand, in row-major order, into its element of the result

struct SumOf {
    template <class V>
    static AccumulatorOf<V> start() {
        return 0;
    }
    template <class V>
    static AccumulatorOf<V> combine(AccumulatorOf<V> sum, V x) {
        return sum + static_cast<AccumulatorOf<V>>(x);
    }
};
struct ProductOf {
    template <class V>
    static AccumulatorOf<V> start() {
        return 1;
    }
    template <class V>
    static AccumulatorOf<V> combine(AccumulatorOf<V> product, V x) {
        return product * static_cast<AccumulatorOf<V>>(x);
    }
};
struct MaxOf {
    template <class V>
    static V start() {
        return least<V>();
    }
    template <class V>
    static V combine(V most, V x) {
        return greater_of(most, x);
    }
};
struct MinOf {
    template <class V>
    static V start() {
        return greatest<V>();
    }
    template <class V>
    static V combine(V least, V x) {
        return lesser_of(least, x);
    }
};
struct AndOf {
    template <class V>
    static V start() {
        if constexpr (std::same_as<V, bool>)
            return true;
        else
            return static_cast<V>(~V{0});
    }
    template <class V>
    static V combine(V all, V x) {
        if constexpr (std::same_as<V, bool>)
            return all && x;
        else
            return static_cast<V>(all & x);
    }
};
struct OrOf {
    template <class V>
    static V start() {
        return V{};
    }
    template <class V>
    static V combine(V any, V x) {
        if constexpr (std::same_as<V, bool>)
            return any || x;
        else
            return static_cast<V>(any | x);
    }
};

template <class F, DTypes Taken>
std::vector<Array> reduce_eval(EvalContext& c) {
    Array out = new_result(c);
    const Integers kept = other_axes(c.in[0].shape().size(), axes_of(c.inst));
    const Integers strides = strides_of(out.shape());
    visit_dtype(c.in[0].dtype(), [&](auto e) {
        using E = decltype(e);
        using V = typename E::Value;
        if constexpr (contains(Taken, E::dtype)) {
            using A = decltype(F::template start<V>());
            std::vector<A> values(static_cast<std::size_t>(out.elements()), F::template start<V>());
            const auto* x = c.in[0].template as<typename E::Stored>();
            each_position(c.in[0].shape(), [&](std::int64_t i, const Position& at) {
                const auto to = static_cast<std::size_t>(offset_of(sizes_of(at, kept), strides));
                values[to] = F::template combine<V>(values[to], E::load(x[i]));
            });
            auto* y = out.template mutable_as<typename E::Stored>();
            for (std::size_t i = 0; i < values.size(); ++i) {
                if constexpr (Float<A>)
                    runtime::write_f64(E::dtype, y, static_cast<std::int64_t>(i), values[i]);
                else
                    y[i] = E::store(static_cast<V>(values[i]));
            }
        } else {
            PM_UNREACHABLE();
        }
    });
    return {std::move(out)};
}

// ---- derivatives

/// `reduced`, broadcast to `shape` along the reduced axes.
Value repeat(Build& b, Value reduced, const Shape& shape, const Integers& axes) {
    return b.broadcast(reduced, shape, other_axes(shape.size(), axes));
}

void reduce_sum_transpose(TransposeContext& c) {
    if (c.linear(0)) c.add(0, repeat(c.b, *c.ct(), c.operand_types[0].shape, axes_of(c.inst)));
}

Tangents extremum_jvp(JvpContext& c) {
    Build& b = c.b;
    const Integers& axes = axes_of(c.inst);
    const Shape shape = b.shape(c.in(0));
    // An empty reduction returns the identity, which has no tangent.
    if (!c.tangent(0) || ir::product(shape) == 0) return {std::nullopt};
    const auto all = [&](Value v) { return repeat(b, v, shape, axes); };
    const auto sum = [&](Value v) { return b.sum(v, axes); };
    return {mean_of_equals(b, c.in(0), *c.tangent(0), c.out(), all, sum)};
}

Tangents prod_jvp(JvpContext& c) {
    if (!c.tangent(0) || ir::product(sizes_of(c.b.shape(c.in(0)), axes_of(c.inst))) == 0) return {std::nullopt};
    return {tangent_of_product(c.b, c.in(0), *c.tangent(0), axes_of(c.inst))};
}

// ---- samples

template <DTypes Taken>
std::vector<Sample> reduce_samples() {
    const auto sample = [](DType dtype, Shape shape, Integers axes) {
        Sample made{{Type{dtype, std::move(shape)}}, {{Attr::axes, std::move(axes)}}, {Domain::any}};
        made.differentiable = runtime::is_float(dtype);
        return made;
    };
    constexpr DType main = contains(Taken, DType::f32) ? DType::f32 : DType::i32;
    std::vector<Sample> samples{
        sample(main, {7}, {0}),           sample(main, {1}, {0}),          sample(main, {0}, {0}),
        sample(main, {3, 5}, {0}),        sample(main, {3, 5}, {1}),       sample(main, {3, 5}, {0, 1}),
        sample(main, {2, 3, 4}, {1}),     sample(main, {2, 3, 4}, {0, 2}), sample(main, {0, 4}, {0}),
        sample(main, {0, 4}, {1}),        sample(main, {3, 5}, {}),        sample(main, {}, {}),
        sample(main, {67, 35}, {1}),      sample(main, {130, 9}, {0}),     sample(main, {40000}, {0}),
        sample(main, {130, 127}, {0, 1}), sample(main, {3, 16500}, {1}),   sample(main, {16500, 3}, {0}),
    };
    for (DType dtype : members(Taken)) samples.push_back(sample(dtype, {3, 5}, {1}));
    return with_doubles(std::move(samples));
}

// ---- argmax, argmin

std::vector<Type> arg_type(const Inst& inst, std::span<const Type> in) {
    require_dtype(inst, in[0].dtype, ordered);
    require_axis(inst, inst.attrs.integer(Attr::axis), in[0]);
    if (in[0].shape[axis_of(inst)] == 0)
        raise(diagnose(Diag::empty_axis, {}, display_name(inst.op), axis_of(inst), ir::to_string(in[0])));
    const std::int64_t n = in[0].shape[axis_of(inst)];
    if (n > std::numeric_limits<std::int32_t>::max())
        raise(diagnose(Diag::number_too_large, {}, n, "the i32 that `argmax` and `argmin` give"));
    Type result{DType::i32, in[0].shape};
    result.shape.erase(result.shape.begin() + static_cast<std::ptrdiff_t>(axis_of(inst)));
    return {std::move(result)};
}

/// True if `x` replaces `best`, the best of the elements before it. This holds if `x` is greater (or less) than `best`,
/// or if `x` is the first NaN.
template <bool Greatest, class V>
bool beats(V x, V best) {
    if constexpr (Float<V>) {
        if (best != best) return false;
        if (x != x) return true;
    }
    return Greatest ? best < x : x < best;
}

template <bool Greatest>
std::vector<Array> arg_eval(EvalContext& c) {
    Array out = new_result(c);
    const std::size_t axis = axis_of(c.inst);
    const Integers strides = strides_of(c.in[0].shape());
    auto* y = out.mutable_as<std::int32_t>();
    visit_dtype(c.in[0].dtype(), [&](auto e) {
        using E = decltype(e);
        const auto* x = c.in[0].template as<typename E::Stored>();
        each_position(out.shape(), [&](std::int64_t i, Position at) {
            at.insert(at.begin() + static_cast<std::ptrdiff_t>(axis), 0);
            const std::int64_t first = offset_of(at, strides);
            std::int64_t best = 0;
            for (std::int64_t k = 1; k < c.in[0].shape()[axis]; ++k)
                if (beats<Greatest>(E::load(x[first + k * strides[axis]]), E::load(x[first + best * strides[axis]])))
                    best = k;
            y[i] = static_cast<std::int32_t>(best);
        });
    });
    return {std::move(out)};
}

std::vector<Sample> arg_samples() {
    const auto sample = [](DType dtype, Shape shape, std::int64_t axis) {
        return Sample{{Type{dtype, std::move(shape)}}, {{Attr::axis, axis}}, {Domain::any}, 0, false};
    };
    std::vector<Sample> samples{
        sample(DType::f32, {7}, 0),        sample(DType::f32, {1}, 0),        sample(DType::f32, {3, 5}, 0),
        sample(DType::f32, {3, 5}, 1),     sample(DType::f32, {0, 4}, 1),     sample(DType::f32, {2, 3, 4}, 1),
        sample(DType::f32, {5, 200}, 1),   sample(DType::f32, {200, 5}, 0),   sample(DType::f32, {40000}, 0),
        sample(DType::f32, {3, 16500}, 1), sample(DType::f32, {16500, 3}, 0),
    };
    for (DType dtype : members(ordered)) samples.push_back(sample(dtype, {3, 5}, 1));
    return with_doubles(std::move(samples));
}

Value nan_in_reduced(Build& b, const Inst& inst, const Values& in) {
    return b.reduce(Op::reduce_or, is_nan(b, in[0]), inst.attrs.integers(Attr::axes));
}

std::vector<Parts> product_parts(PartsContext& c) {
    Build& b = c.b;
    const Parts& x = c.in[0];
    const ir::Integers& axes = c.inst.attrs.integers(Attr::axes);
    const ir::Shape& shape = b.shape(x.re);
    const bool none = std::any_of(axes.begin(), axes.end(),
                                  [&](std::int64_t axis) { return shape[static_cast<std::size_t>(axis)] == 0; });
    if (none) return {{b.copy(c.inst, {x.re}).at(0), {}}};
    const Pair made = pairwise_reduction(b, {x.re, parts::imaginary(b, x)}, axes, multiply_pairs);
    return {{made.x, made.t}};
}

} // namespace

const OpRules rule::reduce_sum = checked<Op::reduce_sum>({
    .type = reduce_type<fields>,
    .eval = reduce_eval<SumOf, numbers>,
    .jvp = jvp_linear,
    .transpose = reduce_sum_transpose,
    .batch = reduce_batch,
    .lower = LowerReduce{nest::Combine::add},
    .samples = reduce_samples<numbers>,
    .doc = "The sum over `axes`.",
    .name = "sum",
    .nans = {.made = makes_nans, .given = nan_in_reduced},
    .parts = parts::each,
    .wraps = 1,
});
const OpRules rule::reduce_prod = checked<Op::reduce_prod>({
    .type = reduce_type<fields>,
    .eval = reduce_eval<ProductOf, numbers>,
    .jvp = prod_jvp,
    .transpose = none,
    .batch = reduce_batch,
    .lower = LowerReduce{nest::Combine::mul},
    .samples = reduce_samples<numbers>,
    .doc = "The product over `axes`.",
    .name = "prod",
    .nans = {.made = makes_nans, .given = nan_in_reduced},
    .parts = product_parts,
    .wraps = 1,
});
const OpRules rule::reduce_max = checked<Op::reduce_max>({
    .type = reduce_type<ordered>,
    .eval = reduce_eval<MaxOf, ordered>,
    .jvp = extremum_jvp,
    .transpose = none,
    .batch = reduce_batch,
    .lower = LowerReduce{nest::Combine::max},
    .samples = reduce_samples<ordered>,
    .doc = "The greatest element over `axes`; the derivative is shared equally among equal ones.",
    .name = "max",
});
const OpRules rule::reduce_min = checked<Op::reduce_min>({
    .type = reduce_type<ordered>,
    .eval = reduce_eval<MinOf, ordered>,
    .jvp = extremum_jvp,
    .transpose = none,
    .batch = reduce_batch,
    .lower = LowerReduce{nest::Combine::min},
    .samples = reduce_samples<ordered>,
    .doc = "The least element over `axes`; the derivative is shared equally among equal ones.",
    .name = "min",
});
const OpRules rule::reduce_and = checked<Op::reduce_and>({
    .type = reduce_type<with_bits>,
    .eval = reduce_eval<AndOf, with_bits>,
    .jvp = none,
    .transpose = none,
    .batch = reduce_batch,
    .lower = LowerReduce{nest::Combine::and_},
    .samples = reduce_samples<with_bits>,
    .doc = "True where all elements over `axes` are; bit by bit for integers.",
    .name = "all",
});
const OpRules rule::reduce_or = checked<Op::reduce_or>({
    .type = reduce_type<with_bits>,
    .eval = reduce_eval<OrOf, with_bits>,
    .jvp = none,
    .transpose = none,
    .batch = reduce_batch,
    .lower = LowerReduce{nest::Combine::or_},
    .samples = reduce_samples<with_bits>,
    .doc = "True where an element over `axes` is; bit by bit for integers.",
    .name = "any",
});
const OpRules rule::argmax = checked<Op::argmax>({
    .type = arg_type,
    .eval = arg_eval<true>,
    .jvp = none,
    .transpose = none,
    .batch = batch_along_axis,
    .lower = LowerReduce{nest::Combine::argmax},
    .samples = arg_samples,
    .doc = "The position of the greatest element along `axis`: of equal ones the first, and a NaN is the greatest.",
});
const OpRules rule::argmin = checked<Op::argmin>({
    .type = arg_type,
    .eval = arg_eval<false>,
    .jvp = none,
    .transpose = none,
    .batch = batch_along_axis,
    .lower = LowerReduce{nest::Combine::argmin},
    .samples = arg_samples,
    .doc = "The position of the least element along `axis`: of equal ones the first, and a NaN is the least.",
});

} // namespace pm::ops
