#include "compiler/ops/complex/parts.hpp"
#include "compiler/ops/core/axes.hpp"
#include "compiler/ops/core/nans.hpp"
#include "compiler/ops/core/positions.hpp"
#include "compiler/ops/reduce/extremum.hpp"
#include "compiler/ops/reduce/pair_scan.hpp"

#include <cmath>

// cumsum, cumprod, cummax, cummin along `axis`: element i of the result combines the elements 0..i of the operand. With
// `reverse`, element i combines the elements from i to the end. If one of the combined elements is NaN, max and min are
// NaN.

namespace pm::ops {
namespace {

bool reversed(const Inst& inst) { return inst.attrs.integer(Attr::reverse, 0) != 0; }

template <DTypes Taken>
std::vector<Type> cumulative_type(const Inst& inst, std::span<const Type> in) {
    require_dtype(inst, in[0].dtype, Taken);
    require_axis(inst, inst.attrs.integer(Attr::axis), in[0]);
    return {in[0]};
}

// Accumulators for elements of type V. The argument of the constructor is the first element. take() adds one more
// element.

/// Sums floats, and separately sums the rounding errors (TwoSum; Knuth, The Art of Computer Programming 2, 4.2.2).
template <class V>
class Sum {
  public:
    using Number = AccumulatorOf<V>;
    explicit Sum(V first) : sum_(static_cast<Number>(first)) {}
    void take(V x) {
        const auto more = static_cast<Number>(x);
        const Number sum = sum_ + more;
        if constexpr (Float<V>) {
            const Number of_more = sum - sum_;
            const Number error = (sum_ - (sum - of_more)) + (more - of_more);
            if (std::isfinite(error)) error_ += error; // infinities have no rounding error
        }
        sum_ = sum;
    }
    V value() const { return static_cast<V>(error_ == 0 ? sum_ : sum_ + error_); }

  private:
    Number sum_;
    Number error_ = 0;
};
template <class V>
class Product {
  public:
    explicit Product(V first) : product_(static_cast<AccumulatorOf<V>>(first)) {}
    void take(V x) { product_ = product_ * static_cast<AccumulatorOf<V>>(x); }
    V value() const { return static_cast<V>(product_); }

  private:
    AccumulatorOf<V> product_;
};
template <class V>
class Max {
  public:
    explicit Max(V first) : most_(first) {}
    void take(V x) { most_ = greater_of(most_, x); }
    V value() const { return most_; }

  private:
    V most_;
};
template <class V>
class Min {
  public:
    explicit Min(V first) : least_(first) {}
    void take(V x) { least_ = lesser_of(least_, x); }
    V value() const { return least_; }

  private:
    V least_;
};

template <template <class> class Running>
std::vector<Array> cumulative_eval(EvalContext& c) {
    Array out = new_result(c);
    const std::size_t axis = axis_of(c.inst);
    const std::int64_t n = out.shape()[axis];
    const std::int64_t step = strides_of(out.shape())[axis];
    visit_dtype(out.dtype(), [&](auto e) {
        using E = decltype(e);
        using V = typename E::Value;
        const auto* x = c.in[0].template as<typename E::Stored>();
        auto* y = out.template mutable_as<typename E::Stored>();
        each_position(out.shape(), [&](std::int64_t i, const Position& at) {
            if (at[axis] != 0) return; // i is the first element of a row
            const std::int64_t from = reversed(c.inst) ? i + (n - 1) * step : i;
            const std::int64_t by = reversed(c.inst) ? -step : step;
            Running<V> running(E::load(x[from]));
            for (std::int64_t k = 0; k < n; ++k) {
                const std::int64_t place = from + k * by;
                if (k > 0) running.take(E::load(x[place]));
                y[place] = E::store(running.value());
            }
        });
    });
    return {std::move(out)};
}

void cumsum_transpose(TransposeContext& c) {
    const std::int64_t other = reversed(c.inst) ? 0 : 1;
    if (c.linear(0))
        c.add(0, c.b.emit1(Op::cumsum, {*c.ct()},
                           {{Attr::axis, c.inst.attrs.integer(Attr::axis)}, {Attr::reverse, other}}));
}

// ---- derivatives of cumprod, cummax and cummin: a scan of (element, tangent) pairs

template <Op Extremum>
Pair extremum(Build& b, const Pair& before, const Pair& after) {
    const Value x = b.binary(Extremum, before.x, after.x);
    return {x, tangent_of_extremum(b, x, before, after)};
}

template <Scan* Along, Combine* How>
Tangents scan_jvp(JvpContext& c) {
    if (!c.tangent(0)) return {std::nullopt};
    const Integers reversed_axes = reversed(c.inst) ? Integers{c.inst.attrs.integer(Attr::axis)} : Integers{};
    const Pair p{c.b.reverse(c.in(0), reversed_axes), c.b.reverse(*c.tangent(0), reversed_axes)};
    const Pair scanned = Along(c.b, p, static_cast<int>(axis_of(c.inst)), How);
    return {c.b.reverse(scanned.t, reversed_axes)};
}

std::vector<Sample> cumulative_samples() {
    const auto sample = [](DType dtype, Shape shape, std::int64_t axis, std::int64_t reverse) {
        Sample made{{Type{dtype, std::move(shape)}}, {{Attr::axis, axis}, {Attr::reverse, reverse}}, {Domain::any}};
        made.differentiable = runtime::is_float(dtype);
        return made;
    };
    std::vector<Sample> samples{
        sample(DType::f32, {7}, 0, 0),     sample(DType::f32, {8}, 0, 1),        sample(DType::f32, {1}, 0, 0),
        sample(DType::f32, {2}, 0, 1),     sample(DType::f32, {0}, 0, 0),        sample(DType::f32, {3, 5}, 0, 0),
        sample(DType::f32, {3, 5}, 1, 1),  sample(DType::f32, {2, 3, 4}, 1, 0),  sample(DType::f32, {0, 4}, 1, 0),
        sample(DType::f32, {40000}, 0, 0), sample(DType::f32, {3, 16500}, 1, 1), sample(DType::f32, {16500, 3}, 0, 0),
        sample(DType::f32, {4, 0}, 0, 1),  sample(DType::f32, {3, 67}, 1, 0),    sample(DType::f32, {67, 3}, 0, 1),
    };
    for (DType dtype : members(numbers)) samples.push_back(sample(dtype, {2, 5}, 1, 0));
    return with_doubles(std::move(samples));
}

/// A NaN affects the result at its own index and at all later indices of the row.
Value nan_before(Build& b, const Inst& inst, const Values& in) {
    return is_flagged(b, b.emit1(Op::cummax, {nan_flags(b, in[0])}, inst.attrs));
}

std::vector<Parts> running_product_parts(PartsContext& c) {
    Build& b = c.b;
    const Inst& inst = c.inst;
    const Parts& x = c.in[0];
    const auto axis = static_cast<int>(inst.attrs.integer(Attr::axis));
    const ir::Integers reversed_axes = inst.attrs.integer(Attr::reverse, 0) != 0 ? ir::Integers{axis} : ir::Integers{};
    const Pair scanned = scan_in_f64(
        b, {b.reverse(x.re, reversed_axes), b.reverse(parts::imaginary(b, x), reversed_axes)}, axis, multiply_pairs);
    return {{b.reverse(scanned.x, reversed_axes), b.reverse(scanned.t, reversed_axes)}};
}

} // namespace

const OpRules rule::cumsum = checked<Op::cumsum>({
    .type = cumulative_type<fields>,
    .eval = cumulative_eval<Sum>,
    .jvp = jvp_linear,
    .transpose = cumsum_transpose,
    .batch = batch_along_axis,
    .lower = LowerKernel{Kernel::cumulative},
    .samples = cumulative_samples,
    .doc = "The sums of the first 1, 2, ... elements along `axis`; from the end with `reverse`.",
    .nans = {.made = makes_nans, .given = nan_before},
    .parts = parts::each,
    .wraps = 1,
});
const OpRules rule::cumprod = checked<Op::cumprod>({
    .type = cumulative_type<fields>,
    .eval = cumulative_eval<Product>,
    .jvp = scan_jvp<scan_in_f64, multiply_with_tangents>,
    .transpose = none,
    .batch = batch_along_axis,
    .lower = LowerKernel{Kernel::cumulative},
    .samples = cumulative_samples,
    .doc = "The products of the first 1, 2, ... elements along `axis`; from the end with `reverse`.",
    .nans = {.made = makes_nans, .given = nan_before},
    .parts = running_product_parts,
    .wraps = 1,
});
const OpRules rule::cummax = checked<Op::cummax>({
    .type = cumulative_type<numbers>,
    .eval = cumulative_eval<Max>,
    .jvp = scan_jvp<associative_scan, extremum<Op::max>>,
    .transpose = none,
    .batch = batch_along_axis,
    .lower = LowerKernel{Kernel::cumulative},
    .samples = cumulative_samples,
    .doc = "The greatest of the first 1, 2, ... elements along `axis`; from the end with `reverse`.",
});
const OpRules rule::cummin = checked<Op::cummin>({
    .type = cumulative_type<numbers>,
    .eval = cumulative_eval<Min>,
    .jvp = scan_jvp<associative_scan, extremum<Op::min>>,
    .transpose = none,
    .batch = batch_along_axis,
    .lower = LowerKernel{Kernel::cumulative},
    .samples = cumulative_samples,
    .doc = "The least of the first 1, 2, ... elements along `axis`; from the end with `reverse`.",
});

} // namespace pm::ops
